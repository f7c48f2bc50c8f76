"""What the lights over the monitor are made of: one question a file."""
