"""The parts of the site, and how each is asked."""
