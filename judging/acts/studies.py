from collections.abc import Callable
from typing import Any

from django.db.models import Count
from rest_framework import serializers

from accounts.models import User
from judging import flow, monitoring
from judging.acts import Act, Question, deleted
from judging.acts.collections import TypedName
from judging.models import Batch, Payment, Role, Study, Worker
from judging.models.study import MAX_SEED
from judging.payments import decisions
from judging.payments.matching import match_payments
from judging.payments.refusals import MAX_REASON_LENGTH
from judging.studies import team, unit_plans
from judging.studies.access import sees_platform_ids
from judging.studies.analysis_plan import ranking_is_visible
from judging.studies.conduct import batches, closing, exclusion, stages
from judging.studies.conduct.stages import CannotRun
from judging.studies.configuration import changing, cloning, participants, removal
from magnitudes.files.words import count
from web import clock
from web.bounds import field_options
from web.rest.bodies import Body, Decimal

MAX_NAMED = 5000  # payments in one request


class AtVersion(Body):
    """A change by somebody who saw the study in one version."""

    version = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Of the study as you saw it: if it has changed since, nothing is done (409).",
    )


# --- making it ----------------------------------------------------------------------------------
class Renamed(AtVersion):
    """New names."""

    slug = serializers.SlugField(required=False, max_length=50)
    title = serializers.CharField(required=False, max_length=200)


class NewClone(Body):
    """The name of a copy."""

    slug = serializers.SlugField(max_length=50)
    title = serializers.CharField(max_length=200)


class DrawnTopics(AtVersion):
    """How many topics are judged, and by which seed they are drawn."""

    number = serializers.IntegerField(min_value=1, help_text="Of the collection's topics.")
    seed = serializers.IntegerField(
        required=False, min_value=0, max_value=MAX_SEED, help_text="Left out: any."
    )


MAKING = {
    "rename": Act(
        "Give the study another name in addresses, another title, or both.",
        lambda study, by, **names: removal.rename(study.slug, by, **names),
        Renamed,
        lambda study: f"Study {study} has the title {study.title}.",
        Role.OWNER,
    ),
    "clone": Act(
        "Make a draft with the settings, topics, questions and anchors of this study.",
        lambda study, by, slug, title: cloning.clone(study, slug, title, by),
        NewClone,
        "The copy is a draft.",
        Role.VIEWER,
        status=201,
    ),
    "draw-topics": Act(
        "Let a draft cover so many topics of its collection, drawn at random.",
        lambda study, by, **values: changing.draw_topics(study.slug, by=by, **values),
        DrawnTopics,
        lambda study: f"{study.topics.count()} topics are drawn by seed {study.topics_seed}.",
    ),
    "discard-plan": Act(
        "Discard the plan, so that what it was made of can change.",
        lambda study, by: unit_plans.discard_plan(study.slug, by),
        done="The study has no units.",
    ),
    "delete": Act(
        "Delete the study with all that belongs to it, for good.",
        lambda study, by, typed: removal.delete_study(study.slug, by, typed),
        TypedName,
        deleted,
        Role.OWNER,
    ),
}


# --- who takes part, and who works on it --------------------------------------------------------
class Ids(Body):
    """Platforms' ids of people."""

    ids = serializers.ListField(
        child=serializers.CharField(), help_text="As the platform has them, or codes of your own."
    )


class ListedSerializer(serializers.Serializer[Any]):
    """What became of a list."""

    changed = serializers.IntegerField(help_text="Put on the list, or taken off it.")
    participants = serializers.IntegerField(help_text="On the list now.")


class AddedMember(Body):
    """Somebody who has an account, and what they may do."""

    username = serializers.CharField(max_length=150)
    role = serializers.ChoiceField(Role.choices, default=Role.OWNER)
    sees_platform_ids = serializers.BooleanField(default=False)


def _list(change: Callable[..., int]) -> Callable[..., dict[str, int]]:
    def do(study: Study, by: User | None, **ids: Any) -> dict[str, int]:
        changed, counts = change(study, by=by, **ids), participants.counts(study)
        return {"changed": changed, "participants": counts.listed, "come": counts.come}

    return do


def _listed(listed: dict[str, int]) -> str:
    return f"{listed['participants']} on the list, {listed['come']} of them have come."


