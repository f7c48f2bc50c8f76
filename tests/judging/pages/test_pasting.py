"""Pasted characters and hidden seconds: counted where the study says so to its workers."""

import pytest

from evaluation.publishing import exports
from judging.flow.admission import consent_version
from judging.models import Visit
from judging.models.wording import PASTING_IS_RECORDED
from judging.settings import Step
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.changing import change_settings
from judging.studies.configuration.missing import missing
from judging.studies.faults import BadStudy
from tests.factory import make_study
from tests.factory.completed import complete
from tests.judging.browsing import Browser
from workspace.setup.readiness import warnings

pytestmark = pytest.mark.django_db
CONSENT = f"You take part freely.\n\n{PASTING_IS_RECORDED}".replace("for how", "for\nhow")
TOLD = {"hidden_seconds": "7.5", "pasted_characters": "40"}


@pytest.fixture
def recording(clock) -> Browser:
    """On the first document of a study that records pasting."""
    browser = Browser(make_study(redundancy=1, record_pasting=True, consent=CONSENT))
    browser.come_to_documents()
    return browser


def counted() -> list[tuple[float | None, int | None]]:
    rows = Visit.objects.order_by("id").values_list("hidden_seconds", "pasted_characters")
    return list(rows)


def test_the_counts_of_a_page_are_kept_with_its_visit_and_the_same_form_counts_once(recording):
    form = recording.page.sent("next", score="5", justification="x", **TOLD)
    for _ in range(2):
        recording.post("1/", form)
        assert counted() == [(7.5, 40), (None, None)]


def test_a_page_to_be_corrected_goes_on_from_its_counts(recording):
    assert recording.page.form("next")["pasted_characters"] == "", "unknown without scripts"
    page = recording.press("next", score="", justification="x", **TOLD)
    assert {name: page.form("next")[name] for name in TOLD} == TOLD
    recording.press("leave")
    assert counted() == [], "they go with the judgments"


@pytest.mark.parametrize("nonsense", ["", "x", "-1", "1e400", "1" * 40, "nan", "1.5e9"])
def test_nonsense_is_unknown(recording, nonsense):
    told = dict.fromkeys(TOLD, nonsense)
    assert recording.press("next", score="5", justification="x", **told).position == 2
    assert counted()[0] == (None, None)


def test_a_study_that_does_not_say_so_counts_nothing(judging):
    assert "pasted_characters" not in judging.page.html
    judging.press("next", score="5", justification="x", **TOLD)
    assert counted()[0] == (None, None)


def test_workers_read_that_it_is_recorded(clock):
    study = make_study(record_pasting=True, consent=CONSENT)
    assert "how many characters you paste" in " ".join(Browser(study).get().main_text.split())
    version = consent_version(study)
    study.record_pasting = False
    assert consent_version(study) != version
    assert "you paste" not in Browser(make_study()).get().main_text


def test_a_study_without_a_consent_text_is_not_opened():
    study = make_study(opened=False, record_pasting=True)
    assert [lack.step for lack in missing(study)] == [Step.CONSENT]
    with pytest.raises(BadStudy, match="characters you paste"):
        open_study(study.slug)
    study = change_settings(study.slug, {"consent": "In my own words."}, None)
    assert any("Pasting is recorded" in warning.what for warning in warnings(study))
    study = change_settings(study.slug, {"consent": CONSENT}, None)
    assert not any("Pasting" in warning.what for warning in warnings(study))
    open_study(study.slug)


def test_the_team_has_the_counts_in_its_files():
    study = make_study(record_pasting=True, consent=CONSENT)
    complete(study, "ada")
    Visit.objects.update(hidden_seconds=7.5, pasted_characters=40)
    rows = list(exports.EXPORTS["judgments"].rows(study))
    assert {(row["hidden_seconds"], row["pasted_characters"]) for row in rows} == {(7.5, 40)}
