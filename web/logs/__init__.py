"""Logs that name nobody: what is written of a request, a task and an error, and what is not."""
