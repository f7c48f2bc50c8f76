"""`python -m tests.golden`: write `sentences.txt` anew, to be read before it is committed."""

import sys

import pytest

from tests.golden import Rewrite

if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "tests/golden"], [Rewrite()]))
