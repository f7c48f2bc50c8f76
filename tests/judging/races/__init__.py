"""Many at once, in threads with connections of their own: after each race all must be well."""
