from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, logged_in
from judging.api.creation import DeletedSerializer
from judging.api.verbs import Verb, translate_errors
from judging.collections import changing
from judging.collections.access import collection_for
from judging.collections.content import content
from judging.models import Collection
from web.rest.parameters import Parameters, Text, WithParameters


class CollectionTopicSerializer(serializers.Serializer[Any]):
    """A topic of a collection."""

    query_id = serializers.CharField()
    title = serializers.CharField()
    lists = serializers.IntegerField(source="list_count", help_text="Runs that have one for it.")


class LevelSerializer(serializers.Serializer[Any]):
    """How many labels are of one level."""

    level = serializers.FloatField()
    labels = serializers.IntegerField()


class LabelsSerializer(serializers.Serializer[Any]):
    """A label set."""

    name = serializers.CharField()
    labels = serializers.IntegerField()
    topics = serializers.IntegerField()
    without_text = serializers.IntegerField(help_text="Labelled documents without a text.")
    levels = LevelSerializer(many=True)


class RunSerializer(serializers.Serializer[Any]):
    """A retrieval run."""

    tag = serializers.CharField()
    topics = serializers.IntegerField()
    shortest = serializers.IntegerField(help_text="Documents of its shortest list.")
    median = serializers.FloatField()
    longest = serializers.IntegerField()
    shared = serializers.FloatField(
        allow_null=True, help_text="The share of its first ten documents that other runs have too."
    )


class ContentSerializer(serializers.Serializer[Any]):
    """What is in a collection."""

    slug = serializers.CharField()
    may_change = serializers.BooleanField(help_text="Whether you may.")
    shared_with = serializers.ListField(
        child=serializers.CharField(), help_text="Colleagues; told to who may change it."
    )
    hanging = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="What goes with it, were it deleted; told to who may change it.",
    )
    free_to_share = serializers.BooleanField(help_text="Whether its texts may be published.")
    documents = serializers.IntegerField(help_text="With a text.")
    topics = CollectionTopicSerializer(many=True)
    label_sets = LabelsSerializer(many=True)
    runs = RunSerializer(many=True)
    pooled = serializers.IntegerField(help_text="In the first ten of any list.")
    pooled_without_text = serializers.IntegerField()


def _as_dict(collection: Collection, user: User) -> dict[str, Any]:
    may_change = collection.may_change(user)
    people = collection.shared_with.order_by("username").values_list("username", flat=True)
    about = {
        "slug": collection.slug,
        "free_to_share": collection.free_to_share,
        "may_change": may_change,
        "shared_with": people if may_change else [],
        "hanging": changing.related_counts(collection) if may_change else {},
    }
    return dict(ContentSerializer(about | vars(content(collection))).data)


class Typed(Parameters):
    """What is said once more."""

    typed = Text("The collection's name, typed once more.")


class OneCollection(WithParameters):
    """One collection."""

    def parameters_of(self, method: str) -> type[Parameters]:
        return Typed if method == "DELETE" else Parameters

    @extend_schema(responses=ContentSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Its topics, documents, label sets with their levels, and runs with their depth."""
        return Response(_as_dict(collection_for(request.user, slug), logged_in(request)))

    @extend_schema(responses={200: DeletedSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete the collection with all that is in it; none with a study on it."""
        collection = collection_for(request.user, slug, to_change=True)
        with translate_errors():
            by, typed = logged_in(request), self.params.get("typed", "")
            counts = changing.delete_collection(collection, by, typed)
        return Response({"deleted": counts})


class CollectionVerb(Verb):
    """Something that is done to a collection by a POST; for its owner."""

    response_serializer = ContentSerializer

    def subject(self, slug: str) -> Collection:
        return collection_for(self.request.user, slug, to_change=True)

    def answer(self, subject: Collection, done: Any) -> dict[str, Any]:
        subject.refresh_from_db()
        return _as_dict(subject, logged_in(self.request))
