"""Recruiting on Prolific by its API."""
