"""Running a study: pause, close, more judges, whose scores count; and the trail of it all."""

from typing import Any

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import idempotent
from accounts.models import User, logged_in
from judging import flow
from judging.api.verbs import Verb, translate_errors
from judging.api.views import PagedListView
from judging.models import Batch, Role, Study, TrailEntry, Worker
from judging.studies.access import study_for
from judging.studies.underway import batches, exclusion, opening, running
from web import clock
from web.bodies import Body, Decimal, checked
from web.bounds import field_options
from web.parameters import WithParameters


class Pause(Verb):
    """Let nobody begin a unit for now; whoever has one in hand may finish it."""

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        return running.pause(study, by)


class Resume(Verb):
    """Let workers in again."""

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        return running.resume(study, by)


class ForGood(Body):
    """What cannot be undone is said twice."""

    final = serializers.BooleanField(help_text="true: yes, for good.")

    def validate_final(self, final: bool) -> bool:
        if not final:
            raise serializers.ValidationError("expected true: a closed study never opens again")
        return final


class Close(Verb):
    """Admit nobody new, for good; whoever is judging may finish until their time is over."""

    request_serializer = ForGood

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        return opening.close_study(study.slug, by)


class Archive(Verb):
    """Put a closed study away."""

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        return running.archive(study, by)


class Unarchive(Verb):
    """Take a study out of the archive."""

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        return running.unarchive(study, by)


class NewPayment(Body):
    """What a unit is paid from now on."""

    payment = Decimal(
        max_digits=8,
        decimal_places=2,
        help_text="More than now, without the fee.",
        **field_options(Study, "payment"),
    )


class RaisePayment(Verb):
    """Pay more for units that are begun from now on."""

    request_serializer = NewPayment

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        return running.raise_payment(study, data["payment"], by)


class Counting(Body):
    """Which judgments count."""

    all_judgments = serializers.BooleanField(
        help_text="true: those of batches beyond the study's redundancy too."
    )


class CountJudgments(Verb):
    """Let rankings and analyses count the judgments of batches, or no longer."""

    request_serializer = Counting

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        return running.count_all_judgments(study, data["all_judgments"], by)


class HeldUnit(Body):
    """A unit that somebody has in hand."""

    unit = serializers.CharField(max_length=300, help_text="Topic and number, as 402-17.")


class EndedSerializer(serializers.Serializer[Any]):
    """What became of an attempt at a unit."""

    worker = serializers.CharField(source="worker.pseudonym")
    state = serializers.CharField()


class ReleaseUnit(Verb):
    """Take a unit from the worker who has it in hand, and free it for others."""

    request_serializer = HeldUnit
    response_serializer = EndedSerializer

    def perform(self, study: Study, by: User, **data: Any) -> Any:
        return flow.release_unit(study, data["unit"], by, clock.now())


class CompletionCode(Body):
    """The code of a completed unit."""

    code = serializers.CharField(max_length=100)


class Withdraw(Verb):
    """Delete the judgments of a unit whose worker takes them back."""

    request_serializer = CompletionCode
    response_serializer = EndedSerializer

    def perform(self, study: Study, by: User, **data: Any) -> Any:
        return flow.withdraw_unit(study, data["code"], by, clock.now())


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


class BatchSerializer(serializers.ModelSerializer[Batch]):
    """Units added to a study that runs."""

    documents = serializers.DictField(source="chosen", help_text="As asked for.")
    units = serializers.IntegerField(source="n_units")

    class Meta:
        model = Batch
        fields = ("number", "seed", "redundancy", "documents", "units", "made_at", "after_ranking")


class Batches(PagedListView):
    """The batches of a study."""

    serializer_class = BatchSerializer

    def get_queryset(self) -> QuerySet[Batch]:
        study = study_for(self.request.user, self.kwargs["slug"])
        return study.batches.annotate(n_units=Count("units"))

    @extend_schema(request=NewBatch, responses={201: BatchSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Add units by which each chosen document is judged by so many more workers."""
        study = study_for(request.user, slug, Role.EDITOR)
        data = checked(NewBatch, request)
        documents = data.pop("documents", None)
        with translate_errors():
            batch = batches.add_batch(study, documents, by=logged_in(request), **data)
        created = Batch.objects.annotate(n_units=Count("units")).get(pk=batch.pk)
        return Response(BatchSerializer(created).data, 201)


class NewExclusion(Body):
    """Whose scores are left out, and why."""

    worker = serializers.CharField(max_length=200)
    reason = serializers.CharField(max_length=exclusion.MAX_REASON_LENGTH)


class ExclusionSerializer(serializers.ModelSerializer[Worker]):
    """A worker whose scores are left out of every computation."""

    worker = serializers.CharField(source="pseudonym")
    reason = serializers.CharField(source="exclusion_reason")

    class Meta:
        model = Worker
        fields = ("worker", "reason", "excluded_at")


class Exclusions(PagedListView):
    """Workers whose scores are left out."""

    serializer_class = ExclusionSerializer

    def get_queryset(self) -> QuerySet[Worker]:
        study = study_for(self.request.user, self.kwargs["slug"])
        return study.workers.filter(excluded_at__isnull=False)

    @extend_schema(request=NewExclusion, responses={201: ExclusionSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Let no computation take a worker's scores. Their units stay completed, and are paid."""
        study = study_for(request.user, slug, Role.EDITOR)
        data = checked(NewExclusion, request)
        worker = study.workers.filter(pseudonym=data["worker"]).first()
        if worker is None:
            raise serializers.ValidationError({"worker": ["this study has no such worker"]})
        with translate_errors():
            worker = exclusion.exclude(worker, data["reason"], logged_in(request))
        return Response(ExclusionSerializer(worker).data, 201)


class Exclusion(WithParameters):
    """The exclusion of one worker."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pseudonym: str) -> Response:
        """Let the worker's scores count again."""
        study = study_for(request.user, slug, Role.EDITOR)
        worker = get_object_or_404(study.workers, pseudonym=pseudonym)
        with translate_errors():
            exclusion.take_back_exclusion(worker, logged_in(request))
        return Response(status=204)


class TrailSerializer(serializers.ModelSerializer[TrailEntry]):
    """One change."""

    by = serializers.SlugRelatedField[Any](
        slug_field="username",
        read_only=True,
        allow_null=True,
        help_text="null: a command, or a worker.",
    )
    details = serializers.DictField(help_text="What it was done to, and how.")

    class Meta:
        model = TrailEntry
        fields = ("at", "by", "action", "details")


class Trail(PagedListView):
    """Who changed what and when, oldest first; for owners."""

    serializer_class = TrailSerializer

    def get_queryset(self) -> QuerySet[TrailEntry]:
        study = study_for(self.request.user, self.kwargs["slug"], Role.OWNER)
        return study.trail.select_related("by")
