"""The notebook of docs/ runs from its first cell to its last, and gives what is stored in it.

STORE_OUTPUTS=1 stores what it gives now.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from accounts.models import Token, User
from accounts.tokens import make_token
from evaluation import pipeline
from evaluation.cache import keeping
from tests.magnitudes.client.inside import answered
from tests.magnitudes.client.notebook import with_outputs

NOTEBOOK = Path(__file__).parents[3] / "docs/examples/from_files_to_a_table.ipynb"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")


def at_work(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
    """What the site answers; what its workers do in the background is done at once."""
    response = answered(request)
    if response.status_code == httpx.codes.ACCEPTED:
        pipeline.bring_up_to_date()
        keeping.bring_up_to_date()
    return response


@pytest.mark.django_db
def test_the_notebook_gives_what_is_stored(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.UPLOAD_DIR = str(tmp_path / "uploads")
    token = make_token(User.objects.create_user("rosa"), "notebook", Token.Scope.WRITE, days=1)
    monkeypatch.setenv("MAGNITUDES_TOKEN", token)
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", at_work)
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    again = with_outputs(stored)
    if "STORE_OUTPUTS" in os.environ:
        text = json.dumps(again, indent=1, ensure_ascii=False)
        NOTEBOOK.write_text(f"{text}\n", encoding="utf-8")
        return
    for cell, cell_again in zip(stored["cells"], again["cells"], strict=True):
        text, numbers = told(cell)
        text_again, numbers_again = told(cell_again)
        assert text_again == text
        assert numbers_again == pytest.approx(numbers, rel=1e-4, abs=2e-3), text


def told(cell: dict[str, Any]) -> tuple[str, list[float]]:
    """What a cell puts out as text, without its numbers, and these."""
    outputs = cell.get("outputs", [])
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    text = "".join(line for lines in texts for line in lines)
    return NUMBER.sub("#", text), [float(number) for number in NUMBER.findall(text)]
