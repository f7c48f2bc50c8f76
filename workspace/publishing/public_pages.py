"""The page of a study that everybody can read, and its owners' page about it."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import logged_in
from evaluation.details.system_list import System
from evaluation.pages.front import drawn
from judging.acts import Question
from judging.models import Role, Study
from judging.studies.access import has_role
from judging.studies.conduct.stages import CannotRun
from web import clock
from web.bounds import field_options
from web.files import ZIP, attachment
from workspace.confirm import add_faults, ask_to_confirm
from workspace.decorators import staff_page
from workspace.models import PublishedPage
from workspace.publishing import published_pages
from workspace.publishing.publish_page import (
    LICENCE_CHOICES,
    NewRelease,
    names_in,
    publishable,
)
from workspace.publishing.published_pages import MAX_ABOUT_LENGTH, OTHERS, Wording

View = Callable[..., HttpResponse]
PERMISSIONS = {
    Study.Crowd.ARTIFICIAL: "I know that the page says: artificial workers judged",
    Study.Crowd.MODEL: "I know that the page says: a language model judged",
    Study.Crowd.IMPORTED: "Those who judged agreed to publication, or their judgments are public",
}
OF_PEOPLE = "I have read the consent text: workers agreed to publication"


class NewPage(forms.Form):
    about = forms.CharField(
        required=False,
        max_length=MAX_ABOUT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 5}),
        label="About the study",
        help_text="What it was for, and where its paper is. A blank line begins a paragraph.",
    )
    authors = NewRelease.base_fields["authors"]
    licence = forms.ChoiceField(
        choices=[("", "Choose one"), *LICENCE_CHOICES],
        label="Licence",
        help_text=NewRelease.base_fields["licence"].help_text,
        error_messages={"required": "Choose one."},
    )
    may_publish = forms.BooleanField(error_messages={"required": "Tick it, or do not publish."})

    def __init__(self, study: Study, *args: Any) -> None:
        super().__init__(*args)
        self.fields["may_publish"].label = PERMISSIONS.get(Study.Crowd(study.crowd), OF_PEOPLE)

    @property
    def wording(self) -> Wording:
        typed = self.cleaned_data
        return Wording(typed["licence"], names_in(typed["authors"]), typed["about"])


class Version(forms.Form):
    version = forms.IntegerField(
        widget=forms.HiddenInput, **field_options(PublishedPage, "version")
    )


@staff_page
def published(request: HttpRequest, slug: str) -> HttpResponse:
    """What everybody can read of a study, and the buttons of its owners."""
    study = publishable(request, slug, Role.OWNER if request.method == "POST" else Role.VIEWER)
    action = request.POST.get("action", "")
    form = NewPage(study, request.POST if action == "publish" else None)
    version = Version(request.POST if action == "withdraw" else None)
    try:
        if version.is_valid():
            number = version.cleaned_data["version"]
            if "sure" not in request.POST:
                return ask_to_confirm(request, study, ask_withdraw(study, number), version)
            published_pages.withdraw(study, logged_in(request), number)
            messages.success(request, f"Version {number} is withdrawn.")
            return redirect("published", slug)
        if form.is_valid():
            page = published_pages.publish(study, logged_in(request), form.wording)
            messages.success(request, f"Version {page.version} is published.")
            return redirect("published", slug)
    except CannotRun as fault:
        if not form.is_bound:
            messages.error(request, " ".join(str(each.what) for each in fault.faults))
            return redirect("published", slug)
        add_faults(form, list(fault.faults))
    public = study.published_pages.public().values_list("pk", flat=True)
    is_owner = has_role(logged_in(request), study, Role.OWNER)
    context = {
        "study": study,
        "versions": study.published_pages.defer("release").order_by("-version"),
        "public": set(public),
        "obstacles": list(published_pages.obstacles(study, clock.now())) if is_owner else [],
        "form": form,
        "least": OTHERS + 1,
        "next_version": study.published_pages.count() + 1,
        "is_owner": is_owner,
    }
    return render(request, "workspace/published.html", context)


def ask_withdraw(study: Study, version: int) -> Question:
    lines = (
        "Its address then says that it was withdrawn. What it holds is deleted here for good; "
        "copies that others downloaded stay with them.",
    )
    return Question(f"Withdraw version {version}?", lines, "Withdraw it")


def not_listed(view: View) -> View:
    """No search engine lists it and no cache keeps it, as it may be withdrawn."""

    @never_cache
    @wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> HttpResponse:
        response = view(*args, **kwargs)
        response["X-Robots-Tag"] = "noindex"
        return response

    return wrapper


@require_safe
@not_listed
def public_page(request: HttpRequest, key: UUID) -> HttpResponse:
    pages = PublishedPage.objects.select_related("study").defer("release")
    page = get_object_or_404(pages, key=key)
    if not _is_public(page):
        return _gone(request, page)
    tables = [
        ranking | drawn([System(**row) for row in ranking["systems"]], ranking["measure"])
        for ranking in page.content["rankings"]
    ]
    context = {
        "page": page,
        **page.content,
        "rankings": tables,
        "least": OTHERS + 1,
        "address": request.build_absolute_uri(),
    }
    return render(request, "workspace/public_page.html", context)


@require_safe
@not_listed
def public_file(request: HttpRequest, key: UUID, path: str = "") -> HttpResponse:
    """One file of the release; without a path the whole of it."""
    page = get_object_or_404(PublishedPage.objects.select_related("study"), key=key)
    if not _is_public(page):
        return _gone(request, page)
    slug = page.content["slug"]
    if not path:
        name = f"{slug}-{page.version}.zip"
        return HttpResponse(page.release, content_type=ZIP, headers=attachment(name))
    sent = published_pages.read_file(bytes(page.release), path)
    if sent is None:
        raise Http404("The release has no such file.")
    name = f"{slug}-{page.version}-{path.replace('/', '-')}"
    kind = "text/plain; charset=utf-8"
    return HttpResponse(sent, content_type=kind, headers=attachment(name))


def _is_public(page: PublishedPage) -> bool:
    return PublishedPage.objects.public().filter(pk=page.pk).exists()


def _gone(request: HttpRequest, page: PublishedPage) -> HttpResponse:
    newest = PublishedPage.objects.public().filter(study=page.study).order_by("version").last()
    context = {"page": page, "newest": newest}
    return render(request, "workspace/gone.html", context, status=410)
