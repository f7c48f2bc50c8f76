from typing import Any

from django.conf import settings
from rest_framework import serializers

from accounts.models import User
from crowd.language_model import acts as model_acts
from judging.acts import Act
from judging.acts import studies as judging_acts
from judging.api.study_topics import TopicSerializer, topic_data
from judging.models import Role, Study
from judging.models.study import MAX_SENTENCE_LENGTH
from judging.studies import rehearsal
from judging.studies.access import topic_of
from judging.studies.conduct.stages import CannotRun
from judging.studies.configuration.anchors import accept_anchors, apply_proposals
from web.bounds import field_options
from web.rest.bodies import Body
from workspace.models import PublishedPage
from workspace.publishing import published_pages
from workspace.publishing.describing import LICENCES
from workspace.publishing.published_pages import MAX_ABOUT_LENGTH, Wording
from workspace.recruiting import acts as prolific

MAX_AUTHORS, MAX_AUTHOR_LENGTH = 500, 200  # to cite; characters


class TakenSerializer(serializers.Serializer[Any]):
    """Which topics have anchors now."""

    taken = serializers.IntegerField(help_text="Topics that took the first proposals.")
    without = serializers.ListField(
        child=serializers.CharField(), help_text="Topics for which labels propose none."
    )


class AcceptedAnchors(Body):
    """Why anchors are right although labels contradict them."""

    anchors_reason = serializers.CharField(
        max_length=MAX_SENTENCE_LENGTH, help_text="Who has read both, and what they say."
    )


class AnchorsOfTopic(AcceptedAnchors):
    """The same, and the topic, which is in REST's address."""

    query_id = serializers.CharField(trim_whitespace=False)


class NewRehearsal(Body):
    """What is rehearsed."""

    slug = serializers.SlugField(required=False, max_length=50)
    topics = serializers.ListField(
        child=serializers.CharField(trim_whitespace=False),
        required=False,
        help_text="Left out: all of the study's.",
    )
    units = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=rehearsal.MAX_UNITS,
        help_text=f"For each topic; {rehearsal.UNITS} unless asked for.",
    )


class NewPage(Body):
    """What the page says, and that it may."""

    licence = serializers.ChoiceField(
        choices=list(LICENCES), help_text="Of judgments, gains and rankings."
    )
    authors = serializers.ListField(
        child=serializers.CharField(max_length=MAX_AUTHOR_LENGTH),
        max_length=MAX_AUTHORS,
        default=list,
        help_text="Who is to be cited.",
    )
    about = serializers.CharField(
        default="", allow_blank=True, max_length=MAX_ABOUT_LENGTH, help_text="Of the study."
    )
    may_publish = serializers.BooleanField(
        help_text="True: you have read the consent text, and workers agreed to publication."
    )


class PublishedVersion(Body):
    """A published version of the study."""

    version = serializers.IntegerField(**field_options(PublishedPage, "version"))


class PublishedPageSerializer(serializers.ModelSerializer[PublishedPage]):
    """A version of a study that everybody can read."""

    path = serializers.CharField(read_only=True, help_text="Its address on this site.")

    class Meta:
        model = PublishedPage
        fields = ("version", "path", "published_at", "withdrawn_at")


def _publish(study: Study, by: User | None, may_publish: bool, **wording: Any) -> PublishedPage:
    if not may_publish:
        raise CannotRun("Only what workers agreed to may be published.", field="may_publish")
    wording["authors"] = tuple(wording["authors"])
    return published_pages.publish(study, by, Wording(**wording))


def _take_anchors(study: Study, by: User | None) -> dict[str, Any]:
    return dict(zip(("taken", "without"), apply_proposals(study, by), strict=True))


def _taken(taken: dict[str, Any]) -> str:
    without = f" No proposal for {', '.join(taken['without'])}." if taken["without"] else ""
    return f"{taken['taken']} topics took the first proposals.{without}"


def _accept(study: Study, by: User | None, query_id: str, anchors_reason: str) -> dict[str, Any]:
    topic_of(study, query_id)
    return topic_data(accept_anchors(study.slug, query_id, anchors_reason, by))


ACTS = {
    "take-anchors": Act(
        "Give every topic of a draft that has no anchors the first that its labels propose.",
        _take_anchors,
        done=_taken,
        answer=TakenSerializer,
    ),
    "accept-anchors": Act(
        "Accept a topic's anchors that labels contradict; in an open study, too.",
        _accept,
        AnchorsOfTopic,
        lambda topic: f"The anchors of topic {topic['query_id']} are accepted.",
        answer=TopicSerializer,
        rest_body=AcceptedAnchors,
    ),
    "rehearse": Act(
        "Create a rehearsal: a small study of its own, which pays nothing and counts nowhere.",
        rehearsal.rehearse,
        NewRehearsal,
        lambda made: f"Rehearsal {made} is open.",
        status=201,
    ),
    "publish-page": Act(
        "Publish a closed study for everybody: a page with a release, frozen.",
        _publish,
        NewPage,
        lambda page: f"Version {page.version} is published at {page.path}",
        Role.OWNER,
        answer=PublishedPageSerializer,
        status=201,
    ),
    "withdraw-page": Act(
        "Withdraw a published version for good: its address answers 410.",
        published_pages.withdraw,
        PublishedVersion,
        "Version {version} is withdrawn.",
        Role.OWNER,
        answer=PublishedPageSerializer,
    ),
}
# What `manage.py act` does. Prolific's acts that are left out need the address of the site, or
# whose token it is.
BY_COMMAND = {
    **judging_acts.ACTS,
    **ACTS,
    **(model_acts.ACTS if settings.MODEL_ENDPOINTS else {}),
    **{
        f"prolific-{name}": act
        for name, act in prolific.ACTS.items()
        if name not in ("connect", "create", "events")
    },
}
