"""A run that somebody drops on a study is ranked at once, and imported only on request."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from accounts.models import User
from evaluation import pipeline
from evaluation.api.serializers import RankingSerializer
from evaluation.api.views import GAINS
from evaluation.publishing.dropped_run import rank_with
from evaluation.results import CannotRank
from judging.api.verbs import Verb
from judging.models import Role, Study
from magnitudes.files.errors import BadFile
from web.rest.bodies import Body
from workspace.api.imports import OF_UPLOAD, translate_import_errors
from workspace.running.dropped_runs import import_run, read_uploaded


class NewRun(Body):
    """A run that was uploaded, and what it is ranked by."""

    upload = serializers.UUIDField(help_text=OF_UPLOAD)
    measure = serializers.CharField(
        required=False,
        max_length=200,
        help_text="The first by which the study's systems are ranked if left out.",
    )
    gains = serializers.CharField(required=False, max_length=200, help_text=GAINS)
    keep = serializers.BooleanField(
        required=False,
        help_text="Import it into the study's collection too, which its owner may. If not, it is "
        "still an upload, which can be ranked by another measure, and is forgotten after a while.",
    )


@extend_schema_serializer(component_name="RankedRun")
class RankedRunSerializer(serializers.Serializer[Any]):
    """A ranking in which the run takes part; nothing of it is stored."""

    name = serializers.CharField(help_text="Of the run in the ranking.")
    missing_topics = serializers.IntegerField(help_text="Judged ones that it has no list for.")
    other_topics = serializers.ListField(
        child=serializers.CharField(), help_text="Those of the run on which nothing is judged."
    )
    ranking = RankingSerializer()
    kept_by = serializers.IntegerField(
        allow_null=True, help_text="The number of the import that keeps it."
    )


class DroppedRun(Verb):
    """Rank a run of one's own among the systems of a study."""

    role = Role.VIEWER
    request_serializer = NewRun
    response_serializer = RankedRunSerializer

    def perform(self, study: Study, by: User, **data: Any) -> dict[str, Any]:
        upload: UUID = data["upload"]
        measure = data.get("measure", pipeline.first_measure(study))
        try:
            with translate_import_errors():
                run = read_uploaded(by, upload)
            dropped = rank_with(study, run, measure, data.get("gains"))
        except BadFile as fault:
            raise ValidationError({"upload": [f"{fault}."]}) from fault
        except CannotRank as fault:
            field = "upload" if fault.option == "run" else fault.option
            raise ValidationError({field: [str(fault)]}) from fault
        kept_by = None
        if data.get("keep"):
            with translate_import_errors(field="keep"):
                kept_by = import_run(by, study, upload).pk
        return {**vars(dropped), "kept_by": kept_by}
