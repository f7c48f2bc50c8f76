from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.models import logged_in
from evaluation.publishing import named_gains
from judging.collections.access import NotYours
from judging.collections.changing import mark_free_to_share
from judging.models import Assignment, Role, Study
from judging.states import State
from judging.studies.access import has_role, sees_platform_ids, study_for
from web.files import sent_zip
from workspace.archive.encryption import MIN_PASSPHRASE_LENGTH, BadPassphrase, check_passphrase
from workspace.archive.exporting import export_archive
from workspace.decorators import staff_page
from workspace.publishing.describing import LICENCES
from workspace.publishing.releasing import CannotRelease, ReleaseOptions, as_zip, release

MAX_AUTHORS_LENGTH = 5000  # characters
LICENCE_CHOICES = [(key, f"{name} ({key})") for key, (name, _) in LICENCES.items()]


def names_in(lines: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines.splitlines() if line.strip())


class NewRelease(forms.Form):
    gains = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Further gains",
        help_text="Each as qrels and with the ranking of systems by it.",
    )
    authors = forms.CharField(
        required=False,
        max_length=MAX_AUTHORS_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Authors to cite",
        help_text="One name a line, as Gödel, Kurt.",
    )
    licence = forms.ChoiceField(
        required=False,
        choices=[("", "No licence"), *LICENCE_CHOICES],
        label="Licence",
        help_text="For judgments, gains and rankings; texts keep that of their collection.",
    )
    justifications = forms.BooleanField(
        required=False,
        label="Include the workers’ reasons: I have read them, and they name nobody",
    )

    def __init__(self, study: Study, *args: Any) -> None:
        super().__init__(*args)
        usual = named_gains.usual(study)
        choices = [
            (name, f"{what} ({name})")
            for name, what in named_gains.choices(study).items()
            if name != usual
        ]
        self.fields["gains"].choices = choices  # type: ignore[attr-defined]
        if not choices:
            del self.fields["gains"]

    @property
    def options(self) -> ReleaseOptions:
        return ReleaseOptions(
            gains=tuple(self.cleaned_data.get("gains", ())),
            justifications=self.cleaned_data["justifications"],
            authors=names_in(self.cleaned_data["authors"]),
            licence=self.cleaned_data["licence"],
        )


class NewArchive(forms.Form):
    platform_ids = forms.BooleanField(
        required=False, label="With platforms’ ids and completion codes, encrypted"
    )
    passphrase = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        label="Passphrase for these",
        help_text=f"At least {MIN_PASSPHRASE_LENGTH} characters. Nobody can open them without it.",
    )

    def clean_passphrase(self) -> str:
        passphrase: str = self.cleaned_data["passphrase"]
        if not self.cleaned_data.get("platform_ids"):
            return ""
        try:
            return check_passphrase(passphrase)
        except BadPassphrase as fault:
            raise forms.ValidationError(str(fault)) from fault


@staff_page
def release_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = publishable(request, slug, Role.EDITOR if request.method == "POST" else Role.VIEWER)
    form = NewRelease(study, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            files = release(study, form.options, by=logged_in(request))
        except CannotRelease as fault:
            form.add_error(None, str(fault))
        else:
            return sent_zip(study.file_name("release", "zip"), as_zip(study, files))
    completed = Assignment.objects.filter(study=study, state=State.COMPLETED)
    context = {
        "study": study,
        "has_judgments": study.is_imported or completed.exists(),
        "form": form,
        "is_editor": has_role(logged_in(request), study, Role.EDITOR),
        "may_free": study.collection.may_change(logged_in(request)),
    }
    return render(request, "workspace/release.html", context)


@staff_page
def archive_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = publishable(request, slug, Role.OWNER)
    form = NewArchive(request.POST if request.method == "POST" else None)
    sees_ids = sees_platform_ids(logged_in(request), study)
    if form.is_valid():
        passphrase = form.cleaned_data["passphrase"]
        if passphrase and not sees_ids:
            raise PermissionDenied("Only who sees platforms' ids may take them away.")
        pieces = export_archive(study, by=logged_in(request), passphrase=passphrase)
        return sent_zip(study.file_name("archive", "zip"), pieces)
    context = {"study": study, "form": form, "sees_ids": sees_ids}
    return render(request, "workspace/archive.html", context)


@require_POST
@login_required
def free_texts(request: HttpRequest, slug: str) -> HttpResponse:
    study = publishable(request, slug)
    try:
        is_free = request.POST.get("free") == "yes"
        mark_free_to_share(study.collection, is_free=is_free, by=logged_in(request))
    except NotYours as fault:
        raise PermissionDenied(str(fault)) from fault
    free = "may" if is_free else "may not"
    messages.success(request, f"Texts of collection {study.collection} {free} be published.")
    return redirect("release", slug)


def publishable(request: HttpRequest, slug: str, role: Role = Role.EDITOR) -> Study:
    """A study of theirs that is no rehearsal."""
    study = study_for(request.user, slug, role)
    if study.rehearsal_of_id:
        raise Http404("A rehearsal is not published.")
    return study
