"""Bytes of strangers, for every reader of the product: it may raise its own errors alone."""

OURS = "accounts config embedded evaluation judging magnitudes operations web workspace".split()
