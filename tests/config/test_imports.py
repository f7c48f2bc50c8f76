"""What processes import: no worker carries tools for tests, or what describes the API.

Nor does an idle process hold what it may never use.
"""

import subprocess
import sys

import pytest
from django.conf import settings

from config.background import COMPUTE

from .helpers import ROOT

LOADED = """
import importlib, sys
import django
django.setup()
for name in {modules}:
    importlib.import_module(name)
print(*sys.modules)
"""
HEAVY = {
    *("datasketch", "httpx", "ir_datasets", "obstore", "openai", "pandas", "sentry_sdk"),
    *("scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats"),
}
FOR_TESTS = {"django.test", "rest_framework.test", "drf_spectacular.plumbing"}


def loaded(*modules: str) -> set[str]:
    """The modules that a new process has once it has set up Django and imported some."""
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "PATH": ""}
    return set(
        subprocess.run(
            [sys.executable, "-c", LOADED.format(modules=modules)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
    )


@pytest.mark.parametrize("queue", settings.TASKS_OF_QUEUES)
def test_the_tasks_of_a_queue_import_no_tools_for_tests(queue: str) -> None:
    there = loaded(*settings.TASKS_OF_QUEUES[queue])
    assert "celery" in there
    assert not there & FOR_TESTS
    if "scipy" not in there:  # which imports unittest itself
        assert "unittest" not in there


@pytest.mark.parametrize("queue", settings.TASKS_OF_QUEUES)
def test_the_tasks_of_a_queue_import_nothing_heavy(queue: str) -> None:
    there = loaded(*settings.TASKS_OF_QUEUES[queue])
    assert not there & HEAVY
    assert ("numpy" in there) == (queue == COMPUTE)


def test_the_views_import_nothing_heavy() -> None:
    there = loaded("config.wsgi", "config.urls")
    assert "evaluation.pages.rankings" in there
    assert not there & HEAVY
