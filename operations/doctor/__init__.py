"""What is wrong with how the site is set up, and how to mend it: for `manage.py doctor`."""
