from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.crypto import get_random_string

from accounts.models import User
from judging.models import Study
from judging.platforms import PROLIFIC
from judging.studies import trail
from judging.studies.configuration.changing import change_settings
from workspace.models import ProlificStudy
from workspace.recruiting.api import Json
from workspace.recruiting.connecting import api_of
from workspace.recruiting.faults import CannotRecruit
from workspace.recruiting.pending_calls import PendingCall, calling, store_remote
from workspace.recruiting.spending import check_cost, cost_of, hundredths

MAX_PLACES = 10_000
# Of a completion code that the study gets from us; characters that look alike are left out.
CODE_LENGTH, CODE_CHARACTERS = 8, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
RETURN_REASON = "They stopped, or could not go on."


@dataclass(frozen=True)
class Draft:
    """What a study on Prolific is made of.

    address: of our study on this site; minutes: of a unit; excluded: studies whose participants on
    Prolific are not admitted. A submission pays what our study pays for a unit.
    """

    title: str
    description: str
    address: str
    places: int
    minutes: int
    excluded: Sequence[ProlificStudy] = ()


def create(
    recruiting: ProlificStudy, draft: Draft, by: User | None, expected: int | None = None
) -> ProlificStudy:
    """Make the draft of a study on Prolific, which costs nothing yet.

    expected: the confirmed cost, once published.
    """
    _check(recruiting.study, draft)
    if expected is not None:
        check_cost(cost_of_draft(recruiting, draft), expected, recruiting.study.currency)
    if not recruiting.study.completion_code:
        code = get_random_string(CODE_LENGTH, CODE_CHARACTERS)
        change_settings(recruiting.study.slug, {"completion_code": code}, by)
    with calling(recruiting, PendingCall.CREATE, _check_none_exists) as row:
        store_remote(row, api_of(row.connection).create_study(_as_json(row, draft)))
    trail.record(recruiting.study, by, "made a study on Prolific", places=draft.places)
    return row


def cost_of_draft(recruiting: ProlificStudy, draft: Draft) -> int:
    """What a draft costs when it is published, with all fees, in hundredths; raises as `create`."""
    _check(recruiting.study, draft)
    _check_none_exists(recruiting)
    return cost_of(recruiting, draft.places, hundredths(recruiting.study.payment))


def _check_none_exists(recruiting: ProlificStudy) -> None:
    if recruiting.prolific_id:
        raise CannotRecruit("There is a study on Prolific already.")


def _check(study: Study, draft: Draft) -> None:
    if study.from_platform != PROLIFIC:
        raise CannotRecruit(
            "The study first needs Prolific as its platform: choose it under Link and platform."
        )
    if not 1 <= draft.places <= MAX_PLACES:
        raise CannotRecruit(f"Expected 1 to {MAX_PLACES:,} places.", field="places")
    if draft.minutes < 1:
        raise CannotRecruit("Expected a minute at least.", field="minutes")
    if not study.payment:
        raise CannotRecruit("The study pays nothing for a unit, which Prolific does not allow.")


def internal_name(recruiting: ProlificStudy) -> str:
    """The name in the workspace, which participants do not see."""
    return f"{recruiting.study.slug} {recruiting.key}"


def _as_json(recruiting: ProlificStudy, draft: Draft) -> Json:
    study = recruiting.study
    body: Json = {
        "name": draft.title,
        "internal_name": internal_name(recruiting),
        "description": draft.description,
        "external_study_url": PROLIFIC.entry_address(draft.address),
        "prolific_id_option": "url_parameters",
        "completion_codes": _codes(study, draft.places),
        "total_available_places": draft.places,
        "estimated_completion_time": draft.minutes,
        "reward": hundredths(study.payment),
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "filters": [],
    }
    if ids := sorted({each.prolific_id for each in draft.excluded if each.prolific_id}):
        body["filters"] = [{"filter_id": "previous_studies_blocklist", "selected_values": ids}]
    if study.submission_minutes:
        body["maximum_allowed_time"] = study.submission_minutes
    return body


def _codes(study: Study, places: int) -> list[Json]:
    codes: list[Json] = [
        {
            "code": study.completion_code,
            "code_type": "COMPLETED",
            "actions": [{"action": "MANUALLY_REVIEW"}],
        }
    ]
    if study.screen_out_code:
        codes.append(
            {
                "code": study.screen_out_code,
                "code_type": "FIXED_SCREENOUT",
                "actions": [
                    {
                        "action": "FIXED_SCREEN_OUT_PAYMENT",
                        "fixed_screen_out_reward": hundredths(study.screen_out_reward or Decimal()),
                        "slots": places,
                    }
                ],
            }
        )
    if study.return_code:
        action = {"action": "REQUEST_RETURN", "return_reason": RETURN_REASON}
        codes.append({"code": study.return_code, "code_type": "OTHER", "actions": [action]})
    return codes
