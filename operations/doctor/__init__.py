"""Faults of the set-up of the site, and how to mend them: for `manage.py doctor`."""
