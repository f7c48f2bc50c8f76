"""Errors are reported to whoever looks after the site, without anything that a person typed."""
