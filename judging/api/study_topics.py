from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.acts.studies import AtVersion
from judging.api.verbs import change_study
from judging.models import Role, StudyTopic
from judging.studies.access import study_for, topic_of
from judging.studies.configuration import changing
from judging.studies.configuration.topic_settings import settings_of
from web.rest.bodies import Body
from web.rest.parameters import WithParameters


class TopicSerializer(serializers.Serializer[Any]):
    """What is set up for a topic."""

    query_id = serializers.CharField()
    title = serializers.CharField()
    h_k = serializers.CharField(help_text="The highly relevant anchor; empty: to be drawn.")
    n_k = serializers.CharField(help_text="The irrelevant anchor.")
    anchors_drawn = serializers.BooleanField(help_text="By a plan, not by hand.")
    anchors_unread = serializers.BooleanField(
        help_text="Drawn or proposed; whoever sends h_k and n_k has read them."
    )
    anchors_reason = serializers.CharField(
        help_text="Why they are right although labels contradict them."
    )
    question = serializers.CharField()
    options = serializers.ListField(child=serializers.CharField())
    answer = serializers.CharField(help_text="The text of the right option.")
    answer_sentence = serializers.CharField(
        help_text="The sentence of the topic that answers the question; shown after a wrong answer."
    )
    documents = serializers.ListField(
        child=serializers.CharField(), help_text="The pool, where it is listed by hand."
    )


def topic_data(topic: StudyTopic) -> dict[str, Any]:
    """As `TopicSerializer` takes it."""
    about = {"query_id": topic.topic.query_id, "title": topic.topic.title}
    origin = {"anchors_drawn": topic.anchors_drawn, "anchors_unread": topic.anchors_unread}
    return about | origin | settings_of(topic)


class TopicSettings(Body):
    """What is to be set for a topic; what is left out stays."""

    h_k = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    n_k = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    anchors_reason = serializers.CharField(required=False, allow_blank=True)
    question = serializers.CharField(required=False, allow_blank=True)
    options = serializers.ListField(
        required=False, child=serializers.CharField(), help_text="Four different ones, or none."
    )
    answer = serializers.CharField(required=False, allow_blank=True)
    answer_sentence = serializers.CharField(required=False, allow_blank=True)
    documents = serializers.ListField(
        required=False, child=serializers.CharField(trim_whitespace=False)
    )


class TopicChange(AtVersion, TopicSettings):
    """What is to change for a topic."""


class TopicsChange(AtVersion):
    """What is to change for topics of a study."""

    topics = serializers.DictField(child=TopicSettings(), help_text="By their numbers.")


class ChosenTopics(AtVersion):
    """Topics of the collection."""

    query_ids = serializers.ListField(child=serializers.CharField(trim_whitespace=False))


class Topics(WithParameters):
    """The topics of a study."""

    @extend_schema(responses=TopicSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Every topic with its anchors, question and options."""
        study = study_for(request.user, slug)
        topics = study.topics.select_related("topic").order_by("topic__query_id")
        return Response([topic_data(topic) for topic in topics])

    @extend_schema(request=ChosenTopics, responses=TopicSerializer(many=True))
    def put(self, request: Request, slug: str) -> Response:
        """Let a draft cover these topics and no others; those that stay keep what is set."""
        change_study(changing.choose_topics, ChosenTopics, request, slug, "query_ids")
        return self.get(request, slug)

    @extend_schema(
        operation_id="studies_topics_change",
        request=TopicsChange,
        responses=TopicSerializer(many=True),
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change anchors, questions or pools of several topics; all, or nothing if one is wrong."""
        change_study(changing.change_topics, TopicsChange, request, slug, "topics")
        return self.get(request, slug)


class Topic(WithParameters):
    """One topic of a study."""

    @extend_schema(request=TopicChange, responses=TopicSerializer)
    def patch(self, request: Request, slug: str, query_id: str) -> Response:
        """Change its anchors, its question or its pool."""
        topic = topic_of(study_for(request.user, slug, Role.EDITOR), query_id)

        def change(slug: str, values: Any, *by: Any) -> None:
            changing.change_topic(slug, query_id, values, *by)

        change_study(change, TopicChange, request, slug)
        topic.refresh_from_db()
        return Response(topic_data(topic))
