"""The browser's own Back, Forward and Reload, and a second tab: no answer is lost by them."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Site, Visits
from tests.browser.worker import Person

Stored = Callable[[Person], tuple[str, str] | None]
GIVEN = ("5", "A careful reason")
SCRIPTS = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "plain"])


@pytest.fixture
def judging(somebody: Callable[..., Person], scripts: bool) -> Person:
    return somebody(java_script_enabled=scripts).hurry()


@pytest.fixture
def stored(site: Site, tmp_path: Path) -> Stored:
    """Asks the database for somebody's answer to the first document."""

    def ask(person: Person) -> tuple[str, str] | None:
        token = person.page.locator("#page-form [name=page]").get_attribute("value") or ""
        site.call("beside.write_answer", token, "1", str(tmp_path / "answer"))
        answer = json.loads((tmp_path / "answer").read_text())
        return answer and tuple(answer)

    return ask


def next_to(person: Person) -> Person:
    """A second tab of the same browser, on the first document."""
    other = Person(person.page.context.new_page(), person.slug)
    other.go_to(1)
    return other


@SCRIPTS
def test_a_refused_form_is_not_sent_again_by_back_and_reload(
    judging: Person, stored: Stored
) -> None:
    judging.press("next")
    assert (judging.position, stored(judging)) == (1, None)
    judging.type(*GIVEN)
    judging.press("next")
    assert (judging.position, stored(judging)) == (2, GIVEN)
    judging.page.go_back()
    assert (judging.step, judging.position) == ("document", 1)
    judging.page.reload()
    assert (judging.position, judging.typed, stored(judging)) == (1, GIVEN, GIVEN)
    judging.press("next")
    expect(judging.page.locator("#score_previous")).to_contain_text("5")


@SCRIPTS
def test_an_older_tab_leaves_the_answer_and_says_so(judging: Person, stored: Stored) -> None:
    older = next_to(judging)
    judging.type(*GIVEN)
    judging.press("next")
    older.type("9", "Another reason")
    older.press("next")
    assert "You changed this answer in another tab" in older.text
    assert "9: Another reason" in " ".join(older.text.split())
    assert (older.typed, stored(judging)) == (GIVEN, GIVEN)
    older.page.reload()
    assert stored(judging) == GIVEN
    older.type("9", "Another reason")
    older.press("next")
    assert stored(judging) == ("9", "Another reason")


@SCRIPTS
def test_the_answer_can_be_kept_after_something_else_was_typed(
    judging: Person, stored: Stored
) -> None:
    judging.type(*GIVEN)
    judging.press("next")
    judging.go_to(1)
    judging.type("0", GIVEN[1])
    judging.press("next")
    assert "You had given 5" in judging.text
    assert "You then typed 0" in judging.text
    judging.press("keep-answer")
    assert (judging.typed, stored(judging)) == (GIVEN, GIVEN)


@SCRIPTS
def test_a_note_is_not_sent_again(judging: Person) -> None:
    judging.page.get_by_text("There is something wrong with this document").click()
    judging.page.get_by_label("What is wrong?").select_option("broken")
    judging.press("report")
    expect(judging.page.get_by_text("The research team will read it.")).to_be_visible()
    judging.type(*GIVEN)
    judging.press("next")
    judging.page.go_back()
    assert (judging.step, judging.position) == ("document", 1)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2, 3))]
)
@SCRIPTS
def test_whatever_is_pressed(visit: Visits, stored: Stored, scripts: bool, seed: int) -> None:
    """Six acts by chance; what led on with a complete answer is what is stored afterwards."""
    draw = random.Random(f"{seed} {scripts}")
    person = Person(visit(java_script_enabled=scripts), "lamps")
    person.enter()
    person.hurry()
    tabs = [person, next_to(person)]
    acknowledged = None
    for number in range(6):
        tab = draw.choice(tabs)
        act = draw.choice(["give", "give", "refused", "reload", "back", "forward"])
        if act in ("give", "refused"):
            if (tab.step, tab.position) != ("document", 1):
                tab.go_to(1)
            typed = (str(7 + number), "It says so") if act == "give" else ("0", "")
            tab.type(*typed)
            tab.press("next")
            acknowledged = typed if tab.position == 2 else acknowledged
        elif act == "reload":
            tab.page.reload()
        else:
            tab.page.go_back() if act == "back" else tab.page.go_forward()
            if tab.page.url == "about:blank":  # before the tab's first page
                tab.go_to(1)
        assert stored(person) == acknowledged, (number, act)
