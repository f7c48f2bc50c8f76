"""A sign of life to a service elsewhere, which notices when it stays away."""
