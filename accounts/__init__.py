"""People who log in: researchers and admins. Crowd workers, in `judging`, have no log-in."""
