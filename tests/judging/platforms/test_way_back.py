"""How people come from each platform and go back: addresses as its documentation has them."""

import pytest

from judging.models import Study
from judging.platforms import PLATFORMS, Completion, platform_of

ENTRY = "https://example.org/study/s/"
SONA = "https://school.sona-systems.com/webstudy_credit.aspx?experiment_id=9&credit_token=4e48"
CONNECT = "https://connect.cloudresearch.com/participant/project/AB12/complete"


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        (
            "prolific",
            f"{ENTRY}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}"
            "&SESSION_ID={{%SESSION_ID%}}",
        ),
        ("connect", ENTRY),
        ("sona", f"{ENTRY}?id=%SURVEY_CODE%"),
        ("links", ENTRY),
        ("", ENTRY),
    ],
)
def test_the_address_that_is_entered_there(name, entry):
    assert platform_of(name).entry_address(ENTRY) == entry


@pytest.mark.parametrize(
    ("name", "completion", "external_id", "address"),
    [
        (
            "prolific",
            Completion("C1ABCD"),
            "5f1e",
            "https://app.prolific.com/submissions/complete?cc=C1ABCD",
        ),
        ("prolific", Completion(), "5f1e", ""),
        ("connect", Completion("CODE", CONNECT), "x", CONNECT),
        ("connect", Completion("CODE"), "x", ""),
        ("sona", Completion("", f"{SONA}&survey_code=XXXX"), "714", f"{SONA}&survey_code=714"),
        ("sona", Completion("", f"{SONA}&survey_code="), "7&8", f"{SONA}&survey_code=7%268"),
        ("sona", Completion("", f"{SONA}&survey_code=XXXX"), "", ""),
        ("links", Completion(), "x", ""),
        ("", Completion(), "x", ""),
    ],
)
def test_the_address_that_leads_back(name, completion, external_id, address):
    assert platform_of(name).way_back(completion, external_id) == address


@pytest.mark.parametrize(
    ("name", "completion", "wrong"),
    [
        ("prolific", Completion("C1ABCD"), {}),
        ("prolific", Completion("C1 ABCD"), {"completion_code"}),
        ("prolific", Completion("https://app.prolific.com/x?cc=C1A"), {"completion_code"}),
        ("connect", Completion("ABC", CONNECT), {}),
        ("connect", Completion("A;", "connect.com"), {"completion_code", "completion_address"}),
        ("sona", Completion("", f"{SONA}&survey_code=XXXX"), {}),
        ("sona", Completion("", SONA), {"completion_address"}),
        ("sona", Completion("", "javascript:alert(1)//?survey_code="), {"completion_address"}),
        ("sona", Completion("", "https://[::1/?survey_code="), {"completion_address"}),
    ],
)
def test_what_is_wrong_is_named(name, completion, wrong):
    assert platform_of(name).faults(completion).keys() == set(wrong)


def test_the_settings_know_every_platform():
    assert set(Study.Platforms.values) == {"", *PLATFORMS}
    paid_once = {name for name, platform in PLATFORMS.items() if platform.pays_once}
    assert paid_once == {"prolific", "connect", "sona"}
