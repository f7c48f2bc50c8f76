"""A rehearsal: a small study of its own, in which a few people try another one out.

It has the settings, topics, questions and anchors of its study, few units, and pays nothing. Its
data stay apart, and it can be deleted whenever it has served.
"""

import random
import secrets
from collections.abc import Sequence

from django.db import transaction

from accounts.models import User
from judging.models import PooledDocument, Study, StudyTopic, Worker
from judging.settings import SETTINGS
from judging.studies import trail
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.cloning import config_of
from judging.studies.configuration.settings import create_study
from judging.studies.faults import BadStudy, Fault
from judging.studies.unit_plans import CannotPlan, plan

UNITS = 2  # for each topic by default
MAX_UNITS = 20
# What a rehearsal does not take over: who pays, who comes, how many judge a document.
NOT_COPIED = {"excluded_studies", *(each.name for each in SETTINGS if each.copied != "always")}


class CannotRehearse(BadStudy):
    """The study cannot be rehearsed so; each line of the message names one thing."""


@transaction.atomic
def rehearse(
    study: Study,
    by: User | None,
    *,
    slug: str = "",
    topics: Sequence[str] = (),
    units: int = UNITS,
) -> Study:
    """Make a rehearsal of a study, with its team, and open it to whoever has its link.

    It passes the same checks as the study will. slug: by default the study's name and random
    letters; topics: by number, by default all; units: for each topic, fewer where its pool does not
    fill them.

    Raises CannotRehearse with everything that is missing or wrong; nothing is made then.
    """
    # Not locked: workers of the study come and go meanwhile.
    study.refresh_from_db()
    _check(study, topics, units)
    slug = slug or f"{study.slug[:43]}-{secrets.token_hex(3)}"
    try:
        rehearsal = create_study(slug, study.collection.slug, _config(study, topics), by=by)
        rehearsal.rehearsal_of, rehearsal.crowd = study, Study.Crowd.PEOPLE
        rehearsal.save(update_fields=["rehearsal_of", "crowd"])
        rehearsal.memberships.all().delete()  # its team is the study's
        _plan(rehearsal, units, by)
        rehearsal = open_study(slug, by)
    except BadStudy as fault:
        raise CannotRehearse(*fault.faults) from fault
    except CannotPlan as fault:
        raise CannotRehearse(*str(fault).splitlines()) from fault
    trail.record(study, by, "made a rehearsal", rehearsal=slug, topics=list(topics), units=units)
    return rehearsal


def _check(study: Study, topics: Sequence[str], units: int) -> None:
    if not study.takes_people:
        raise CannotRehearse(f"Study {study} takes no people: there is nothing to rehearse.")
    if study.rehearsal_of_id:
        raise CannotRehearse(f"Study {study} is a rehearsal itself.")
    if not 1 <= units <= MAX_UNITS:
        expected = f"{units}; expected 1 to {MAX_UNITS} for each topic."
        raise CannotRehearse(Fault(("units",), expected))
    query_ids = set(study.topics.values_list("topic__query_id", flat=True))
    unknown = [f"{name} is not of study {study}." for name in sorted(set(topics) - query_ids)]
    if unknown:
        raise CannotRehearse(*(Fault(("topics",), what) for what in unknown))


def _config(study: Study, topics: Sequence[str]) -> dict[str, object]:
    config = config_of(study, None)
    tables = config.pop("topics")
    settings = {name: value for name, value in config.items() if name not in NOT_COPIED}
    chosen = {name: table for name, table in tables.items() if not topics or name in topics}
    title = f"Rehearsal: {study.title}"[: Study._meta.get_field("title").max_length]
    tries = {"question_tries": study.tries_at_question} if study.platform else {}
    return {**settings, **tries, "title": title, "payment": 0, "redundancy": 1, "topics": chosen}


def _plan(rehearsal: Study, units: int, by: User | None) -> None:
    """Of each topic's pool no more documents than a few units hold."""
    seed = plan(rehearsal, by=by).seed
    rows = list(rehearsal.topics.all())
    for row in rows:
        row.pool = _sample(row, units * (rehearsal.unit_size - 2), seed)
        row.anchors_unread = False  # they stay when the smaller pool is planned
    StudyTopic.objects.bulk_update(rows, ["pool", "anchors_unread"])
    plan(rehearsal, seed=seed, by=by)


def _sample(topic: StudyTopic, count: int, seed: int) -> list[str]:
    """The anchors of a topic and some others of its pool, those with a text first."""
    others = topic.documents.filter(role=PooledDocument.Role.OTHER).order_by("doc_id")
    rows = list(others.values_list("doc_id", "document"))
    random.Random(f"{seed} {topic.topic_id}").shuffle(rows)  # noqa: S311 - recorded, no secret
    rows.sort(key=lambda row: row[1] is None)
    return [topic.h_k, topic.n_k, *(doc_id for doc_id, _ in rows[:count])]


@transaction.atomic
def delete_rehearsal(rehearsal: Study, by: User | None) -> None:
    """Its study's trail says so. Raises CannotRehearse if the study is no rehearsal."""
    rehearsal = Study.objects.locked().select_related("rehearsal_of").get(pk=rehearsal.pk)
    study = rehearsal.rehearsal_of
    if study is None:
        raise CannotRehearse(f"Study {rehearsal} is no rehearsal.")
    workers = Worker.objects.filter(study=rehearsal).count()
    trail.record(study, by, "deleted a rehearsal", rehearsal=rehearsal.slug, workers=workers)
    rehearsal.delete()
