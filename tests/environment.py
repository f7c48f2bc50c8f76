"""Loaded before the settings: tests have servers and files of their own."""

import os
from pathlib import Path

os.environ.setdefault("VAR_DIR", str(Path(__file__).parent.parent / "var" / "test"))
os.environ.setdefault("SECRET_KEY", "for tests")
