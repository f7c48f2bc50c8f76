"""Verdicts on documents on which crowd and labels differ."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from evaluation.api.views import label_set_given
from evaluation.models import Verdict
from evaluation.publishing.verdicts import give_verdict, judged_document
from judging.api.verbs import Verb
from judging.api.views import StudyListView
from judging.models import Study
from web import clock
from web.rest.bodies import Body


class VerdictSerializer(serializers.ModelSerializer[Verdict]):
    """What somebody found of a document."""

    query_id = serializers.CharField(source="document.study_topic.topic.query_id")
    doc_id = serializers.CharField(source="document.doc_id")
    labels = serializers.CharField(source="label_set", help_text="That the crowd differs from.")
    by = serializers.CharField(source="by.username", allow_null=True, default=None)

    class Meta:
        model = Verdict
        fields = ("query_id", "doc_id", "labels", "finding", "note", "by", "at")


class NewVerdict(Body):
    """A verdict on a judged document."""

    query_id = serializers.CharField(trim_whitespace=False)
    doc_id = serializers.CharField(trim_whitespace=False)
    labels = serializers.CharField(
        default="", help_text="The name of the labels; those that pages compare with, if left out."
    )
    finding = serializers.ChoiceField(Verdict.Finding.choices)
    note = serializers.CharField(default="", allow_blank=True)


class Verdicts(Verb, StudyListView):
    """Say of a document whether labels or crowd are wrong; an earlier verdict goes."""

    serializer_class = VerdictSerializer
    request_serializer = NewVerdict
    response_serializer = VerdictSerializer
    status = 201

    def get_queryset(self) -> QuerySet[Verdict]:
        verdicts = Verdict.objects.filter(document__study_topic__study=self.study())
        return verdicts.select_related("by", "document__study_topic__topic")

    @extend_schema(responses=VerdictSerializer(many=True))
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The verdicts of a study's team."""
        return super().get(request, *args, **kwargs)

    def perform(self, study: Study, by: User, **verdict: Any) -> Verdict:
        query_id, doc_id = verdict["query_id"], verdict["doc_id"]
        label_set = label_set_given(study, verdict["labels"], ValidationError)
        document = judged_document(study, query_id, doc_id)
        if document is None:
            problem = f"{doc_id} is not judged for topic {query_id} in this study"
            raise ValidationError({"doc_id": [problem]})
        return give_verdict(
            document, label_set, verdict["finding"], verdict["note"], by, clock.now()
        )
