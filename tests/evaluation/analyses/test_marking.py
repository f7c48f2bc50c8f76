"""One system stands out in figures and tables."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.analyses import ANALYSES
from evaluation.cache import stored
from evaluation.cache.page import Links, answering
from evaluation.pipeline import evaluate
from evaluation.presentation.parts import Figure
from tests.factory.arrays import random_study
from tests.factory.completed import judged_study


def svg() -> str:
    found = ANALYSES["rankings"].analyse(random_study(topics=7), lambda share: None)
    figure = next(part for part in found.parts if isinstance(part, Figure))
    return "".join(figure.to_json()["pictures"])


def answered(drawing: str, name: str = "", **links: frozenset[str]) -> str:
    return answering(drawing, {"system": name} if name else {}, Links("lamps", **NONE | links))


NONE: dict[str, Any] = {"topics": frozenset(), "labels": "trec", "systems": frozenset()}


def test_its_dots_are_larger_and_on_top() -> None:
    plain = svg()
    found = answered(plain, "run-02")
    dots = re.findall(r'<(?:circle|path) class="one" [^>]*><title>([^:]*): ', found)
    assert dots == ["run-02"] * 2  # one in each panel
    for layer in found.split("</g>"):
        names = re.findall(r"<title>(run-\d\d): ", layer)
        if "run-02" in names:
            assert names[-1] == "run-02"
    assert found.count("<title") == plain.count("<title")


@pytest.mark.parametrize("name", ["run", "run-0", "run-020", "nobody", "<&"])
def test_no_other_name_changes_anything(name: str) -> None:
    plain = svg()
    assert answered(plain, name) == answered(plain)


def test_a_mark_leads_where_its_thing_has_a_page() -> None:
    found = answered(svg(), systems=frozenset({"run-02"}))
    addresses = re.findall(r'<a href="([^"]*)" tabindex="-1"><(?:circle|path) ', found)
    assert addresses == ["/studies/lamps/systems/run-02/?labels=trec"] * 2
    assert "<a " not in answered(svg())


@pytest.mark.parametrize(
    ("things", "address"),
    [
        ({"system": "run-0", "topic": "7"}, "systems/run-0/topics/7/?labels=trec"),
        ({"topic": "7"}, "topics/7/?labels=trec"),
        ({"topic": "7", "document": "a/b", "worker": "w"}, "topics/7/documents/a~2Fb/?labels=trec"),
        ({"topic": "all topics"}, ""),
        ({}, ""),
    ],
)
def test_what_a_mark_is_of_has_the_page_that_is_most_its_own(
    things: dict[str, str], address: str
) -> None:
    links = Links("lamps", frozenset({"7"}), "trec", systems=frozenset({"run-0"}))
    assert links.of_mark(things) == (f"/studies/lamps/{address}" if address else "")
    worker = reverse("monitor-worker", args=["lamps", "w"])
    assert links.of_mark({"worker": "w", "topic": "all topics"}) == worker


@pytest.mark.django_db
def test_the_page_marks_the_system_that_is_asked_for(admin_client: Client) -> None:
    study, _ = judged_study(3, topics=3, units=7)
    evaluate(study)
    address = f"/studies/{study.slug}/method/rankings/"
    admin_client.get(address)
    stored.bring_up_to_date()
    run = study.collection.runs.order_by("tag")[1].tag
    page = admin_client.get(address, {"run": run}).content.decode()
    assert f"<option selected>{run}</option>" in page
    assert page.count('class="one"') >= 4
    marked = re.findall(r'<tr data-system="[^"]*" aria-current="true">.*?</tr>', page)
    assert len(marked) >= 8  # of figures and tables
    assert all(f">{run}</a></td>" in row for row in marked)
    for asked in ("", "nobody"):
        plain = admin_client.get(address, {"run": asked}).content.decode()
        assert 'class="one"' not in plain
        assert '" aria-current="true"><td' not in plain