def _add_member(study: Study, by: User | None, username: str, role: str, **may: bool) -> str:
    user = User.objects.filter(username=username).first()
    if user is None:
        raise team.CannotChange(f"There is no user {username}.")
    team.add(study, user, role, by, **may)
    return f"{user} is {role} of study {study}."


PEOPLE = {
    "add-participants": Act(
        "Put people on the list; those who are on it already stay.",
        _list(participants.add_participants),
        Ids,
        _listed,
        answer=ListedSerializer,
    ),
    "remove-participants": Act(
        "Take people off the list of participants.",
        _list(participants.remove_participants),
        Ids,
        _listed,
        answer=ListedSerializer,
    ),
    "clear-participants": Act(
        "Delete the whole list.", _list(participants.clear_participants), done=_listed
    ),
    "add-member": Act(
        "Give somebody who has an account a role in the study.",
        _add_member,
        AddedMember,
        str,
        Role.OWNER,
    ),
}


# --- while it runs ------------------------------------------------------------------------------
class ForGood(Body):
    """What cannot be undone is said twice."""

    final = serializers.BooleanField(help_text="true: yes, for good.")

    def validate_final(self, final: bool) -> bool:
        if not final:
            raise serializers.ValidationError("expected true: a closed study never opens again")
        return final


class NewPayment(Body):
    """What a unit is paid from now on."""

    payment = Decimal(
        max_digits=8,
        decimal_places=2,
        help_text="More than now, without the fee.",
        **field_options(Study, "payment"),
    )


class Counting(Body):
    """Which judgments count."""

    all_judgments = serializers.BooleanField(
        help_text="true: those of batches beyond the study's redundancy too."
    )


class HeldUnit(Body):
    """A unit that somebody has in progress."""

    unit = serializers.CharField(max_length=300, help_text="Topic and number, as 402-17.")


class CompletionCode(Body):
    """The code of a completed unit."""

    code = serializers.CharField(max_length=100)


class EndedSerializer(serializers.Serializer[Any]):
    """What became of an attempt at a unit."""

    worker = serializers.CharField(source="worker.pseudonym")
    state = serializers.CharField()


class NewBatch(Body):
    """More judges."""

    documents = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(trim_whitespace=False)),
        required=False,
        allow_null=True,
        help_text="Document ids by topic; an empty list for all of a topic. Left out: all topics.",
    )
    redundancy = serializers.IntegerField(
        help_text="More judgments of each document.", **field_options(Batch, "redundancy")
    )
    all_judgments = serializers.BooleanField(
        required=False,
        default=True,
        help_text="All judgments of the study count from now on; false: as before.",
    )
    seed = serializers.IntegerField(required=False, **field_options(Batch, "seed"))


class NumberedBatch(NewBatch):
    """More judges, and the number of the batch; REST has Idempotency-Key in its place."""

    number = serializers.IntegerField(required=False)


class BatchSerializer(serializers.ModelSerializer[Batch]):
    """Units added to a study that runs."""

    documents = serializers.DictField(source="chosen", help_text="As asked for.")
    units = serializers.IntegerField(source="n_units")

    class Meta:
        model = Batch
        fields = ("number", "seed", "redundancy", "documents", "units", "made_at", "after_ranking")


class NewExclusion(Body):
    """Whose scores are left out, and why."""

    worker = serializers.CharField(max_length=200)
    reason = serializers.CharField(max_length=exclusion.MAX_REASON_LENGTH)


class Excluded(Body):
    """Whose scores count again."""

    worker = serializers.CharField(max_length=200)


class ExclusionSerializer(serializers.ModelSerializer[Worker]):
    """A worker whose scores are left out of every computation."""

    worker = serializers.CharField(source="pseudonym")
    reason = serializers.CharField(source="exclusion_reason")

    class Meta:
        model = Worker
        fields = ("worker", "reason", "excluded_at")


def _ask_close(study: Study) -> Question:
    progress = monitoring.progress(study)
    left = progress.units - progress.completed
    rest = f"{count(left, 'unit is', 'units are')} not completed." if left else "All is completed."
    final = "This is final: a closed study does not open again, and takes no batch."
    in_progress = "Nobody new comes in; whoever has begun a unit may finish it."
    return Question("Close the study for good?", (final, in_progress, rest), "Close it for good")


