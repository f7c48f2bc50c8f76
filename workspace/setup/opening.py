"""The terms that are confirmed before a study opens: units, people, money and time.

A digest identifies what was shown: if a part has changed since, it must be confirmed again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from django.db import transaction

from accounts.models import User
from judging.models import Study
from judging.studies import analysis_plan
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.missing import Missing, missing, missing_for_people
from judging.studies.faults import BadStudy, Fault
from judging.studies.locks import lock_study
from magnitudes.files.words import count
from workspace.planning.costs import Costs, costs
from workspace.setup import readiness

PART_LENGTH = 8  # characters of a digest for each part
DIGEST = rf"[0-9a-f]{{{PART_LENGTH}}}(?:-[0-9a-f]{{{PART_LENGTH}}})*"
MAX_REASON = 500  # characters


@dataclass(frozen=True)
class Terms:
    study: Study
    costs: Costs
    missing: list[Missing]

    @cached_property
    def parts(self) -> dict[str, str]:
        """Sentences by name."""
        parts = dict(_parts(self.study, self.costs))
        return {name: words for name, words in parts.items() if words}

    @property
    def sums(self) -> dict[str, str]:
        return {name: words for name, words in self.parts.items() if name not in self.analysis}

    @cached_property
    def analysis(self) -> dict[str, str]:
        return analysis_plan.in_words(analysis_plan.proposed(self.study))

    @property
    def digest(self) -> str:
        """Some characters for each part, and for the settings as a whole."""
        texts = (f"{name}: {words}".encode() for name, words in self._all)
        return "-".join(sha256(text).hexdigest()[:PART_LENGTH] for text in texts)

    @property
    def _all(self) -> list[tuple[str, str]]:
        return [*self.parts.items(), ("settings", f"version {self.study.version}")]

    def changes_since(self, digest: str) -> list[str]:
        """The parts that have changed since the digest was made, as they are now."""
        before = set(digest.split("-"))
        changed = [
            (name, words)
            for (name, words), part in zip(self._all, self.digest.split("-"), strict=True)
            if part not in before
        ]
        return [f"{name} (now {words.rstrip('.')})" for name, words in changed]

    @property
    def too_low(self) -> str:
        """That people earn less than the minimum; empty if they do not, or are unpaid."""
        if not (self.costs.payment and self.costs.pays_too_little):
            return ""
        hourly, minimum = f"{self.costs.hourly_pay:.2f}", self.costs.minimum_hourly_pay
        currency = self.costs.currency
        return (
            f"{hourly} {currency} an hour is less than the minimum of {minimum:g} {currency}; "
            f"{self.costs.fair_payment} {currency} a unit would reach it."
        )


def terms_of(study: Study) -> Terms:
    return Terms(study, costs(study), readiness.missing_parts(study))


def _parts(study: Study, plan: Costs) -> Iterator[tuple[str, str]]:
    topics, documents = count(len(plan.topics), "topic"), count(plan.documents, "document")
    yield "units", f"{count(plan.units, 'unit')} of {topics}, {documents}."
    people = count(plan.workers, "person", "people")
    yield "people", f"About {people}, at least {plan.min_workers:,}."
    yield "cost", _cost(study, plan)
    hours = f"About {count(round(plan.hours), 'hour')}" if plan.hours >= 1 else "Less than an hour"
    yield "hours", f"{hours} of work."
    if plan.payment:
        hourly = f"{plan.hourly_pay:.2f} {plan.currency} an hour"
        yield "pay", f"About {count(plan.minutes, 'minute')} for a unit: {hourly}."
    else:
        yield "time", f"About {count(plan.minutes, 'minute')} for a unit."
    yield from analysis_plan.in_words(analysis_plan.proposed(study)).items()


def _cost(study: Study, plan: Costs) -> str:
    if not plan.payment:
        is_trial = study.demo or study.rehearsal_of_id
        return "Nothing is paid." if is_trial else "Volunteers: nothing is paid."
    sums = plan.total, plan.paid, plan.fee
    total, paid, fee = (f"{amount:,.2f} {plan.currency}" for amount in sums)
    return f"{total}: {paid} to workers, {fee} to the platform."


@transaction.atomic
def open_confirmed(
    slug: str, by: User | None, digest: str, low_pay_reason: str = "", read: Sequence[str] = ()
) -> Study:
    """Open a study whose terms somebody has seen and confirms by their digest.

    read: warnings that they say they have read; they are kept in the trail.
    """
    study = lock_study(slug)
    if study is None or study.stage != Study.Stage.DRAFT:
        return open_study(slug, by)  # which says why not
    if missing_parts := [*missing(study), *missing_for_people(study)]:
        raise BadStudy(*(lack.what for lack in missing_parts))
    terms = terms_of(study)
    if changes := terms.changes_since(digest):
        raise BadStudy(f"Study {slug} has changed since you looked: {', '.join(changes)}.")
    if terms.too_low and not low_pay_reason.strip():
        raise BadStudy(Fault(("low_pay_reason",), f"{terms.too_low} Say why it is paid less."))
    details: dict[str, object] = {"terms": terms.parts}
    if terms.too_low:
        details["low_pay_reason"] = low_pay_reason.strip()
    if read:
        details["read"] = list(read)
    return open_study(slug, by, **details)
