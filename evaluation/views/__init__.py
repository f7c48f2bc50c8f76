"""The pages of researchers."""
