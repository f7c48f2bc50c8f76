"""Whatever is said of the studies of `studies.py` is what `sentences.txt` has."""

from difflib import unified_diff
from pathlib import Path

import pytest

from tests.golden import Rewrite
from tests.golden.sentences import everything

FILE = Path(__file__).with_name("sentences.txt")


def test_every_sentence(request: pytest.FixtureRequest) -> None:
    now = everything()
    if any(isinstance(plugin, Rewrite) for plugin in request.config.pluginmanager.get_plugins()):
        FILE.write_text(now, encoding="utf-8")
    before = FILE.read_text(encoding="utf-8")
    changed = "\n".join(unified_diff(before.splitlines(), now.splitlines(), n=2, lineterm=""))
    assert not changed, f"Read it, then write it with `python -m tests.golden`:\n{changed}"


def test_measures_are_named_as_people_name_them() -> None:
    """As nDCG-JK@10: nDCG(dcg='jk')@10 belongs in files, and in REST."""
    text = FILE.read_text(encoding="utf-8")
    assert "dcg=" not in text
    assert "'anchors'" not in text
