from typing import Any

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, logged_in
from judging.api.verbs import translate_errors
from judging.models import Role, Study
from judging.studies.access import study_for
from judging.studies.faults import BadStudy, Fault
from web.rest.bodies import Body, checked
from web.rest.parameters import WithParameters
from workspace.alerts import channels
from workspace.alerts.channels import MAX_URL_LENGTH
from workspace.models import Alert


class AlertSerializer(serializers.Serializer[Any]):
    """An alert: a light that turned wrong."""

    id = serializers.IntegerField(help_text="As `alert` in the webhook.")
    light = serializers.SerializerMethodField(help_text="flow or anchors.")
    at = serializers.DateTimeField(source="opened_at", help_text="When it opened.")
    sentence = serializers.CharField(help_text="What the light said as it turned.")

    def get_light(self, alert: Alert) -> str:
        return alert.light.lower()


class AlertsSerializer(serializers.Serializer[Any]):
    """Whom alerts go to, and the alerts that are open."""

    mail_to = serializers.ListField(child=serializers.CharField(), help_text="Names to log in.")
    webhook_url = serializers.CharField(help_text="Empty: there is none.")
    has_feed = serializers.BooleanField()
    open_alerts = AlertSerializer(many=True)
    secret = serializers.CharField(
        help_text="Of the webhook, shown once as it is made; empty otherwise."
    )


class NewChannels(Body):
    """Whom alerts go to from now on; what is left out stays."""

    mail_to = serializers.ListField(
        child=serializers.CharField(max_length=150),
        required=False,
        max_length=1000,
        help_text="Names to log in, of the team, each with an e-mail address.",
    )
    webhook_url = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=MAX_URL_LENGTH,
        help_text="https, on the public internet; empty: none.",
    )


class Alerts(WithParameters):
    """Whom the alerts of a study go to."""

    @extend_schema(responses=AlertsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Whom alerts go to, and what is open; for editors."""
        return _response(_study(request, slug))

    @extend_schema(request=NewChannels, responses=AlertsSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change whom alerts go to, also while the study is open."""
        study = _study(request, slug)
        data = checked(NewChannels, request)
        row = channels.settings_of(study)
        users = list(row.mail_to.all()) if row else []
        if "mail_to" in data:
            users = list(User.objects.filter(username__in=data["mail_to"]))
        with translate_errors():
            if unknown := set(data.get("mail_to", ())) - {user.username for user in users}:
                raise BadStudy(Fault(("mail_to",), f"{', '.join(sorted(unknown))}: not there."))
            url = data.get("webhook_url", row.webhook_url if row else "")
            site = channels.site_of(request)
            secret = channels.set_channels(study, logged_in(request), site, users, url)
        return _response(study, secret)


class WebhookSecretSerializer(serializers.Serializer[Any]):
    """What is shown once."""

    secret = serializers.CharField()


class NewSecret(WithParameters):
    """The secret of a study's webhook."""

    is_not_replayed = True  # no answer with a secret is kept for a request that comes again

    @extend_schema(request=None, responses={201: WebhookSecretSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Make a new secret for the webhook; the one before is void."""
        study = _study(request, slug)
        with translate_errors():
            secret = channels.renew_secret(study, logged_in(request))
        return Response({"secret": secret}, 201)


class FeedSerializer(serializers.Serializer[Any]):
    """Where the feed is, shown once."""

    address = serializers.URLField()


class AlertFeed(WithParameters):
    """The feed of a study's alerts."""

    is_not_replayed = True

    @extend_schema(request=None, responses={201: FeedSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Open a feed at a new address; the one before is void."""
        site = channels.site_of(request)
        token = channels.open_feed(_study(request, slug), logged_in(request), site)
        return Response({"address": site + reverse("alert-feed", args=[token])}, 201)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Close the feed: its address leads nowhere."""
        channels.close_feed(_study(request, slug), logged_in(request))
        return Response(status=204)


def _study(request: Request, slug: str) -> Study:
    study = study_for(request.user, slug, Role.EDITOR)
    if not study.takes_people:
        raise Http404("It takes no people: there is nothing to watch.")
    return study


def _response(study: Study, secret: str = "") -> Response:
    row = channels.settings_of(study)
    names = row.mail_to.order_by("username").values_list("username", flat=True) if row else []
    open_alerts = Alert.objects.filter(study=study, closed_at=None).order_by("pk")
    data = {
        "mail_to": list(names),
        "webhook_url": row.webhook_url if row else "",
        "has_feed": bool(row and row.feed_digest),
        "open_alerts": open_alerts,
        "secret": secret,
    }
    return Response(AlertsSerializer(data).data)