def _ask_release(study: Study, unit: str) -> Question:
    worker = flow.unit_in_progress(study, unit).worker
    lines = (
        f"Worker {worker} is working on it. What they have entered is deleted, and not paid.",
        "The unit is then free for somebody else.",
    )
    return Question(f"Take unit {unit} back?", lines, "Take it back")


def _ask_withdraw(study: Study, code: str) -> Question:
    assignment = flow.unit_of_code(study, code)
    lines = (
        f"It is unit {assignment.unit} of worker {assignment.worker}. Its judgments are deleted "
        "for good, and the unit is free for somebody else.",
        "The pay stays, and the code stays valid.",
    )
    return Question("Delete the judgments of this unit?", lines, "Delete them")


def _worker(study: Study, pseudonym: str) -> Worker:
    worker = study.workers.filter(pseudonym=pseudonym.strip()).first()
    if worker is None:
        raise CannotRun("This study has no such worker.", field="worker")
    return worker


def _add_batch(study: Study, by: User | None, documents: Any = None, **values: Any) -> Batch:
    batch = batches.add_batch(study, documents, by=by, **values)
    return Batch.objects.annotate(n_units=Count("units")).get(pk=batch.pk)


def _ask_batch(
    study: Study, redundancy: int, all_judgments: bool, documents: Any = None, **_: Any
) -> Question:
    size = batches.size_of(study, documents, redundancy)
    cost = size.units * study.payment * (1 + study.platform_fee)
    lines = [f"Each holds both anchors and {study.unit_size - 2} other documents."]
    if cost:
        lines.append(f"They cost {cost:,.2f} {study.currency}, the platform’s fee included.")
    lines.append(
        "A worker judges a topic once, so this takes at least "
        f"{count(size.workers, 'worker who has', 'workers who have')} not judged it."
    )
    lines.append(
        "All judgments count, as soon as they are there."
        if all_judgments or study.all_judgments
        else f"Judgments count up to the redundancy of {study.redundancy}: what goes beyond it is "
        "paid, and not counted."
    )
    if ranking_is_visible(study):
        lines.append(
            "A ranking of the systems is visible: trail, report and release will say that this "
            "batch was ordered after it, with the result at the planned end beside."
        )
    button = "Add it" if size.units == 1 else "Add them"
    return Question(f"Add {count(size.units, 'unit')}?", tuple(lines), button)


def _close(study: Study, by: User | None, **_: Any) -> Study:
    if study.crowd == Study.Crowd.MODEL:
        raise CannotRun(f"A language model judges study {study}: stop its run.")
    return closing.close_study(study.slug, by)


RUNNING = {
    "pause": Act(
        "Let nobody begin a unit for now; whoever has begun one may finish it.",
        stages.pause,
        done="The study is paused.",
    ),
    "resume": Act("Let workers in again.", stages.resume, done="The study goes on."),
    "close": Act(
        "Admit nobody new, for good; whoever is judging may finish until their time is over.",
        _close,
        done="The study is closed.",
        ask=_ask_close,
        rest_body=ForGood,
    ),
    "archive": Act(
        "Archive a closed study: the list of studies leaves it out.",
        stages.archive,
        done="The study is archived: the list of studies leaves it out.",
    ),
    "unarchive": Act(
        "Take an archived study back into the list of studies.",
        stages.unarchive,
        done="The study is in the list of studies again.",
    ),
    "raise-payment": Act(
        "Pay more for units that are begun from now on.",
        lambda study, by, payment: stages.raise_payment(study, payment, by),
        NewPayment,
        lambda s: f"Units that are begun from now on are paid {s.payment} {s.currency}.",
    ),
    "count-judgments": Act(
        "Let rankings and analyses count the judgments of batches, or no longer.",
        lambda study, by, all_judgments: stages.count_all_judgments(study, all_judgments, by),
        Counting,
        "Rankings and analyses follow within seconds.",
    ),
    "release-unit": Act(
        "Take a unit in progress from its worker, and free it for others.",
        lambda study, by, unit: flow.release_unit(study, unit, by, clock.now()),
        HeldUnit,
        lambda released: f"Unit {released.unit} is free.",
        ask=_ask_release,
        answer=EndedSerializer,
    ),
    "withdraw": Act(
        "Delete the judgments of a unit whose worker takes them back.",
        lambda study, by, code: flow.withdraw_unit(study, code, by, clock.now()),
        CompletionCode,
        lambda withdrawn: f"The judgments of unit {withdrawn.unit} are deleted.",
        ask=_ask_withdraw,
        answer=EndedSerializer,
    ),
    "add-batch": Act(
        "Add units by which each chosen document is judged by so many more workers.",
        _add_batch,
        NumberedBatch,
        lambda batch: f"Batch {batch.number} is added: {count(batch.n_units, 'unit')}.",
        ask=_ask_batch,
        answer=BatchSerializer,
        status=201,
        rest_body=NewBatch,
    ),
    "exclude": Act(
        "Let no computation take a worker's scores. Their units stay completed, and are paid.",
        lambda study, by, worker, reason: exclusion.exclude(_worker(study, worker), reason, by),
        NewExclusion,
        lambda worker: f"Worker {worker} is excluded: rankings follow within seconds.",
        answer=ExclusionSerializer,
        status=201,
    ),
    "take-back-exclusion": Act(
        "Let the worker's scores count again.",
        lambda study, by, worker: exclusion.take_back_exclusion(_worker(study, worker), by),
        Excluded,
        lambda worker: f"The scores of worker {worker} count again.",
    ),
}


