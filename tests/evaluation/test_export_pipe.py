"""export into a pipe whose reader has gone, as in `export ... | head`."""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection

from tests.factory.completed import judged_study


@pytest.mark.django_db(transaction=True)
def test_a_reader_that_has_had_enough_is_no_fault() -> None:
    study, _ = judged_study(1, topics=1, units=1)
    code = (
        "from config import settings\n"
        f"settings.DATABASES['default']['NAME'] = {connection.settings_dict['NAME']!r}\n"
        "from django.core.management import execute_from_command_line\n"
        f"execute_from_command_line(['manage.py', 'export', {study.slug!r}, 'judgments'])\n"
    )
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
