"""What other processes of the site do, or can be asked, beside the web server."""

import json
from pathlib import Path

from judging.models import Judgment
from judging.studies.plan_jobs import make_plans
from workspace.tasks import import_files


def write_answer(token: str, position: str, file: str) -> None:
    """What is stored for a document of the assignment of this token, into a file."""
    answered = Judgment.objects.filter(assignment__token=token, score__isnull=False)
    row = answered.filter(position=int(position)).first()
    Path(file).write_text(json.dumps(row and row.answer))


def plan() -> None:
    assert make_plans() == 1


def bring_in() -> None:
    assert import_files() == 1
