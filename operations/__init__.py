"""Operating the site: monitoring, checks, backup and restore."""
