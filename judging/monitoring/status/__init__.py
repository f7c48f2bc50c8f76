"""The status lights over the monitor: one question a file."""
