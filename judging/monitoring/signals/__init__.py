"""Signals of careless or machine work: evidence for a person, never a verdict."""
