"""Titles and sentences leave the site without its banner: they say themselves who judged."""

import re

import pytest

from evaluation.analyses import ANALYSES
from judging.models import Study
from tests.claims.drawing import Model
from web.drawing.texts import escape

STUDY = Model(topics=6, runs=3, reading=0.02).study(4)
SAYS = re.compile(r"(?<!artificial )(?<!Artificial )\bworkers?\b", re.IGNORECASE)
CALLED = {Study.Crowd.ARTIFICIAL: "rtificial worker", Study.Crowd.MODEL: "odel conversation"}


@pytest.mark.parametrize("name", ["judges", "profiles", "reading", "resampling", "workers"])
@pytest.mark.parametrize("crowd", [*CALLED, Study.Crowd.PEOPLE])
def test_what_is_said_of_a_study_without_people_says_who_judged(
    name: str, crowd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(STUDY.study, "crowd", crowd)
    analysis = ANALYSES[name]
    result = analysis.of(STUDY)
    titles = [part["says"] for part in result["parts"]]
    figures = [part for part in result["parts"] if part["kind"] == "figure"]
    said = " ".join([analysis.finding(result), *result["says"], *titles])
    if called := CALLED.get(Study.Crowd(crowd)):
        assert not SAYS.findall(said)
        assert name == "resampling" or called in said
        assert all(f'aria-label="{escape(part["says"])}"' in part["svg"] for part in figures)
    else:
        assert not any(called in said for called in CALLED.values())
