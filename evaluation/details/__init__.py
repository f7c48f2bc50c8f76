"""The way down from a ranking: systems, topics and documents, as rows that pages show."""
