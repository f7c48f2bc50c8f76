"""Settings of where people come from: refusals, what is usual on a platform, what keeps it shut."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from judging.models import Study
from judging.platforms import PLATFORMS
from judging.settings import Step
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.cloning import clone, config_of
from judging.studies.configuration.missing import missing
from judging.studies.faults import BadStudy
from tests.desks import Api, words
from tests.factory import make_study
from tests.workspace.setup.test_making import typed
from workspace.setup.forms import FORMS

CREDIT = "https://a.sona-systems.com/webstudy_credit.aspx?experiment_id=1&survey_code=XXXX"
PROLIFIC = {
    "platform": "prolific",
    "completion_code": "C1DONE",
    "screen_out_code": "C2OUT",
    "screen_out_reward": Decimal("0.30"),
    "return_code": "C3BACK",
    "further_units": "bonus",
    "submission_minutes": 90,
    "question_tries": 3,
    "attempts": 2,
}
NO_SCREEN_OUT = {"screen_out_code": "", "screen_out_reward": None, "return_code": ""}


@pytest.fixture
def draft(db) -> Study:
    return make_study(opened=False)


def change(study: Study, **settings) -> Study:
    return change_settings(study.slug, settings, None)


def test_all_of_them_are_stored_and_in_the_file(draft):
    config = config_of(change(draft, **PROLIFIC))
    assert {name: config[name] for name in PROLIFIC} == PROLIFIC
    assert missing(Study.objects.get()) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"platform": "mturk"}, "platform: mturk; expected one of prolific, connect, sona, links"),
        ({"platform": "prolific", "completion_code": "a b"}, "completion_code: a b; expected 3"),
        (
            {**PROLIFIC, "pay_after_limit": False},
            "pay_after_limit: people from Prolific are always paid at the limit of failed Finishes",
        ),
        ({"completion_code": "ABC"}, "completion_code: only Prolific and Connect take one"),
        (
            {"platform": "prolific", "completion_address": "https://x.org"},
            "completion_address: only Connect and SONA take one",
        ),
        ({"platform": "sona", "completion_address": "x"}, "completion_address: x; expected an a"),
        ({"platform": "connect", "further_units": "paid"}, "further_units: this platform pays"),
        ({"further_units": "many"}, "further_units: many; expected one of paid, bonus, none"),
        ({**PROLIFIC, "screen_out_code": "C1DONE"}, "screen_out_code: expected a code of its own"),
        ({**PROLIFIC, "screen_out_reward": None}, "screen_out_code: expected with a screen_out_r"),
        ({"screen_out_code": "C2", "screen_out_reward": 1}, "screen_out_code: expected with"),
        ({**PROLIFIC, "return_code": "C2OUT"}, "return_code: expected a code of its own"),
        ({**PROLIFIC, "return_code": "a b"}, "return_code: a b; expected 3 to 64"),
        ({"return_code": "C3"}, "return_code: only Prolific takes one"),
    ],
)
def test_what_cannot_be_is_refused(draft, settings, message):
    with pytest.raises(BadStudy) as refusal:
        change(draft, **settings)
    assert str(refusal.value).startswith(message)


def by_file(study: Study, settings: dict[str, Any], folder: Path) -> str:
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    (folder / "study.toml").write_text("".join(lines))
    with pytest.raises(CommandError) as refusal:
        call_command(
            *("create_study", "other", "--collection", study.collection.slug),
            *("--config", str(folder / "study.toml")),
        )
    return str(refusal.value)


def by_rest(study: Study, settings: dict[str, Any], folder: Path) -> str:
    api = Api(User.objects.get(), study.slug)
    (fault,) = api("patch", "", 400, **settings)["faults"]
    return f"{fault['pointer']}: {fault['detail']}"


def by_page(step: str) -> Callable[[Study, dict[str, Any], Path], str]:
    """The setting of this page is sent; those of other pages are as they would be already."""

    def refused(study: Study, settings: dict[str, Any], folder: Path) -> str:
        client, address = Client(), f"/studies/{study.slug}/set-up/{step}/"
        client.force_login(User.objects.get())
        of_page = set(FORMS[step].base_fields)
        there = {name: value for name, value in settings.items() if name not in of_page}
        Study.objects.filter(pk=study.pk).update(**there)
        sent = typed(client, address) | {name: settings[name] for name in settings.keys() & of_page}
        return words(client.post(address, sent))

    return refused


@pytest.mark.parametrize("platform", ["prolific", "connect", "sona"])
@pytest.mark.parametrize(
    ("refused", "named"),
    [
        (by_file, "pay_after_limit: "),
        (by_rest, "/pay_after_limit: "),
        (by_page("settings"), ""),  # it stands beside its field
        (by_page("recruiting"), "“Pay workers who reach that limit”: "),
    ],
)
def test_pay_at_the_limit_cannot_be_switched_off_on_a_platform(
    draft, tmp_path, refused, named, platform
):
    """Wherever it is shown, a sentence names the setting and the platform."""
    draft.memberships.create(user=User.objects.create_user("rosa"), role="owner")
    sentence = refused(draft, {"platform": platform, "pay_after_limit": False}, tmp_path)
    title = PLATFORMS[platform].title
    wanted = f"{named}people from {title} are always paid at the limit of failed Finishes"
    assert wanted in sentence


@pytest.mark.parametrize(
    ("platform", "further", "most", "tries"),
    [
        ("", "paid", 5, 1),
        ("links", "paid", 5, 1),
        ("prolific", "none", 1, 2),
        ("connect", "none", 1, 1),
        ("sona", "none", 1, 1),
    ],
)
def test_what_is_usual_on_a_platform(platform, further, most, tries):
    study = Study(platform=platform, max_units_per_worker=5)
    assert (study.further, study.max_units, study.tries_at_question) == (further, most, tries)


def test_what_is_said_goes_before_what_is_usual():
    study = Study(platform="prolific", further_units="bonus", question_tries=1)
    assert (study.further, study.max_units, study.tries_at_question) == ("bonus", None, 1)


@pytest.mark.parametrize(
    ("settings", "lack"),
    [
        ({"platform": "prolific"}, "Prolific needs the completion code"),
        ({"platform": "connect"}, "Connect needs the project's redirect address"),
        ({"platform": "sona"}, "SONA needs the client-side completion URL"),
        ({**PROLIFIC, "submission_minutes": None}, "Workers who go on for a bonus must know"),
        ({"platform": "links", "further_units": "bonus"}, ""),
        ({"platform": "connect", "completion_code": "ABC"}, ""),
        ({"platform": "sona", "completion_address": CREDIT}, ""),
    ],
)
def test_a_study_opens_only_with_a_way_back(draft, settings, lack):
    change(draft, **settings)
    if lack:
        with pytest.raises(BadStudy, match=lack):
            open_study(draft.slug)
        assert [line.step for line in missing(Study.objects.get())] == [Step.RECRUITING]
    else:
        assert open_study(draft.slug).stage == "open"


def test_the_way_back_can_be_mended_while_it_is_open_but_not_taken_away(draft):
    change(draft, **PROLIFIC)
    open_study(draft.slug)
    assert change(draft, completion_code="C9NEW").completion_code == "C9NEW"
    with pytest.raises(BadStudy, match="Prolific needs the completion code"):
        change(draft, completion_code="")
    with pytest.raises(BadStudy, match="platform: workers have come under it"):
        change(draft, further_units="none", platform="connect", **NO_SCREEN_OUT)


def test_a_clone_has_codes_of_its_own_to_come(draft):
    copy = clone(change(draft, **PROLIFIC), "copy", "A copy", None)
    assert (copy.platform, copy.further_units, copy.attempts) == ("prolific", "bonus", 2)
    assert (copy.completion_code, copy.screen_out_code, copy.screen_out_reward) == ("", "", None)
