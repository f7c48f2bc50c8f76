"""Artificial workers: what they feel and do, and how they come, through flow or over HTTP."""
