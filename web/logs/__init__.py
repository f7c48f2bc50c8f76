"""Logs without personal data: lines about requests, tasks and errors."""
