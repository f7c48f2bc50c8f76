"""The product as `make run` starts it, with units in progress."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count

import psutil
from django.db import connections
from django.utils import timezone

from bench.peers.annotators import H_K, N_K, SIZE, Annotator
from bench.peers.peer import HOST, Peer, free_port, wait_for
from bench.site import processes
from bench.site.environment import ROOT
from embedded.tied import end_with_parent
from judging.flow.admission import Arrival
from judging.models import Document, Study
from judging.pages import identity
from tests.cast import Person
from tests.factory import make_study

TOPICS, DOCUMENTS, WORDS, REDUNDANCY = 10, 50, 500, 20
PARTS = {"gunicorn": "web", "config.worker": "workers"}  # by a word of the command


@contextmanager
def running() -> Iterator[Peer]:
    """On a VAR_DIR of its own, which the settings of this process name as well."""
    port = free_port()
    site = subprocess.Popen(
        [sys.executable, "-m", "embedded"],
        cwd=ROOT,
        env=os.environ | {"PORT": str(port), "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=end_with_parent,
    )
    try:
        wait_for(f"http://{HOST}:{port}/readyz")
        study, numbers = open_study(), count()
        first = f"http://{HOST}:{port}/study/{study.slug}/1/"

        def arrive(how_many: int) -> list[Annotator]:
            people = [
                Person(study, f"worker-{next(numbers)}", now=timezone.now()).come_to_documents()
                for _ in range(how_many)
            ]
            name = identity.cookie_name(study.pk)
            return [
                Annotator(first, {name: identity.signed_cookie(study.pk, Arrival(one.name))})
                for one in people
            ]

        yield Peer("here", arrive, partial(_processes, psutil.Process(site.pid)))
    finally:
        connections.close_all()
        site.send_signal(signal.SIGTERM)
        site.wait()


def _processes(site: psutil.Process) -> dict[str, list[psutil.Process]]:
    by_part = {"postgres": processes.family(processes.postgres()), "valkey": [processes.valkey()]}
    for process in processes.family(site):
        with suppress(psutil.NoSuchProcess):
            line = " ".join(process.cmdline())
            part = next((part for word, part in PARTS.items() if word in line), "site")
            by_part.setdefault(part, []).append(process)
    return by_part


def open_study() -> Study:
    study = make_study(
        topics=TOPICS,
        documents=DOCUMENTS,
        words=WORDS,
        minimum_seconds=0,
        redundancy=REDUNDANCY,
        unit_size=SIZE,
    )
    for role, title in (("h_k", H_K), ("n_k", N_K)):
        anchors = study.topics.filter(documents__role=role).values("documents__document")
        Document.objects.filter(pk__in=anchors).update(title=title)
    return study


def texts() -> list[str]:
    """Of all documents of the study."""
    return list(Document.objects.order_by("pk").values_list("text", flat=True))
