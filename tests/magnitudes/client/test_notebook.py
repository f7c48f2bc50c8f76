"""The notebook of docs/ runs from its first cell to its last, and gives what is stored in it."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation import pipeline
from evaluation.cache import stored
from tests.magnitudes.client.inside import answered
from tests.magnitudes.client.notebook import check_outputs

NOTEBOOK = Path(__file__).parents[3] / "docs/examples/from_files_to_a_table.ipynb"


def at_work(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
    """What the site answers; what its workers do in the background is done at once."""
    response = answered(request)
    if response.status_code == httpx.codes.ACCEPTED:
        pipeline.bring_up_to_date()
        stored.bring_up_to_date()
    return response


@pytest.mark.django_db
def test_the_notebook_gives_what_is_stored(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    token = make_token(User.objects.create_user("rosa"), "notebook", Token.Scope.WRITE, days=1)
    monkeypatch.setenv("MAGNITUDES_TOKEN", token)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", at_work)
    check_outputs(NOTEBOOK)
