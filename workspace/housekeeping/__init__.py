"""Purging of what is stored for a limited time."""
