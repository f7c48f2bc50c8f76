"""A study as a folder to publish, with nothing in it of who judged."""
