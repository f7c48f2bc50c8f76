"""Deleting what is kept for a time, once that time is over."""
