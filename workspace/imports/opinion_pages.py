from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache

from accounts.models import logged_in
from trec.errors import BadFile
from workspace.imports import opinions
from workspace.imports.file_pages import upload_context
from workspace.imports.importing import BadImport
from workspace.imports.opinion_forms import Opinions
from workspace.models import Upload

TABLES = (
    "CSV with commas or semicolons, TSV with tabs, or JSONL, with the names of its columns in the "
    "first row; plain, or packed by gz, xz, bz2, tar, zip."
)


@never_cache
@login_required
def new(request: HttpRequest) -> HttpResponse:
    own = list(Upload.objects.filter(owner=logged_in(request), job=None).order_by("begun_at"))
    tables = [upload for upload in own if upload.ended_at and upload.kind in ("opinions", "table")]
    context = {"here": "collections", "tables": tables, **upload_context(request, own)}
    context["upload_form"].fields["file"].help_text = TABLES
    return render(request, "workspace/choose_table.html", context)


@never_cache
@login_required
def table(request: HttpRequest, key: UUID) -> HttpResponse:
    owner = logged_in(request)
    upload = get_object_or_404(Upload, owner=owner, job=None, ended_at__isnull=False, key=key)
    try:
        preview = opinions.preview(upload)
    except BadFile as fault:
        context = {"here": "collections", "upload": upload, "fault": str(fault)}
        return render(request, "workspace/opinions.html", context)
    form = Opinions(request.POST or None, preview=preview)
    if request.method == "POST" and form.is_valid():
        try:
            job = opinions.request_import(owner, upload.pk, form.target, form.reading)
            return redirect("import", job.pk)
        except BadImport as fault:
            form.add_error(None, str(fault))
    context = {"here": "collections", "upload": upload, "preview": preview, "form": form}
    return render(request, "workspace/opinions.html", context)
