"""The health of the site: a check for each part, for `/status`, the staff page and others."""
