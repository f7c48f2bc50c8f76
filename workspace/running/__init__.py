"""Pages of a study that runs: its people, its trail, rehearsals, runs dropped on it."""
