"""The checks, by part of the site."""
