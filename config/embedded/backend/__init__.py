"""Django's door to the embedded PostgreSQL: `"ENGINE": "config.embedded.backend"`."""
