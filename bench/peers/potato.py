"""Potato, in an environment of its own, as its container starts it."""

import json
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from itertools import count
from pathlib import Path

import psutil
from django.conf import settings

from bench.peers.annotators import SIZE, Annotator
from bench.peers.peer import HOST, Peer, free_port, wait_for
from bench.site.processes import family
from embedded.tied import end_with_parent

PACKAGES = ["potato-annotation==2.12.1", "gunicorn==23.0.0"]
# Its documents forbid more than one process: each would have its own annotations in memory.
SERVER = ["--workers", "1", "--threads", "8", "--timeout", "120", "--access-logfile", "-"]
CONFIG = f"""\
annotation_task_name: Relevance
task_dir: .
output_annotation_dir: annotations
data_files: [documents.jsonl]
item_properties: {{id_key: id, text_key: text}}
require_password: false
secret_key: of-a-benchmark
max_annotations_per_user: {SIZE}
annotation_schemes:
  - annotation_type: number
    name: relevance
    description: How relevant is this document to the topic?
    label_requirement: {{required: true}}
  - annotation_type: text
    name: reason
    description: Why this number?
    label_requirement: {{required: true}}
    textarea: {{on: true, rows: 3}}
"""


def environment() -> Path:
    """The folder of its programs; made where it is missing."""
    folder = settings.VAR_DIR / "potato"
    programs = folder / "bin"
    if not (programs / "potato").exists():
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder])
        into = ["--quiet", "--python", programs / "python"]
        subprocess.run([uv, "pip", "install", *into, *PACKAGES], check=True)
    return programs


@contextmanager
def running(texts: list[str]) -> Iterator[Peer]:
    """With these texts, each for one annotator after the other."""
    programs, folder, port = environment(), settings.VAR_DIR / "potato-task", free_port()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG)
    with (folder / "documents.jsonl").open("w") as lines:
        for number, text in enumerate(texts):
            print(json.dumps({"id": f"D{number}", "text": text}), file=lines)
    factory = "potato.flask_server:create_app('config.yaml')"
    with (folder / "log").open("w") as log:
        site = subprocess.Popen(
            [programs / "gunicorn", "--bind", f"{HOST}:{port}", *SERVER, factory],
            cwd=folder,
            stdout=log,
            stderr=log,
            preexec_fn=end_with_parent,
        )
    address, numbers = f"http://{HOST}:{port}", count()
    try:
        wait_for(f"{address}/health")
        yield Peer(
            "Potato",
            lambda how_many: [_log_in(address, next(numbers)) for _ in range(how_many)],
            lambda: {"web": family(psutil.Process(site.pid))},
        )
    finally:
        site.terminate()
        site.wait()


def _log_in(address: str, number: int) -> Annotator:
    cookies = CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
    browser.open(f"{address}/auth", urllib.parse.urlencode({"email": f"w{number}"}).encode())
    return Annotator(f"{address}/annotate", {cookie.name: cookie.value or "" for cookie in cookies})
