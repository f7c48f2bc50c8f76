"""Alerts: by mail, webhook and feed, when a light of a study turns wrong and when it is well."""
