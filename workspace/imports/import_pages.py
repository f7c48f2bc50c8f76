from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.models import logged_in
from judging.collections.access import collection_for
from magnitudes.files.errors import BadFile
from magnitudes.files.words import count
from web.files import accepts_files
from web.middleware.limits import max_body_bytes
from web.text import whole_number
from workspace.confirm import page_before
from workspace.decorators import staff_page
from workspace.imports import archives, datasets, forms, importing, opinions, sample, uploads
from workspace.imports.importing import BadImport
from workspace.models import ImportJob, Upload


@require_POST
@login_required
@accepts_files
def send(request: HttpRequest) -> HttpResponse:
    """For browsers without scripts."""
    files, stored = request.FILES.getlist("file"), 0
    if not files:
        messages.error(request, "Choose a file.")
    for file in files:
        try:
            uploads.receive(
                logged_in(request),
                file.name or "",
                file.size or 0,
                file.chunks(uploads.MIB),
                request.POST.get("encoding", ""),
            )
            stored += 1
        except uploads.Refused as fault:
            messages.error(request, str(fault))
    if stored:
        messages.success(request, f"{count(stored, 'file is', 'files are')} here.")
    return redirect(_previous_page(request))


def _previous_page(request: HttpRequest) -> str:
    return page_before(request) or reverse("new-collection")


@require_POST
@login_required
def remove(request: HttpRequest, key: UUID) -> HttpResponse:
    get_object_or_404(Upload, owner=logged_in(request), key=key)
    try:
        uploads.remove(logged_in(request), key)
    except uploads.Refused as fault:
        messages.error(request, str(fault))
    return redirect(_previous_page(request))


@staff_page
def new_collection(request: HttpRequest) -> HttpResponse:
    failed = _failed(request)
    initial = {"name": failed.collection, **failed.options} if failed else {}
    form = forms.NewCollection(request.POST or None, initial=initial)
    return _choose(request, form, "Add a collection", failed)


@require_POST
@staff_page
def bring_sample(request: HttpRequest) -> HttpResponse:
    try:
        job = sample.request_sample(logged_in(request))
    except (uploads.Refused, BadImport) as fault:
        messages.error(request, str(fault))
        return redirect("new-collection")
    return redirect("import", job.pk)


@staff_page
def add_files(request: HttpRequest, slug: str) -> HttpResponse:
    collection = collection_for(request.user, slug, to_change=True)
    failed = _failed(request)
    form = forms.AddedFiles(request.POST or None, initial=failed.options if failed else {})
    return _choose(request, form, f"Add files to {collection}", failed, slug=slug)


def _failed(request: HttpRequest) -> ImportJob | None:
    key = whole_number(request.GET.get("again", ""))
    jobs = ImportJob.objects.filter(owner=logged_in(request), what=ImportJob.What.COLLECTION)
    return jobs.filter(pk=key).first() if key is not None else None


def _choose(
    request: HttpRequest,
    form: forms.AddedFiles,
    title: str,
    failed: ImportJob | None,
    slug: str = "",
) -> HttpResponse:
    """The page on which files are chosen; when it is sent, the import begins.

    failed: the failed import of these files; its choices are the initial ones.
    """
    owner = logged_in(request)
    previous = {file["upload"]: file for file in failed.files} if failed else {}
    own = list(Upload.objects.filter(owner=owner, job=None).order_by("begun_at"))
    rows = _rows(request, [upload for upload in own if upload.ended_at is not None], previous)
    if request.method == "POST" and form.is_valid() and all(row.is_valid() for row in rows):
        chosen = [row.chosen for row in rows if row.chosen]
        try:
            job = importing.request_import(
                owner,
                slug or form.cleaned_data["name"],
                chosen,
                make_topics=form.cleaned_data["make_topics"],
            )
            return redirect("import", job.pk)
        except BadImport as fault:
            is_name = fault.fields == ("collection",) and not slug
            form.add_error("name" if is_name else None, str(fault))
    context = {
        "here": "collections",
        "title": title,
        "slug": slug,
        "form": form,
        "rows": rows,
        "formats": forms.FORMATS,
        "has_datasets": bool(settings.IR_DATASETS),
        **upload_context(request, own),
    }
    return render(request, "workspace/choose_files.html", context)


def _rows(
    request: HttpRequest, files: list[Upload], previous: dict[str, dict[str, Any]]
) -> list[forms.FileRow]:
    rows, seen = [], set()
    for upload in files:
        same, chosen = (upload.name, upload.size), previous.get(str(upload.key))
        row = forms.FileRow(
            request.POST or None, upload=upload, is_duplicate=same in seen, previous=chosen
        )
        rows.append(row)
        seen.add(same)
    return rows


