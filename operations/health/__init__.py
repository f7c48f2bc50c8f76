"""How the site is: one check for each part, which `/status`, the staff page and others share."""
