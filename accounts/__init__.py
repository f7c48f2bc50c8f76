"""People who log in: researchers and admins. Crowd workers are in `judging`, and have no log-in."""
