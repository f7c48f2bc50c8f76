from typing import Any
from uuid import UUID

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from accounts.models import logged_in
from workspace.imports import archives
from workspace.imports.file_pages import upload_context
from workspace.imports.importing import BadImport
from workspace.models import Upload


class ArchiveUpload(forms.Form):
    file = forms.FileField(label="Archive", help_text="A file.zip that this product has written.")
    encoding = forms.CharField(required=False, widget=forms.HiddenInput)  # the upload form has it


class ArchiveChoice(forms.Form):
    upload = forms.ChoiceField(
        widget=forms.RadioSelect,
        label="File",
        error_messages={"required": "Choose a file."},
    )
    study = forms.SlugField(
        required=False, max_length=50, label="Another name for the study, if that is taken here"
    )
    collection = forms.SlugField(
        required=False, max_length=50, label="Another name for its collection"
    )

    def __init__(self, uploads: list[Upload], *args: Any) -> None:
        super().__init__(*args)
        choices = [(str(upload.key), str(upload)) for upload in uploads]
        self.fields["upload"].choices = choices  # type: ignore[attr-defined]
        self.fields["upload"].initial = choices[-1][0] if choices else None


@never_cache
@login_required
def new_archive(request: HttpRequest) -> HttpResponse:
    owner = logged_in(request)
    own = list(Upload.objects.filter(owner=owner, job=None).order_by("begun_at"))
    zips = [upload for upload in own if upload.ended_at and upload.name.lower().endswith(".zip")]
    form = ArchiveChoice(zips, request.POST or None)
    if request.method == "POST" and form.is_valid():
        names = {name: form.cleaned_data[name] for name in ("study", "collection")}
        try:
            job = archives.request_import(owner, UUID(form.cleaned_data["upload"]), **names)
            return redirect("import", job.pk)
        except BadImport as fault:
            beside = next((name for name in fault.fields if name in form.fields), None)
            form.add_error(beside, str(fault))
    context = {"here": "collections", "form": form, **upload_context(request, own)}
    context["upload_form"] = ArchiveUpload()
    return render(request, "workspace/bring_archive.html", context)
