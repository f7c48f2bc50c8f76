"""Middleware of all pages."""
