"""Bytes of strangers, for every reader of the product: it may raise its own errors alone."""
