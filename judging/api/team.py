from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import idempotent
from accounts.models import logged_in
from judging.api.verbs import Conflict, translate_errors
from judging.api.views import PagedListView
from judging.models import Invitation, Membership, Role
from judging.studies import team
from judging.studies.access import study_for
from web import clock
from web.rest.bodies import Body, checked
from web.rest.parameters import WithParameters

MAX_NOTE_LENGTH = 200


class MemberSerializer(serializers.ModelSerializer[Membership]):
    """Somebody of a team."""

    username = serializers.CharField(source="user.username")

    class Meta:
        model = Membership
        fields = ("username", "role", "sees_platform_ids")


class Team(PagedListView):
    """Who works on a study, and what they may do."""

    serializer_class = MemberSerializer

    def get_queryset(self) -> QuerySet[Membership]:
        return self.study().memberships.select_related("user")


class ChangedMember(Body):
    """What somebody may do from now on."""

    role = serializers.ChoiceField(Role.choices, required=False)
    sees_platform_ids = serializers.BooleanField(
        required=False, help_text="Given only by somebody who may see them."
    )


class Member(WithParameters):
    """Somebody of a team."""

    @extend_schema(request=ChangedMember, responses=MemberSerializer)
    def patch(self, request: Request, slug: str, username: str) -> Response:
        """Give somebody another role; for owners."""
        study = study_for(request.user, slug, Role.OWNER)
        data = checked(ChangedMember, request)
        member = get_object_or_404(study.memberships, user__username=username)
        stays = {"role": member.role, "sees_platform_ids": member.sees_platform_ids}
        with translate_errors():
            team.change(study, member.user, by=logged_in(request), **{**stays, **data})
        member.refresh_from_db()
        return Response(MemberSerializer(member).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, username: str) -> Response:
        """Take somebody out of the team; for owners. Anybody may leave."""
        by = logged_in(request)
        is_self = username == by.get_username()
        study = study_for(by, slug, Role.VIEWER if is_self else Role.OWNER)
        member = get_object_or_404(study.memberships, user__username=username)
        with translate_errors():
            team.change(study, member.user, None, by)
        return Response(status=204)


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    """An invitation that can still be followed."""

    made_by = serializers.CharField(source="made_by.username")

    class Meta:
        model = Invitation
        fields = ("id", "note", "role", "sees_platform_ids", "made_by", "made_at", "expires_at")


class LinkSerializer(serializers.Serializer[Any]):
    """The link of a new invitation, shown once."""

    link = serializers.URLField()


class NewGuest(Body):
    """Who is invited to the site."""

    note = serializers.CharField(max_length=MAX_NOTE_LENGTH, help_text="For whom it is.")


class NewMember(NewGuest):
    """Who is invited to a study, and to what."""

    role = serializers.ChoiceField(Role.choices)
    sees_platform_ids = serializers.BooleanField(
        default=False, help_text="Given only by somebody who may see them."
    )


def _link(request: Request, secret: str) -> Response:
    link = request.build_absolute_uri(reverse("invitation", args=[secret]))
    return Response({"link": link}, 201)


class Invitations(PagedListView):
    """Invitations to a study that can still be followed; for owners."""

    serializer_class = InvitationSerializer

    def get_queryset(self) -> QuerySet[Invitation]:
        pending = Invitation.objects.pending(clock.now()).filter(study=self.study(Role.OWNER))
        return pending.select_related("made_by")

    @extend_schema(request=NewMember, responses={201: LinkSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Invite somebody to the study, by a link that is shown once."""
        study = study_for(request.user, slug, Role.OWNER)
        data = checked(NewMember, request)
        with translate_errors():
            secret = team.invite(logged_in(request), clock.now(), study, **data)
        return _link(request, secret)


class SiteInvitations(PagedListView):
    """Invitations to the site, without a study; for admins."""

    serializer_class = InvitationSerializer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if not request.user.is_superuser:
            raise PermissionDenied("Admins alone invite to the site.")

    def get_queryset(self) -> QuerySet[Invitation]:
        return Invitation.objects.pending(clock.now()).filter(study=None).select_related("made_by")

    @extend_schema(request=NewGuest, responses={201: LinkSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Invite somebody to an account, by a link that is shown once."""
        note = checked(NewGuest, request)["note"]
        return _link(request, team.invite(logged_in(request), clock.now(), note=note))


class OneInvitation(WithParameters):
    """An invitation."""

    @extend_schema(responses={204: None})
    def delete(self, request: Request, key: int) -> Response:
        """Take it back: its link works no longer."""
        by = logged_in(request)
        pending = Invitation.objects.pending(clock.now()).select_related("study")
        invitation = pending.filter(pk=key).first()
        if invitation is None or not team.may_take_back(by, invitation):
            raise Http404("There is no such invitation.")
        team.take_back(invitation, by)
        return Response(status=204)


class Secret(Body):
    """What a link ends with."""

    secret = serializers.CharField(max_length=200, help_text="The last part of the link.")


class JoinedSerializer(serializers.Serializer[Any]):
    """Where an invitation led."""

    study = serializers.CharField(allow_null=True)


class Accept(WithParameters):
    """Following an invitation."""

    @extend_schema(request=Secret, responses=JoinedSerializer)
    @idempotent
    def post(self, request: Request) -> Response:
        """Take up an invitation, for somebody who has an account."""
        secret = checked(Secret, request)["secret"]
        invitation = team.invitation_of(secret, clock.now())
        if invitation is None:
            raise Conflict("This invitation has been used, is too old, or never was.")
        with translate_errors():
            team.accept(invitation, logged_in(request), clock.now())
        return Response({"study": invitation.study and invitation.study.slug})
