"""The product and its peers, each as a whole; imported before `bench.site.environment`."""

import os
from pathlib import Path

os.environ["VAR_DIR"] = str(Path(__file__).resolve().parents[2] / "var" / "peers")
os.environ["BENCH_DATABASE"] = "magnitudes"  # that of the site itself
