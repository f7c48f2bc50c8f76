"""What stands in the way of whoever means harm: docs/threat-model.md."""
