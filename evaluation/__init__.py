"""What judgments are turned into: gains, measures and rankings of systems."""

# Raised when the same judgments give other numbers, and not with each release: while two releases
# run beside each other, each computes anew what it finds of another version.
VERSION = "0.1.0"
