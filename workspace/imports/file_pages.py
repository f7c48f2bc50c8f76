"""Pages of files: sent, recognised, imported in the background, and what came of it."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.models import logged_in
from judging.collections.access import collection_for
from trec.words import count
from web import back
from web.body_lengths import max_body_bytes
from web.files import accepts_files
from web.whole_numbers import whole_number
from workspace.forms import AddedFiles, FileRow, NewCollection, NewDataset, NewUpload
from workspace.imports import datasets, importing, uploads
from workspace.models import ImportJob, Upload


@require_POST
@login_required
@accepts_files
def send(request: HttpRequest) -> HttpResponse:
    """Store the files of a form, for browsers without scripts."""
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
    return redirect(_back(request))


def _back(request: HttpRequest) -> str:
    """The page that a form was on."""
    return back.page_of(request) or reverse("new-collection")


@require_POST
@login_required
def remove(request: HttpRequest, key: UUID) -> HttpResponse:
    """Forget a file."""
    get_object_or_404(Upload, owner=logged_in(request), key=key)
    try:
        uploads.remove(logged_in(request), key)
    except uploads.Refused as fault:
        messages.error(request, str(fault))
    return redirect(_back(request))


@never_cache
@login_required
def new_collection(request: HttpRequest) -> HttpResponse:
    """Files, and the name of the collection that they become."""
    failed = _failed(request)
    initial = {"name": failed.collection, **failed.options} if failed else {}
    form = NewCollection(request.POST or None, initial=initial)
    return _choose(request, form, "Bring a collection", failed)


@never_cache
@login_required
def add_files(request: HttpRequest, slug: str) -> HttpResponse:
    """More files for a collection."""
    collection = collection_for(request.user, slug, to_change=True)
    failed = _failed(request)
    form = AddedFiles(request.POST or None, initial=failed.options if failed else {})
    return _choose(request, form, f"Add files to {collection}", failed, slug=slug)


def _failed(request: HttpRequest) -> ImportJob | None:
    """The import of one's own that the address says is asked for again, if there is one."""
    key = whole_number(request.GET.get("again", ""))
    jobs = ImportJob.objects.filter(owner=logged_in(request), what=ImportJob.What.COLLECTION)
    return jobs.filter(pk=key).first() if key is not None else None


def _choose(
    request: HttpRequest, form: AddedFiles, title: str, failed: ImportJob | None, slug: str = ""
) -> HttpResponse:
    """The page on which files are chosen; when it is sent, the import begins.

    failed: the import of these files that failed; what was chosen for it is chosen still.
    """
    owner = logged_in(request)
    before = {file["upload"]: file for file in failed.files} if failed else {}
    own = list(Upload.objects.filter(owner=owner, job=None).order_by("begun_at"))
    rows = _rows(request, [upload for upload in own if upload.ended_at is not None], before)
    if request.method == "POST" and form.is_valid() and all(row.is_valid() for row in rows):
        chosen = [row.chosen for row in rows if row.chosen]
        try:
            job = importing.ask(
                owner,
                slug or form.cleaned_data["name"],
                chosen,
                make_topics=form.cleaned_data["make_topics"],
            )
            return redirect("import", job.pk)
        except importing.CannotAsk as fault:
            is_name = fault.fields == ("collection",) and not slug
            form.add_error("name" if is_name else None, str(fault))
    context = {
        "here": "collections",
        "title": title,
        "slug": slug,
        "form": form,
        "rows": rows,
        "has_datasets": bool(settings.IR_DATASETS),
        **sending(request, own),
    }
    return render(request, "workspace/choose_files.html", context)


def _rows(
    request: HttpRequest, files: list[Upload], before: dict[str, dict[str, Any]]
) -> list[FileRow]:
    """A row for each file, as chosen before; what was sent twice is marked the second time."""
    rows, seen = [], set()
    for upload in files:
        same, chosen = (upload.name, upload.size), before.get(str(upload.key))
        row = FileRow(request.POST or None, upload=upload, is_again=same in seen, before=chosen)
        rows.append(row)
        seen.add(same)
    return rows


def sending(request: HttpRequest, own: list[Upload]) -> dict[str, Any]:
    """What the part of a page says on which files are sent."""
    return {
        "upload_form": NewUpload(),
        "unfinished": [upload for upload in own if upload.ended_at is None],
        "piece": max_body_bytes(reverse("api-uploads")),
        "most_mib": max_body_bytes(reverse("send-files")) // uploads.MIB,
    }


@never_cache
@login_required
def new_dataset(request: HttpRequest) -> HttpResponse:
    """A data set of a library that the operator offers, and the name of the collection."""
    sets = datasets.offered()
    if not sets:
        raise Http404("No data sets are offered here.")
    form = NewDataset(request.POST or None, offered=sets)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            asked = datasets.ask(logged_in(request), said["name"], said["dataset"])
            return redirect("import", asked.pk)
        except importing.CannotAsk as fault:
            form.add_error("dataset" if "dataset" in fault.fields else "name", str(fault))
    return render(request, "workspace/choose_dataset.html", {"here": "collections", "form": form})


@never_cache
@login_required
def job(request: HttpRequest, key: int) -> HttpResponse:
    """How far an import is, and what it brought."""
    asked = get_object_or_404(ImportJob, owner=logged_in(request), pk=key)
    context = {"here": "collections", "job": asked, "waits": not asked.is_over}
    return render(request, "workspace/import.html", context)


def own_jobs(request: HttpRequest) -> list[ImportJob]:
    """Imports that somebody waits for, and their latest that failed and are not in since."""
    own = ImportJob.objects.filter(owner=logged_in(request))
    since = own.filter(collection=OuterRef("collection"), pk__gt=OuterRef("pk"), state="done")
    jobs = own.exclude(state="done").exclude(Exists(since), state="failed")
    return list(jobs.order_by("-id")[:5])