# --- what people are owed -----------------------------------------------------------------------
class NamedPayments(Body):
    """Which payments."""

    payments = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        required=False,
        max_length=MAX_NAMED,
        help_text="By their ids.",
    )
    names = serializers.CharField(
        required=False,
        help_text="By completion codes, or a platform's list; its ids count for those who may see "
        "them. Rows whose status is neither approved nor paid are passed over.",
    )


class DecidedSerializer(serializers.Serializer[Any]):
    """What was decided."""

    changed = serializers.IntegerField(help_text="Payments that are in another state by it.")
    unchanged = serializers.IntegerField(help_text="Payments that were not in a state for it.")
    unknown = serializers.ListField(
        child=serializers.CharField(), help_text="Names and ids that are of no payment here."
    )


class Refusal(Body):
    """Which payment is refused, and why."""

    payment = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    category = serializers.CharField(max_length=20, help_text="One that the platform permits.")
    reason = serializers.CharField(
        max_length=MAX_REASON_LENGTH, help_text="In words, as many as the platform asks for."
    )


class RefusedSerializer(serializers.ModelSerializer[Payment]):
    """A payment that is refused."""

    state = serializers.CharField()

    class Meta:
        model = Payment
        fields = ("id", "state", "state_at", "category", "reason")


def _decide(text: str, decide: Callable[..., int]) -> Act:
    def do(study: Study, by: User | None, names: str = "", payments: Any = ()) -> dict[str, Any]:
        sees_ids = by is None or sees_platform_ids(by, study)
        named = match_payments(study, names, sees_ids=sees_ids)
        keys = list(dict.fromkeys([*payments, *named.payments]))
        of_study = Payment.objects.of_study(study).filter(pk__in=keys)
        existing = set(of_study.values_list("pk", flat=True))
        if by is None and not existing:
            raise CannotRun(f"This names no payment of study {study}.", field="names")
        changed = decide(study, existing, by)
        unknown = [str(key) for key in keys if key not in existing]
        return {
            "changed": changed,
            "unchanged": len(existing) - changed,
            "unknown": named.unknown + unknown,
        }

    return Act(text, do, NamedPayments, _decided, Role.OWNER, answer=DecidedSerializer)


def _decided(decided: dict[str, Any]) -> str:
    total = decided["changed"] + decided["unchanged"]
    unknown = f" Of no payment: {', '.join(decided['unknown'])}." if decided["unknown"] else ""
    return f"{count(decided['changed'], 'payment')} of {total} changed.{unknown}"


PAYMENTS = {
    "approve-payments": _decide("Approve payments that are owed.", decisions.approve),
    "mark-paid": _decide(
        "Note that the money of payments has gone; what is refused stays refused.",
        decisions.mark_paid,
    ),
    "owe-again": _decide("Take refusals and approvals of payments back.", decisions.owe_again),
    "refuse-payment": Act(
        "Refuse one payment, for a reason that its platform permits; checks and speed are none.",
        lambda study, by, **given: decisions.refuse(study, by=by, **given),
        Refusal,
        "The payment is refused. It can be owed again.",
        Role.OWNER,
        answer=RefusedSerializer,
    ),
}

ACTS = {**MAKING, **PEOPLE, **RUNNING, **PAYMENTS}
