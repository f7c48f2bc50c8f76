"""Every benchmark that `make bench` runs can be imported, and parses what it may be given."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = {
    "evaluate_runs": "folder",
    "judging_peers": "--annotators 1 --rounds 1 --no-pauses folder",
    "linear_readers": "--verbose",
    "load": "--levels 16 --seconds 5 --no-history folder",
    "monitor_viewer": "--renewals 2",
    "recompute_scale": "--sizes 10000,20000",
    "report_scale": "--sizes 10000,20000",
    "unit_cpu": "--drafts",
}
# In a process of its own for each, as they set Django up on servers of their own; what all of them
# import is there before.
PARSE = """
import sys
from importlib import import_module
from multiprocessing import get_context

import aiohttp, django.test, numpy, psutil, scipy.stats

def parse(name, *given):
    benchmark = import_module("bench." + name)
    assert callable(benchmark.main)
    benchmark.OPTIONS.parse_args(given)
    assert f"python -m bench.{name}" in benchmark.OPTIONS.format_help()

processes = []
for line in sys.argv[1:]:
    processes.append(get_context("fork").Process(target=parse, args=line.split(), name=line))
    processes[-1].start()
    processes[-1].join()
sys.exit(", ".join(one.name for one in processes if one.exitcode) or 0)
"""


def test_every_benchmark_of_the_makefile_parses_its_options(tmp_path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    names = " ".join(re.findall(r"^BENCHMARKS\w* = (.+)$", makefile, re.MULTILINE)).split()
    assert {path.stem for path in (ROOT / "bench").glob("*.py")} == set(names) > OPTIONS.keys()
    given = [f"{name} {OPTIONS.get(name, 'folder')}" for name in names]
    environment = os.environ | {"VAR_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", PARSE, *given], cwd=ROOT, env=environment, check=True)
