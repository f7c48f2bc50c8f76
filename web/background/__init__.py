"""Background work that is requested on pages."""
