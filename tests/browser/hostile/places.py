"""A site of its own in which every text that anybody may write is hostile, for its staff to read.

Called by tests/browser/backstage.py, upon an empty database.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

from tests.browser.hostile.words import hostile_id, hostile_text, hostile_word

# Texts that are no one's to write, or that other tables name: made by rules, chosen from a list,
# computed, sealed, or signed.
MADE_HERE = {
    *("User.password", "Token.digest", "Token.token_key", "Invitation.digest", "User.email"),
    *("Collection.slug", "Study.slug", "Study.currency", "Study.text_language", "Topic.language"),
    *("Study.labels", "StudyTopic.options", "StudyTopic.answer", "StudyTopic.pool"),
    *("Document.language", "Document.cleaned", "LabelSet.digest", "LabelSet.name", "Lease.name"),
    *("Study.completion_address", "Study.main_aspect"),
    *("Worker.consent_version", "Worker.resume_code", "PlatformAccount.external_id"),
    *("PlatformAccount.platform", "PlatformAccount.external_id_hash", "PlatformAccount.ids"),
    *("Participant.external_id", "Participant.external_id_hash", "Assignment.token", "Tick.name"),
    *("Assignment.completion_code", "Assignment.texts_version", "Judgment.score_text"),
    *("Payment.currency", "Payment.category", "RecordEntry.details", "Ranking.measure"),
    *(
        "Evaluation.normalisation",
        "Evaluation.aggregation",
        "Evaluation.code_version",
        "CachedAnalysis.name",
    ),
    *("CachedAnalysis.label_set", "CachedAnalysis.asked", "CachedAnalysis.version"),
    *("CachedAnalysis.finding", "WrittenReport.label_set", "WrittenReport.version"),
    *("Verdict.label_set", "AlertSettings.secret", "AlertSettings.feed_digest"),
    *("Forecast.version", "ProlificConnection.token", "ProlificConnection.secret"),
    *(
        "ProlificStudy.currency",
        "ProlificSubmission.submission_id",
        "ProlificSubmission.submission_id_hash",
    ),
    *("ProlificBonus.bulk_id", "ImportJob.collection", "Upload.encoding", "EmailAddress.email"),
    *("EmailConfirmation.key", "Permission.name", "Permission.codename", "Session.session_key"),
    *("ContentType.app_label", "ContentType.model", "Session.session_data", "LogEntry.object_id"),
    *("RequestCount.asker", "StoredResponse.key_digest", "StoredResponse.request_digest"),
}
IDS = {"query_id", "doc_id", "h_k", "n_k", "tag"}  # named by several tables: see `rename`


def make(url: str) -> None:
    """A busy study, a rehearsal, files that failed, and whatever people write beside."""
    from django.core.management import call_command
    from django.utils import timezone

    from evaluation.analyses import of_study
    from evaluation.cache import stored
    from evaluation.pipeline import evaluate
    from judging.models import Study
    from judging.studies.rehearsal import rehearse
    from tests.factory import completed

    call_command("migrate", interactive=False, verbosity=0)
    plain, plain_runs = completed.make_study, completed.random_runs
    completed.make_study = lambda **settings: rename(plain(**settings), url)
    completed.random_runs = lambda *given: {
        hostile_id(2001, url) + tag: lists for tag, lists in plain_runs(*given).items()
    }
    study = completed.busy_study(payment="0.20", platform="prolific", completion_code="C1LAMPS")
    completed.make_study, completed.random_runs = plain, plain_runs
    rehearse(study, None, slug="rehearsed", units=1)
    Study.objects.filter(pk=study.pk).update(slug="hostile")
    study.refresh_from_db()
    write_beside(study)
    fill(url)
    evaluate(study)
    stored.get_or_request(study, of_study(study), study.labels, timezone.now())
    stored.bring_up_to_date()


def rename(study: Any, url: str) -> Any:
    """Give topics and documents hostile names, before anything refers to them."""
    from django.db.models import F, Value
    from django.db.models.functions import Concat

    from judging.models import Document, Label, PooledDocument, StudyTopic, Topic

    prefix = hostile_id(2000, url)
    Topic.objects.update(query_id=Concat(Value(prefix), F("query_id")))
    for model in (Document, Label, PooledDocument):
        model.objects.update(doc_id=Concat(Value(prefix), F("doc_id")))  # type: ignore[attr-defined]
    for topic in StudyTopic.objects.all():
        topic.h_k, topic.n_k = prefix + topic.h_k, prefix + topic.n_k
        topic.pool = [prefix + doc_id for doc_id in topic.pool]
        topic.save()
    return study


def write_beside(study: Any) -> None:
    """What the small study has not: notes, comments, decisions, invitations, failures, alerts."""
    from django.contrib.admin.models import CHANGE, LogEntry
    from django.contrib.auth import get_user_model
    from django.contrib.contenttypes.models import ContentType

    from evaluation.models import Verdict
    from judging.models import (
        Assignment,
        Comment,
        DocumentNote,
        Invitation,
        Membership,
        Payment,
        PooledDocument,
        Study,
        Worker,
    )
    from tests.browser.studies import PASSWORD, RESEARCHER
    from web import clock
    from workspace.models import Alert, ImportJob, Upload

    now = clock.now()
    users = get_user_model().objects
    rosa = users.create_user(
        RESEARCHER, "rosa@example.org", PASSWORD, is_superuser=True, is_staff=True
    )
    friend = users.create_user("friend", "friend@example.org", first_name="x", last_name="x")
    Membership.objects.create(study=study, user=friend, role=_role())
    assignment = Assignment.objects.filter(study=study, state="completed").first()
    assert assignment
    pooled = PooledDocument.objects.filter(study_topic=assignment.study_topic).first()
    assert pooled
    DocumentNote.objects.create(
        assignment=assignment, position=1, document=pooled, kind="other", text="x", at=now
    )
    Verdict.objects.create(
        document=pooled, label_set="reference", finding="crowd", note="x", by=rosa, at=now
    )
    Worker.objects.filter(study=study, pseudonym="carl").update(
        exclusion_reason="x", excluded_at=now
    )
    rehearsed = Study.objects.get(slug="rehearsed")
    trier = Worker.objects.create(study=rehearsed, pseudonym="trier")
    Comment.objects.create(worker=trier, text="x", at=now)
    payments = Payment.objects.filter(assignment__study=study).order_by("pk")
    Payment.objects.filter(pk=payments[0].pk).update(
        state="refused", reason="x", category="LOW_EFFORT"
    )
    Payment.objects.filter(pk=payments[1].pk).update(question="x")
    Invitation.objects.create(
        digest="0" * 64,
        study=study,
        role=_role(),
        note="x",
        made_by=rosa,
        made_at=now,
        expires_at=now + timedelta(days=3),
    )
    Alert.objects.create(study=study, light="Flow", sentence="x", opened_at=now)
    ImportJob.objects.create(
        owner=rosa,
        collection=study.collection.slug,
        into=study.collection,
        state="failed",
        fault="x",
        fault_file="x",
        fault_line=3,
        reading="x",
        files=[{"upload": str(uuid4()), "name": "x", "size": 3, "kind": "runs"}],
        asked_at=now,
        begun_at=now,
        ended_at=now,
    )
    Upload.objects.create(owner=rosa, name="x", size=3, kind="runs", begun_at=now, touched_at=now)
    LogEntry.objects.create(
        user=rosa,
        content_type=ContentType.objects.get_for_model(Study),
        object_id=str(study.pk),
        object_repr="x",
        action_flag=CHANGE,
        change_message="x",
    )


def _role() -> str:
    from judging.models import Role

    return str(Role.values[-1])


def fill(url: str) -> None:
    """Write something hostile wherever a text stands, each column under a number of its own."""
    numbers = iter(range(3000, 9000))
    for model, field in columns():
        name = f"{model.__name__}.{field.name}"
        if name in MADE_HERE or field.name in IDS:
            continue
        number, longest = next(numbers), field.max_length or 2000
        rows = model._default_manager.exclude(**{field.name: ""})
        rows = rows.exclude(**{f"{field.name}__isnull": True})
        if model.__name__ == "User" and field.name == "username":
            rows = rows.exclude(is_superuser=True)  # who logs in
        if field.unique or name == "Worker.pseudonym":
            for row in rows:
                text = hostile_word(number, url, longest - 8) + str(row.pk)
                model._default_manager.filter(pk=row.pk).update(**{field.name: text})
        else:
            whole = hostile_text(number, url) if longest >= 2000 else ""
            rows.update(**{field.name: whole or hostile_word(number, url, longest)})


def columns() -> Iterator[tuple[Any, Any]]:
    from django.apps import apps
    from django.db import models

    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.CharField | models.TextField) and not field.choices:
                yield model, field
