"""What the API says about gains and rankings."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evaluation.publishing.exports import QREL
from evaluation.publishing.judgment_rows import CROWDKIT, JUDGMENT, MAGNITUDE, OPINION, Column


@extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "string"}]})
class IterationField(serializers.Field):
    """What stands in a qrels file's second column."""


class TopicValueSerializer(serializers.Serializer[Any]):
    """A system's value on one topic."""

    query_id = serializers.CharField()
    value = serializers.FloatField()


class SystemSerializer(serializers.Serializer[Any]):
    """One system in a ranking."""

    rank = serializers.IntegerField(help_text="Ties share the smallest.")
    run = serializers.CharField()
    mean = serializers.FloatField(help_text="Over the topics with a completed unit.")
    low = serializers.FloatField(allow_null=True, help_text="95% t interval over topics.")
    high = serializers.FloatField(allow_null=True)
    judged = serializers.FloatField(allow_null=True, help_text="Mean share judged at the cutoff.")
    missing_topics = serializers.IntegerField(help_text="Without a list; they count as 0.")
    topics = TopicValueSerializer(many=True)


class SourceSerializer(serializers.Serializer[Any]):
    """What a ranking was computed from."""

    evaluation = serializers.IntegerField(help_text="The number of its publication.")
    units = serializers.IntegerField()
    judgments = serializers.IntegerField()
    revisions = serializers.DictField(
        child=serializers.IntegerField(), help_text="The data's revision of each topic."
    )
    normalisation = serializers.CharField()
    aggregation = serializers.CharField()
    code_version = serializers.CharField()
    computed_at = serializers.DateTimeField()


class RankingSerializer(serializers.Serializer[Any]):
    """The systems by the mean of one measure."""

    study = serializers.CharField()
    crowd = serializers.CharField(
        help_text="Who judged: people, simulated, demo, imported or model."
    )
    measure = serializers.CharField()
    gains = serializers.CharField(help_text="What a document is worth.")
    topics = serializers.IntegerField(help_text="With a completed unit.")
    interim = serializers.CharField(
        help_text="Interim, and how many units of the plan are done; empty from its end on."
    )
    source = SourceSerializer(allow_null=True)  # type: ignore[assignment]
    results = SystemSerializer(many=True)


class ListedAnalysisSerializer(serializers.Serializer[Any]):
    """An analysis that can be asked for."""

    name = serializers.CharField()
    section = serializers.CharField()
    asks = serializers.CharField(help_text="The question that it answers.")
    computed_at = serializers.DateTimeField(allow_null=True)
    url = serializers.URLField()


class PartSerializer(serializers.Serializer[Any]):
    """A figure or a table, with its data."""

    kind = serializers.ChoiceField(["figure", "table"])
    name = serializers.CharField()
    says = serializers.CharField()
    source = serializers.CharField(help_text="Where the paper has the like.")  # type: ignore[assignment]
    n = serializers.IntegerField(help_text="How many rows there are.")
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(), help_text="null: not defined.")
    caption = serializers.CharField(help_text="One line below a figure or table.")
    reading = serializers.CharField(help_text="How to read a figure, and what to look for.")
    notes = serializers.ListField(child=serializers.CharField())


class AnalysisSerializer(serializers.Serializer[Any]):
    """What an analysis says."""

    name = serializers.CharField()
    asks = serializers.CharField()
    current = serializers.BooleanField(help_text="Of the data as they are now.")
    waits = serializers.BooleanField(help_text="Is to be computed, or computed anew.")
    progress = serializers.FloatField()
    fault = serializers.CharField(help_text="Why it could not be computed.")
    asked = serializers.DictField(help_text="Measure, gains and reader, if others than usual.")
    computed_at = serializers.DateTimeField(allow_null=True)
    says = serializers.ListField(child=serializers.CharField())
    parts = PartSerializer(many=True)
    numbers = serializers.DictField()
    units = serializers.IntegerField(allow_null=True)
    judgments = serializers.IntegerField(allow_null=True)
    label_set = serializers.CharField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    crowd = serializers.CharField(allow_null=True)
    code_version = serializers.CharField(allow_null=True)


FIELDS: dict[type, type[serializers.Field[Any, Any, Any, Any]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    datetime: serializers.DateTimeField,
}


def of_columns(
    name: str, says: str, columns: Iterable[Column], **fields: serializers.Field[Any, Any, Any, Any]
) -> type[serializers.Serializer[Any]]:
    """The serializer of a table's rows; `fields` take the place of those that fit their kind."""
    made = {
        column.name: FIELDS[column.kind](allow_null=column.nullable, help_text=column.help or None)
        for column in columns
    }
    return type(name, (serializers.Serializer,), {"__doc__": says, **made, **fields})


QrelSerializer = of_columns("Qrel", "One gain.", QREL, iteration=IterationField())
CrowdKitSerializer = of_columns("CrowdKit", "One score, as crowd-kit reads it.", CROWDKIT)
JudgmentSerializer = of_columns("Judgment", "One judgment of a completed unit.", JUDGMENT)
OpinionSerializer = of_columns("Opinion", "One label that somebody gave elsewhere.", OPINION)
MagnitudeSerializer = of_columns(
    "Magnitude", "One magnitude that somebody gave elsewhere.", MAGNITUDE
)
