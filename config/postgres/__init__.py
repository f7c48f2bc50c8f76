"""Django's door to the embedded PostgreSQL: `"ENGINE": "config.postgres"`."""
