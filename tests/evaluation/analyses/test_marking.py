"""One system stands out in figures and tables."""

import re

import pytest
from django.test import Client

from evaluation.analyses import ANALYSES
from evaluation.cache import stored
from evaluation.cache.page import marked, rows_of
from evaluation.pipeline import evaluate
from evaluation.presentation.parts import Figure
from tests.factory.arrays import random_study
from tests.factory.completed import judged_study


def svg() -> str:
    found = ANALYSES["rankings"].analyse(random_study(topics=7), lambda share: None)
    figure = next(part for part in found.parts if isinstance(part, Figure))
    return str(figure.to_json()["svg"])


def test_its_dots_are_larger_and_on_top() -> None:
    plain = svg()
    found = marked(plain, "run-02")
    dots = re.findall(r'<(?:circle|path) class="one" [^>]*><title>([^:]*): ', found)
    assert dots == ["run-02"] * 2  # one in each panel
    for layer in found.split("</g>"):
        names = re.findall(r"<title>(run-\d\d): ", layer)
        if names:
            assert names[-1] == "run-02"
            assert sorted(names) == [f"run-{n:02}" for n in range(6)]
    assert found.count("<title") == plain.count("<title")


@pytest.mark.parametrize("name", ["", "run", "run-0", "run-020", "nobody", "<&"])
def test_no_other_name_changes_anything(name: str) -> None:
    plain = svg()
    assert marked(plain, name) == plain


def test_its_rows_are_found_by_column() -> None:
    rows = [["b", 1], ["a", 2], ["b", 3]]
    assert rows_of(rows, ["system", "n"], "b") == {0, 2}
    assert rows_of(rows, ["query_id", "n"], "b") == frozenset()
    assert rows_of(rows, ["system", "n"], "") == frozenset()


@pytest.mark.django_db
def test_the_page_marks_the_system_that_is_asked_for(admin_client: Client) -> None:
    study, _ = judged_study(3, topics=3, units=7)
    evaluate(study)
    address = f"/studies/{study.slug}/method/rankings/"
    admin_client.get(address)
    stored.bring_up_to_date()
    run = study.collection.runs.order_by("tag")[1].tag
    page = admin_client.get(address, {"run": run}).content.decode()
    assert f'<option value="{run}" selected>{run}</option>' in page
    assert page.count('class="one"') >= 4
    marked = re.findall(r'<tr aria-current="true">.*?</tr>', page)
    assert len(marked) >= 8  # of figures and tables
    assert all(f">{run}</a></td>" in row for row in marked)
    for asked in ("", "nobody"):
        plain = admin_client.get(address, {"run": asked}).content.decode()
        assert 'class="one"' not in plain
        assert "<tr aria-current" not in plain
