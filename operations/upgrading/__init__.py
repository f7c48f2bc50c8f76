"""How the database is brought up to date while people judge."""
