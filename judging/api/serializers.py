from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from judging.models import Assignment, CheckFailure, Collection, Study


class CollectionSerializer(serializers.ModelSerializer[Collection]):
    """A test collection and how much is in it."""

    topics = serializers.IntegerField(source="topic_count", read_only=True)
    documents = serializers.IntegerField(source="document_count", read_only=True)
    runs = serializers.SlugRelatedField[Any](slug_field="tag", many=True, read_only=True)
    label_sets = serializers.SlugRelatedField[Any](slug_field="name", many=True, read_only=True)

    class Meta:
        model = Collection
        fields = ("slug", "topics", "documents", "runs", "label_sets", "created_at")


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study and its settings."""

    collection = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    rehearsal_of = serializers.SlugRelatedField[Any](
        slug_field="slug",
        read_only=True,
        allow_null=True,
        help_text="The study that this one rehearses.",
    )
    about = serializers.SlugRelatedField[Any](
        slug_field="slug",
        read_only=True,
        allow_null=True,
        help_text="The study of people whose documents a language model judges in this one.",
    )

    class Meta:
        model = Study
        exclude = ("id", "excluded_studies", "pilot")  # which not everybody may see


class CourseSerializer(serializers.Serializer[Any]):
    """How far the judging of a study has come."""

    stage = serializers.CharField()
    units = serializers.IntegerField(help_text="Planned.")
    completed = serializers.IntegerField()
    live = serializers.IntegerField(help_text="In the hands of workers.")
    free = serializers.IntegerField()
    judgments = serializers.IntegerField(help_text="Of completed units.")
    workers = serializers.IntegerField(help_text="With a completed unit.")


class StudyRowSerializer(StudySerializer):
    """A study of a list, with how far it has come."""

    progress = serializers.SerializerMethodField()

    @extend_schema_field(CourseSerializer)
    def get_progress(self, study: Study) -> dict[str, Any]:
        return dict(CourseSerializer(self.context["progress"][study.pk]).data)


class ProgressSerializer(CourseSerializer):
    """How far a study has come."""

    evaluated_units = serializers.IntegerField(help_text="In the published ranking.")


class UnitSerializer(serializers.ModelSerializer[Assignment]):
    """One attempt at one unit, whatever became of it."""

    unit = serializers.CharField(source="unit_name")
    worker = serializers.CharField(source="worker.pseudonym")
    query_id = serializers.CharField(source="study_topic.topic.query_id")
    simulated = serializers.BooleanField(source="worker.simulated")

    class Meta:
        model = Assignment
        fields = (
            *("unit", "worker", "query_id", "state", "started_at", "active_at", "finished_at"),
            *("furthest", "back_steps", "revise_steps", "failed_finishes", "seconds", "simulated"),
        )


class FailureSerializer(serializers.ModelSerializer[CheckFailure]):
    """One failed check."""

    check = serializers.CharField(source="check_name")
    unit = serializers.CharField(source="unit_name")
    worker = serializers.CharField(source="assignment.worker.pseudonym")
    query_id = serializers.CharField(source="assignment.study_topic.topic.query_id")
    simulated = serializers.BooleanField(source="assignment.worker.simulated")

    class Meta:
        model = CheckFailure
        fields = ("check", "at", "query_id", "unit", "worker", "attempt", "simulated")


class CompletionSerializer(serializers.ModelSerializer[Assignment]):
    """One completed unit to be paid, with what a participant platform calls its worker."""

    code = serializers.CharField(source="completion_code")
    worker = serializers.CharField(source="worker.pseudonym")
    # Null: no platform has sent this worker.
    platform = serializers.CharField(source="worker.account.platform", allow_null=True)
    external_id = serializers.CharField(source="worker.account.external_id", allow_null=True)
    platform_ids = serializers.DictField(
        source="worker.account.ids", allow_null=True, child=serializers.CharField()
    )
    unit = serializers.CharField(source="unit_name")
    completed_at = serializers.DateTimeField(source="finished_at")
    amount = serializers.DecimalField(source="payment", max_digits=8, decimal_places=2)
    currency = serializers.CharField(source="study.currency")

    class Meta:
        model = Assignment
        fields = (
            *("code", "worker", "platform", "external_id", "platform_ids", "unit"),
            *("completed_at", "amount", "currency"),
        )
