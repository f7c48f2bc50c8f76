"""The pages for operators, word by word, in a bare Debian: to a judged unit, and back to it."""

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.config.compose import ROOT, free_ports
from tests.config.helpers import until
from tests.http_worker import HttpWorker, Seen, plain

MOST_COMMANDS = 5
MOST_SECONDS = 600  # from the bare root to the judged unit
AFTERWARDS_SECONDS = 300  # that what is typed after it may take
MINIMUM_SECONDS = 5.5  # that a worker of the demo must look at a document
SCORES = {"h_k": "90", "n_k": "0.5"}
# Run in a process space of its own, so that nothing is left of it when its first process ends.
ENTER = """
mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && exec chroot "$1" sh /root/go
"""
ROLES = """
import json
from judging.models import PooledDocument
pool = PooledDocument.objects.select_related("document")
print(json.dumps([(one.document.title, one.document.text, one.role) for one in pool]))
"""
UNITS = """
from judging.models import Assignment
print(Assignment.objects.filter(state="completed").count())
"""
PARTS = ("io", "compute")

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("debootstrap"), reason="needs root and debootstrap"
)


def page(name: str, heading: str) -> list[str]:
    """What a page has one type, in the first place below a heading."""
    section = (ROOT / f"docs/operations/{name}.md").read_text().split(f"# {heading}\n")[1]
    found = re.search(r"```\n(.*?)```", section, re.DOTALL)
    assert found
    return found[1].splitlines()


def commands() -> list[str]:
    return page("deployment", "On one Debian machine")


def afterwards(web: str) -> list[str]:
    """What one types once it runs: for backups, for asking how it is, and to come back elsewhere.

    web: the port of the web process.
    """
    (make_key,) = page("backups", "Encryption")
    units = f"python manage.py shell --no-imports --command '{UNITS}'"
    return [
        ". .venv/bin/activate",
        "export HTTPS=on ALLOWED_HOSTS=judgments.example.org",
        "export BACKUP_URL=file:///srv/backups",
        *page("backups", "Make a backup"),
        "mkdir -p /media/stick",
        f"made=$({make_key})",
        'export "$made"',  # BACKUP_KEY
        "python manage.py backup",
        *page("doctor", "Checking a set-up"),
        f"PORT={web} python -m config.health web",
        *(f"python -m config.health {part}" for part in PARTS),
        f"{units} >/root/units",
        # On another disk, with the keys that were kept elsewhere.
        "mkdir /srv/second",
        "cp var/*-key /srv/second",
        "export VAR_DIR=/srv/second",
        *page("backups", "Restore a backup"),
        f"{units} >/root/units-restored",
    ]


def test_they_are_few() -> None:
    assert len(commands()) <= MOST_COMMANDS


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A bare Debian 12 with a copy of the product in it."""
    root = tmp_path / "root"
    mirror = "http://deb.debian.org/debian"
    bare = ["debootstrap", "--variant=minbase", "bookworm", str(root), mirror]
    subprocess.run(bare, check=True, stdout=subprocess.DEVNULL)
    (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")  # it starts no service
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    for name in ("resolv.conf", "hosts"):
        shutil.copy(Path("/etc", name), root / "etc" / name)
    product = root / "srv/magnitudes"
    product.mkdir()
    copy = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(product)], input=copy.stdout, check=True)
    return root


@contextmanager
def typed(root: Path, web: str, **replaced: str) -> Iterator[Callable[[], bool]]:
    """Somebody types the commands, those for afterwards once there is a file /root/judged.

    What is left running ends in the end.
    """
    lines = commands()
    for old, new in replaced.items():
        lines = [line.replace(old, new) for line in lines]
    lines = [line.replace("make run", "make demo") for line in lines]
    lines = [line.replace(" &", f" >/root/{n}.log 2>&1 &") for n, line in enumerate(lines)]
    *before, last = lines
    waiting = "until grep -q ^ready /root/*.log; do sleep 1; done"
    roles = f".venv/bin/python manage.py shell --no-imports --command '{ROLES}' >/root/roles"
    script = [
        "set -e",
        "cd /srv/magnitudes",
        *before,
        waiting,
        f"{last} --no-input --username operator --email operator@example.org",
        f"{roles}.new && mv /root/roles.new /root/roles",
        "until [ -e /root/judged ]; do sleep 1; done",
        *afterwards(web),
        "touch /root/done",
        "wait",
    ]
    (root / "root/go").write_text("\n".join(script))
    given = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
    given |= {
        "DEBIAN_FRONTEND": "noninteractive",
        "DJANGO_SUPERUSER_PASSWORD": "a long pass phrase",
    }
    given |= {"CERTIFICATES": "internal"} | settled(root)
    alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh"]
    with (root / "root/log").open("wb") as log:
        process = subprocess.Popen([*alone, str(root)], env=given, stdout=log, stderr=log)
    try:
        yield lambda: process.poll() is not None
        assert process.poll() is None, (root / "root/log").read_text()
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        process.wait()


def settled(root: Path) -> dict[str, str]:
    """What this machine's network asks for: certificates of its own."""
    given = os.environ.get("SSL_CERT_FILE", "")
    if not given:
        return {}
    shutil.copy(given, root / "root/certificates")
    return dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE"), "/root/certificates")


def test_a_unit_is_judged_in_ten_minutes_and_comes_back_from_a_backup(root: Path) -> None:
    web, plain_port, port = (str(port) for port in free_ports(3))
    start = time.monotonic()
    ports = {
        "HTTPS=on ": f"HTTPS=on PORT={web} ",
        "127.0.0.1:8000": f"127.0.0.1:{web}",
        "SITE=": f"HTTP_PORT={plain_port} HTTPS_PORT={port} SITE=",
        "judgments.example.org": "localhost",
    }
    with typed(root, web, **ports) as ended:
        until((root / "root/roles").exists, MOST_SECONDS)
        pool = json.loads((root / "root/roles").read_text())
        roles = {plain(f"{title} {text}"): role for title, text, role in pool if role != "other"}
        study = tomllib.loads((ROOT / "demo/study.toml").read_text())
        answers = {topic["answer"] for topic in study["topics"].values()}

        def answer(_: str, options: Sequence[str]) -> str:
            return next(option for option in options if option in answers)

        def score(seen: Seen) -> str:
            time.sleep(MINIMUM_SECONDS)
            return SCORES.get(roles.get(seen.text, ""), "7")

        origin = f"https://localhost:{port}"
        made = root / "root/.local/share/caddy/pki/authorities/local/root.crt"
        worker = HttpWorker(origin, "demo-live", score, answer)
        worker.http.close()
        worker.http = httpx.Client(
            base_url=origin,
            verify=ssl.create_default_context(cafile=str(made)),
            headers={"Origin": origin},
            follow_redirects=True,
            timeout=60,
            trust_env=False,
        )
        with worker:
            assert worker.complete()
        assert time.monotonic() - start < MOST_SECONDS
        (root / "root/judged").touch()
        until(lambda: (root / "root/done").exists() or ended(), AFTERWARDS_SECONDS)
        assert (root / "root/done").exists(), (root / "root/log").read_text()
        units, restored = (
            (root / "root" / name).read_text() for name in ("units", "units-restored")
        )
        assert int(units) == int(restored) > 0
