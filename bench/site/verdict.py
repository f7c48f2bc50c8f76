"""How a benchmark ends."""


def verdict(ratio: float, limit: float) -> int:
    """Print the closing line; the exit status, 1 when the ratio is above its limit."""
    passed = ratio <= limit
    print(f"ratio {ratio:.2f} (at most {limit:g}): {'pass' if passed else 'fail'}")
    return 0 if passed else 1
