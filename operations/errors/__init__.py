"""Errors are reported to operators, without anything that a person typed."""
