"""`python -m tests.seeded_faults [NAME...]`: rules taken away, singly; a test of each must fail.

A fault replaces something by its name for the time of one test, and everywhere: modules that have
imported it see the replacement too. Exits 1 if a test passes with its fault.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from importlib import import_module
from typing import Any, NamedTuple
from unittest import mock

import pytest
from django.db.models import QuerySet
from django.utils import timezone


class Fault(NamedTuple):
    """What takes the place of a name, and the test that notices."""

    test: str
    target: str
    replacement: Any


def constantly(value: Any) -> Callable[..., Any]:
    return lambda *_arguments, **_options: value


def first(value: Any, *_arguments: Any, **_options: Any) -> Any:
    return value


PAGES, FLOW = "tests/judging/pages/", "tests/judging/test_flow_"
FAULTS = {
    "scripts stay": Fault(
        "tests/judging/test_cleaning.py::test_what_runs_styles_or_loads_is_dropped_whole",
        "judging.collections.cleaning.DROPPED_WHOLE",
        frozenset(),
    ),
    "elements of any depth": Fault(
        "tests/judging/test_cleaning.py::test_hostile_pages_are_flat_and_small",
        "judging.collections.cleaning.MAX_DEPTH",
        10**6,
    ),
    "texts of archives are trusted": Fault(
        "tests/workspace/leaving/test_hostile_archives.py::test_html_is_cleaned_as_in_any_import",
        "judging.collections.cleaning.clean_text",
        first,
    ),
    "formulas run": Fault(
        "tests/evaluation/test_spreadsheets.py"
        "::test_files_for_spreadsheets_hold_nothing_to_run_and_others_are_exact",
        "web.formats.harmless",
        first,
    ),
    "bombs go off": Fault(
        "tests/magnitudes/files/containers/test_archives.py"
        "::test_what_comes_out_of_a_file_is_bounded_by_its_size",
        "magnitudes.files.limits.EXPANDED_TIMES",
        1 << 40,
    ),
    "imports are tried for ever": Fault(
        "tests/workspace/imports/test_importing.py"
        "::test_an_import_that_ends_its_process_each_time_is_given_up",
        "web.background.work.MAX_TRIES",
        10**6,
    ),
    "each host has its time": Fault(
        "tests/judging/test_clock.py"
        "::test_seconds_on_a_document_do_not_depend_on_which_host_serves",
        "web.clock.now",
        lambda: timezone.now(),
    ),
    "ids outlive their days": Fault(
        "tests/judging/studies/test_retention.py"
        "::test_forgotten_after_the_retention_days_of_a_closed_study",
        "judging.studies.retention._delete_ids",
        constantly(0),
    ),
    "pseudonyms are published": Fault(
        "tests/workspace/leaving/test_release.py::test_nothing_tells_who_judged",
        "workspace.publishing.anonymous._numbers",
        lambda study: {name: name for name in study.workers.values_list("pseudonym", flat=True)},
    ),
    "paths in logs name people": Fault(
        "tests/operations/test_paths_in_logs.py::test_no_log_has_them",
        "web.logs.redaction.redacted_path",
        first,
    ),
    "everybody sees every study": Fault(
        "tests/api/test_teams.py::test_for_others_the_study_does_not_exist",
        "judging.models.study.StudyQuerySet.seen_by",
        first,
    ),
    "everybody has every role": Fault(
        "tests/api/test_teams.py::test_who_may_do_what_by_rest",
        "judging.studies.access.has_role",
        constantly(True),
    ),
    "an encrypted id opens in any row": Fault(
        "tests/security/test_encrypted_ids.py::test_an_id_opens_in_its_own_row_alone",
        "web.encryption._associated",
        constantly(b""),
    ),
    "processes with any key write ids": Fault(
        "tests/security/test_encrypted_ids.py::test_a_process_with_other_keys_writes_nothing",
        "web.encryption.EncryptedField.validate_key",
        constantly(None),
    ),
    "everybody sees ids of platforms": Fault(
        "tests/api/test_teams.py::test_all_of_the_team_see_everything_but_platforms_ids",
        "judging.studies.access.sees_platform_ids",
        constantly(True),
    ),
    "tokens that read write": Fault(
        "tests/accounts/test_tokens.py::test_a_token_that_reads_changes_nothing",
        "accounts.tokens.WithinScope.has_permission",
        constantly(True),
    ),
    "tokens never end": Fault(
        "tests/accounts/test_tokens.py::test_it_ends",
        "accounts.tokens.TokenAuthentication._cleanup_token",
        constantly(False),
    ),
    "wrong tokens do not count": Fault(
        "tests/accounts/test_tokens.py::test_who_tries_token_after_token_is_stopped",
        "accounts.tokens.WrongTokenThrottle.allow_request",
        constantly(True),
    ),
    "sessions never end": Fault(
        "tests/security/test_sessions.py::test_nobody_stays_for_ever",
        "accounts.sessions.is_expired",
        constantly(False),
    ),
    "no second factor is asked for": Fault(
        "tests/accounts/test_second_factor.py::test_who_has_none_sets_it_up_before_anything_else",
        "accounts.second_factor.must_set_up",
        constantly(False),
    ),
    "invitations never end": Fault(
        "tests/api/test_teams.py::test_an_invitation_ends_and_its_link_is_stored_nowhere",
        "judging.models.team.InvitationQuerySet.pending",
        lambda rows, _now: rows.filter(accepted_at=None),
    ),
    "payments are decided twice": Fault(
        "tests/judging/payments/test_decisions.py::test_payments_are_decided_on_once",
        "judging.payments.decisions._decide",
        lambda _study, payments, *_arguments, **_options: len(payments),
    ),
    "rows are not locked": Fault(
        "tests/judging/races/test_decisions.py"
        "::test_a_payment_is_decided_on_as_if_one_after_the_other",
        "judging.models.payment.PaymentQuerySet.locked",
        QuerySet.all,
    ),
    "money without a limit": Fault(
        "tests/workspace/recruiting/test_studies.py::test_the_limit_stops_what_goes_beyond_it",
        "workspace.recruiting.spending.check_limit",
        constantly(None),
    ),
    "anybody signs events": Fault(
        "tests/workspace/recruiting/test_sync.py::test_who_cannot_sign_is_not_believed",
        "workspace.recruiting.events._is_authentic",
        constantly(True),
    ),
    "addresses within are called": Fault(
        "tests/workspace/alerts/test_webhooks.py::test_no_address_within_is_called",
        "workspace.alerts.public_hosts.is_public",
        constantly(True),
    ),
    "any number of newcomers": Fault(
        "tests/judging/test_places.py::test_so_many_newcomers_an_hour",
        "judging.flow.places.limits_of",
        constantly([]),
    ),
    "visitors occupy all units": Fault(
        f"{FLOW}admission.py::test_visitors_hold_half_of_the_open_units_until_their_first_document",
        "judging.flow.places.may_admit_visitor",
        constantly(True),
    ),
    "attempts without end": Fault(
        f"{FLOW}admission.py::test_attempts_are_used_up_by_failures_alone",
        "judging.flow.standing.Standing.attempts_left",
        property(constantly(None)),
    ),
    "everybody is a proxy": Fault(
        "tests/security/test_login_and_headers.py"
        "::test_a_made_up_sender_does_not_start_the_count_anew",
        "web.middleware.proxies.is_trusted",
        constantly(True),
    ),
    "acts lead to other sites": Fault(
        "tests/workspace/running/test_run_page.py::test_no_act_leads_to_another_site",
        "workspace.running.run_page.page_before",
        lambda request: request.POST.get("back", ""),
    ),
    "an id is believed": Fault(
        f"{PAGES}test_identity.py::test_an_id_alone_shows_nothing_of_whose_it_is",
        "judging.pages.identity.recognise",
        lambda _study, arrival, _before=None: arrival,
    ),
    "guesses are not limited": Fault(
        f"{PAGES}test_identity.py::test_guesses_are_limited",
        "judging.pages.resuming.is_throttled",
        constantly(False),
    ),
    "any token is of this set": Fault(
        f"{PAGES}test_true_page.py::test_someone_elses_assignment",
        "judging.flow.documents.is_within_reach",
        constantly(True),
    ),
    "reasons of any length": Fault(
        f"{PAGES}test_forms.py::test_the_longest_text_that_may_come",
        "judging.flow.submission_checks.MAX_JUSTIFICATION_LENGTH",
        10**6,
    ),
    "zero bytes come through": Fault(
        f"{PAGES}test_requests.py::test_zero_bytes",
        "web.text.storable",
        first,
    ),
    "lines in any order pass": Fault(
        f"{FLOW}preparation.py::test_check_a_fails",
        "judging.checks.lines_in_order",
        constantly(True),
    ),
    "equal anchors pass": Fault(
        f"{FLOW}finish.py::test_check_c_fails",
        "judging.checks.anchors_in_order",
        lambda h_k, n_k: h_k >= n_k,
    ),
    "haste passes": Fault(
        f"{FLOW}finish.py::test_check_d_fails_wherever",
        "judging.checks.time_on_every_document",
        constantly(True),
    ),
    "any move is allowed": Fault(
        "tests/judging/test_states.py::test_what_the_table_does_not_have_is_refused",
        "judging.states.check",
        constantly(None),
    ),
    "units end late": Fault(
        f"{FLOW}ending.py::test_only_those_who_are_late_expire",
        "judging.flow.moves.deadline",
        lambda _assignment, now: now + timedelta(days=1),
    ),
    "withdrawn units stay": Fault(
        f"{FLOW}ending.py::test_a_withdrawn_unit_returns_and_code_and_pay_stay",
        "judging.flow.ending.withdraw",
        constantly(None),
    ),
}


def resolve(target: str) -> tuple[Any, str]:
    """The module or class that holds a name, and the name in it; AttributeError if none does."""
    parts = target.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            owner = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:-1]:
            owner = getattr(owner, part)
        return owner, parts[-1]
    raise AttributeError(target)


@contextmanager
def taken_away(fault: Fault) -> Iterator[None]:
    """Put the replacement wherever the name has been imported, for as long as this is open."""
    owner, name = resolve(fault.target)
    original = getattr(owner, name)
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(owner, name, fault.replacement))
        for module in [*sys.modules.values()]:
            for key, value in [*vars(module).items()]:
                # A small number is the same object wherever it stands, by whatever name.
                if value is original and (key == name or not isinstance(original, int)):
                    stack.enter_context(mock.patch.object(module, key, fault.replacement))
        yield


class Faults:
    """A plugin of pytest that runs the test of each fault with the fault in place."""

    def __init__(self, faults: dict[str, Fault]) -> None:
        self.by_test = {fault.test: name for name, fault in faults.items()}
        self.faults = faults
        self.unnoticed = set(faults)

    def _name(self, item: pytest.Item) -> str:
        return self.by_test[re.sub(r"\[.*", "", item.nodeid, flags=re.DOTALL)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        with taken_away(self.faults[self._name(item)]):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception):
            self.unnoticed.discard(self._name(item))


def main(names: list[str]) -> int:
    """Print what no test noticed; 1 if there is such a fault, or a test could not be run."""
    plugin = Faults({name: FAULTS[name] for name in names or FAULTS})
    status = pytest.main(["-q", "-p", "no:cacheprovider", *plugin.by_test], [plugin])
    for name in sorted(plugin.unnoticed):
        sys.stdout.write(f"Not noticed: {name}\n")
    return int(bool(plugin.unnoticed) or status != pytest.ExitCode.OK)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