def upload_context(request: HttpRequest, own: list[Upload]) -> dict[str, Any]:
    return {
        "upload_form": forms.NewUpload(),
        "unfinished": [upload for upload in own if upload.ended_at is None],
        "piece": max_body_bytes(reverse("api-uploads")),
        "most_mib": max_body_bytes(reverse("send-files")) // uploads.MIB,
    }


@staff_page
def new_dataset(request: HttpRequest) -> HttpResponse:
    sets = datasets.offered()
    if not sets:
        raise Http404("No data sets are offered here.")
    form = forms.NewDataset(request.POST or None, offered=sets)
    if request.method == "POST" and form.is_valid():
        cleaned = form.cleaned_data
        try:
            job = datasets.request_import(logged_in(request), cleaned["name"], cleaned["dataset"])
            return redirect("import", job.pk)
        except BadImport as fault:
            form.add_error("dataset" if "dataset" in fault.fields else "name", str(fault))
    return render(request, "workspace/choose_dataset.html", {"here": "collections", "form": form})


@staff_page
def job(request: HttpRequest, key: int) -> HttpResponse:
    import_job = get_object_or_404(ImportJob, owner=logged_in(request), pk=key)
    context = {"here": "collections", "job": import_job, "waits": not import_job.is_over}
    return render(request, "workspace/import.html", context)


def own_jobs(request: HttpRequest) -> list[ImportJob]:
    """Imports under way, and the latest that failed and were not repeated."""
    all_jobs = ImportJob.objects.filter(owner=logged_in(request))
    since = all_jobs.filter(collection=OuterRef("collection"), pk__gt=OuterRef("pk"), state="done")
    jobs = all_jobs.exclude(state="done").exclude(Exists(since), state="failed")
    return list(jobs.order_by("-id")[:5])


@staff_page
def new_archive(request: HttpRequest) -> HttpResponse:
    owner = logged_in(request)
    own = list(Upload.objects.filter(owner=owner, job=None).order_by("begun_at"))
    zips = [upload for upload in own if upload.ended_at and upload.name.lower().endswith(".zip")]
    form = forms.ArchiveChoice(zips, request.POST or None)
    if request.method == "POST" and form.is_valid():
        names = {name: form.cleaned_data[name] for name in ("study", "collection")}
        try:
            job = archives.request_import(owner, UUID(form.cleaned_data["upload"]), **names)
            return redirect("import", job.pk)
        except BadImport as fault:
            beside = next((name for name in fault.fields if name in form.fields), None)
            form.add_error(beside, str(fault))
    context = {"here": "collections", "form": form, **upload_context(request, own)}
    context["upload_form"] = forms.ArchiveUpload()
    return render(request, "workspace/bring_archive.html", context)


TABLES = (
    "CSV with commas or semicolons, TSV with tabs, or JSONL, with the names of its columns in the "
    "first row; plain, or packed by gz, xz, bz2, tar, zip."
)


@staff_page
def new_opinions(request: HttpRequest) -> HttpResponse:
    own = list(Upload.objects.filter(owner=logged_in(request), job=None).order_by("begun_at"))
    tables = [upload for upload in own if upload.ended_at and upload.kind in ("opinions", "table")]
    context = {"here": "collections", "tables": tables, **upload_context(request, own)}
    context["upload_form"].fields["file"].help_text = TABLES
    return render(request, "workspace/choose_table.html", context)


@staff_page
def opinion_table(request: HttpRequest, key: UUID) -> HttpResponse:
    owner = logged_in(request)
    upload = get_object_or_404(Upload, owner=owner, job=None, ended_at__isnull=False, key=key)
    try:
        preview = opinions.preview(upload)
    except BadFile as fault:
        context = {"here": "collections", "upload": upload, "fault": str(fault)}
        return render(request, "workspace/opinions.html", context)
    form = forms.Opinions(
        request.POST or None, preview=preview, guess=opinions.guess(owner, preview)
    )
    if request.method == "POST" and form.is_valid():
        try:
            job = opinions.request_import(owner, upload.pk, form.target, form.reading)
            return redirect("import", job.pk)
        except BadImport as fault:
            form.add_error(None, str(fault))
    context = {"here": "collections", "upload": upload, "preview": preview, "form": form}
    return render(request, "workspace/opinions.html", context)
