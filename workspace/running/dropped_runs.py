"""A run that somebody drops on a study is ranked at once, and imported only on request."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django import forms
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe

from accounts.models import User, logged_in
from evaluation import pipeline
from evaluation.pages.rankings import offered, ranking_figure, with_possible_ends
from evaluation.publishing import named_gains
from evaluation.publishing.dropped_run import DroppedRun, rank_with, read_dropped
from evaluation.results import CannotRank
from judging.models import Study
from judging.studies.access import study_for
from magnitudes.files.containers.archives import StoredFile
from magnitudes.files.errors import BadFile
from magnitudes.files.kinds import Kind
from magnitudes.files.runs import Run
from magnitudes.measures.names import short
from web.files import accepts_files
from workspace.decorators import staff_page
from workspace.imports import importing, uploads
from workspace.imports.importing import BadImport, Chosen
from workspace.models import ImportJob

MAX_RUN_BYTES = 16 * uploads.MIB
NOT_IMPORTED = "The run is ranked below, and was not kept: {}"


class RunForm(forms.Form):
    run = forms.FileField(
        label="Run",
        help_text="One run as TREC, MS MARCO and tables have it, packed or not; up to 1 MiB: "
        "pack a longer one.",
    )
    measure = forms.CharField(
        required=False,
        max_length=200,
        label="Measure",
    )
    gains = forms.ChoiceField(label="Gains: what a document is worth")
    keep = forms.BooleanField(required=False, label="Keep it in the collection")

    def __init__(self, study: Study, *, may_import: bool, **options: Any) -> None:
        super().__init__(**options)
        choices = named_gains.choices(study)
        usual = pipeline.first_measure(study)
        self.fields["measure"].widget.attrs.update(list="measures", placeholder=short(usual))
        gains = [(name, f"{name} – {what}") for name, what in choices.items()]
        self.fields["gains"].choices = gains  # type: ignore[attr-defined]
        self.fields["gains"].initial = named_gains.usual(study)
        if not may_import:
            del self.fields["keep"]

    def clean_run(self) -> Run:
        self.file: TemporaryUploadedFile = self.cleaned_data["run"]
        name = self.file.name or "run"
        stored = StoredFile(Path(self.file.temporary_file_path()), name)
        try:
            return read_dropped(stored)
        except BadFile as fault:
            raise forms.ValidationError(f"{fault}.") from fault


@staff_page
@accepts_files
def dropped_run(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug)
    may_import = study.collection.may_change(request.user)
    initial = {name: request.GET[name] for name in ("measure", "gains") if name in request.GET}
    data = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = RunForm(study, may_import=may_import, data=data[0], files=data[1], initial=initial)
    context: dict[str, Any] = {"study": study, "form": form}
    context["measures"] = offered(study)
    if form.is_valid():
        dropped = _ranked(study, form)
        if dropped:
            context |= _shown(study, dropped)
            if form.cleaned_data.get("keep"):
                context |= _import_file(logged_in(request), form.file, study)
    return render(request, "workspace/dropped_run.html", context)


def _ranked(study: Study, form: RunForm) -> DroppedRun | None:
    """Faults go to the form."""
    cleaned = form.cleaned_data
    measure = cleaned["measure"] or pipeline.first_measure(study)
    try:
        return rank_with(study, cleaned["run"], measure, cleaned["gains"])
    except CannotRank as fault:
        form.add_error(fault.option, str(fault))
        return None


def _shown(study: Study, dropped: DroppedRun) -> dict[str, Any]:
    ranking = with_possible_ends(dropped.ranking)
    figure = ranking_figure(
        ranking["results"], ranking["measure"], ranking["crowd"], marked=dropped.name
    )
    picture = mark_safe(figure)  # noqa: S308 - drawn here
    return {
        "dropped": dropped,
        "ranking": ranking | {"plot": picture},
        "other_gains": ranking["gains"] != named_gains.usual(study),
    }


def read_uploaded(by: User, key: UUID) -> Run:
    upload = importing.complete_upload(by, key)
    if upload.size > MAX_RUN_BYTES:
        limit = MAX_RUN_BYTES // uploads.MIB
        size = f"{upload.size / uploads.MIB:,.0f} MiB; expected at most {limit}"
        raise BadImport(f"{upload}: {size}.", "upload")
    return read_dropped(upload.stored)


def import_run(by: User, study: Study, upload: UUID) -> ImportJob:
    return importing.request_import(by, study.collection.slug, [Chosen(upload, Kind.RUNS)])


def _import_file(owner: User, file: TemporaryUploadedFile, study: Study) -> dict[str, Any]:
    file.seek(0)
    try:
        upload = uploads.receive(owner, file.name or "run", file.size or 0, file.chunks())
        import_run(owner, study, upload.key)
    except (uploads.Refused, BadImport) as fault:
        return {"not_imported": NOT_IMPORTED.format(fault)}
    return {"imported": True}
