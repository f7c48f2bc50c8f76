"""Loaded before the settings: tests have servers and files of their own, and no stopwatch."""

import os
from pathlib import Path

from hypothesis import settings

os.environ.setdefault("VAR_DIR", str(Path(__file__).parent.parent / "var" / "test"))
os.environ.setdefault("SECRET_KEY", "for tests")
# ranx, a peer, would compile itself for a minute; the little that it is asked it answers without.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
# pytest-xdist starts several processes with one environment: each has servers of its own, so that
# tests which stop a server, or empty it, disturb nobody.
if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    os.environ["VAR_DIR"] = str(Path(os.environ["VAR_DIR"], worker))

# A busy machine is slow, which is no fault of the code. What a change is held against before it
# lands is the same for each; tests that anybody runs look further, and elsewhere every time.
IN_CI = "CI" in os.environ
settings.register_profile(
    "unhurried", deadline=None, derandomize=IN_CI, max_examples=50 if IN_CI else 100
)
settings.load_profile("unhurried")
