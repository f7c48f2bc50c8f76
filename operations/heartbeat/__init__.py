"""A heartbeat to an external service, which alerts when it stays away."""
