from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.forms import NewUserForm
from accounts.models import User, logged_in
from judging.models import Invitation, Role
from judging.studies import team
from judging.studies.access import has_role, study_for
from web import clock
from workspace.decorators import staff_page
from workspace.places import entry_page

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


class InvitationNote(forms.Form):
    note = forms.CharField(
        max_length=Invitation._meta.get_field("note").max_length,
        label="Who is it for?",
        help_text="A name, so that you know it again.",
    )


class NewInvitation(InvitationNote):
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, label="Role")
    sees_platform_ids = forms.BooleanField(
        required=False, label="May see workers' ids on participant platforms"
    )


class ChangedMember(forms.Form):
    """Without a role they leave the team."""

    role = forms.ChoiceField(choices=[*Role.choices, ("", "None")], required=False)
    sees_platform_ids = forms.BooleanField(required=False)


@staff_page
def members(request: HttpRequest, slug: str) -> HttpResponse:
    role = Role.OWNER if request.method == "POST" else Role.VIEWER
    study = study_for(request.user, slug, role)
    if study.rehearsal_of:
        return redirect("team", study.rehearsal_of.slug)  # a rehearsal has its study's team
    form, link = NewInvitation(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            secret = team.invite(logged_in(request), clock.now(), study, **form.cleaned_data)
            form, link = NewInvitation(), _link(request, secret)
        except team.MayNotGive:
            form.add_error("sees_platform_ids", "You may not see them yourself.")
    context = {
        "study": study,
        "form": form,
        "link": link,
        "days": team.VALID_DAYS,
        "members": study.memberships.select_related("user").order_by("user__username"),
        "invitations": _pending().filter(study=study),
        "is_owner": has_role(logged_in(request), study, Role.OWNER),
        "roles": Role.choices,
    }
    return render(request, "workspace/team.html", context)


@require_POST
@login_required
def change_member(request: HttpRequest, slug: str, username: str) -> HttpResponse:
    form = ChangedMember(request.POST)
    is_leaving = username == request.user.get_username() and request.POST.get("role") == ""
    study = study_for(request.user, slug, Role.VIEWER if is_leaving else Role.OWNER)
    member = get_object_or_404(study.memberships, user__username=username)
    if not form.is_valid():
        messages.error(request, "Choose a role: owner, editor or viewer; or none.")
        return redirect("team", slug)
    new_role, may_see = form.cleaned_data["role"], form.cleaned_data["sees_platform_ids"]
    by = logged_in(request)
    try:
        team.change(study, member.user, new_role or None, by, sees_platform_ids=may_see)
    except team.MayNotGive as fault:
        raise PermissionDenied(str(fault)) from fault
    except team.CannotChange as fault:
        messages.error(request, str(fault))
        return redirect("team", slug)
    messages.success(request, f"{username}: {new_role or 'not of the team any more'}.")
    return redirect("studies") if is_leaving else redirect("team", slug)


@require_POST
@login_required
def end_invitation(request: HttpRequest, key: int) -> HttpResponse:
    invitation = get_object_or_404(_pending(), pk=key)
    if invitation.study:
        study_for(request.user, invitation.study.slug, Role.OWNER)
    elif not team.may_take_back(logged_in(request), invitation):
        raise Http404("There is no such invitation.")
    team.take_back(invitation, logged_in(request))
    messages.success(request, f"The invitation for {invitation.note} works no longer.")
    return redirect("team", invitation.study.slug) if invitation.study else redirect("people")


@staff_page
def people(request: HttpRequest) -> HttpResponse:
    if not request.user.is_superuser:
        raise PermissionDenied
    form, link = InvitationNote(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        secret = team.invite(logged_in(request), clock.now(), note=form.cleaned_data["note"])
        form, link = InvitationNote(), _link(request, secret)
    context = {
        "here": "people",
        "form": form,
        "link": link,
        "days": team.VALID_DAYS,
        "people": User.objects.order_by("username").prefetch_related("memberships__study"),
        "invitations": _pending().filter(study=None),
    }
    return render(request, "workspace/people.html", context)


@never_cache
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    invited = team.invitation_of(secret, clock.now())
    if invited is None:
        return render(request, "workspace/no_invitation.html", status=404)
    if request.user.is_authenticated:
        return _accept(request, invited)
    form = NewUserForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                user = form.save()
                team.accept(invited, user, clock.now())
        except team.CannotChange:
            return render(request, "workspace/no_invitation.html", status=404)
        login(request, user, backend=BACKEND)
        return _welcome(invited)
    context = {"invitation": invited, "form": form, "next": request.path}
    return render(request, "workspace/invitation.html", context)


def _accept(request: HttpRequest, invited: Invitation) -> HttpResponse:
    if request.method != "POST":
        return render(request, "workspace/invitation.html", {"invitation": invited})
    try:
        team.accept(invited, logged_in(request), clock.now())
    except team.CannotChange:
        return render(request, "workspace/no_invitation.html", status=404)
    return _welcome(invited)


def _welcome(invited: Invitation) -> HttpResponse:
    return redirect(entry_page(invited.study) if invited.study else "studies")


def _pending() -> QuerySet[Invitation]:
    return Invitation.objects.pending(clock.now()).select_related("study").order_by("-made_at")


def _link(request: HttpRequest, secret: str) -> str:
    return request.build_absolute_uri(reverse("invitation", args=[secret]))
