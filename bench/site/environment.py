"""Sets Django up with the settings of benchmarks; imported before any model.

The embedded servers are those of VAR_DIR; if that is unset, of var/bench.
"""

import os
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parents[2]

os.environ.setdefault("VAR_DIR", str(ROOT / "var" / "bench"))
os.environ["DJANGO_SETTINGS_MODULE"] = "bench.site.settings"
django.setup()
