"""What judgments are turned into: gains, measures and rankings of systems."""

VERSION = "0.1.0"
