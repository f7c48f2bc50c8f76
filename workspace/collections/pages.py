from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache

from judging.collections.content import FIRST, RunContent, content
from judging.models import Collection, Study
from web.long_lists import Column, listed
from web.text import natural
from workspace.imports.file_pages import own_jobs

RUNS = (
    Column[RunContent]("run", "Run", lambda run: run.tag, number=False),
    Column[RunContent]("topics", "Topics", lambda run: run.topics),
    Column[RunContent]("shortest", "Shortest list", lambda run: run.shortest),
    Column[RunContent]("median", "Median", lambda run: run.median),
    Column[RunContent]("longest", "Longest", lambda run: run.longest),
    Column[RunContent]("shared", "Shared", lambda run: run.shared),
)


@never_cache
@login_required
def collections(request: HttpRequest) -> HttpResponse:
    visible = Collection.objects.seen_by(request.user).counted().order_by("slug")
    context = {"here": "collections", "collections": list(visible), "jobs": own_jobs(request)}
    return render(request, "workspace/collections.html", context)


@never_cache
@login_required
def collection(request: HttpRequest, slug: str) -> HttpResponse:
    visible = get_object_or_404(Collection.objects.seen_by(request.user), slug=slug)
    contents = content(visible)
    topics = sorted(contents.topics, key=lambda topic: natural(topic.query_id))
    context = {
        "here": "collections",
        "collection": visible,
        "may_change": visible.may_change(request.user),
        "content": contents,
        "runs": listed(contents.runs, request.GET, RUNS, "runs", "runs-"),
        "topics": listed(topics, request.GET, (), "topics", "topics-"),
        "first": FIRST,
        "studies": Study.objects.seen_by(request.user)
        .without_rehearsals()
        .filter(collection=visible)
        .order_by("slug"),
    }
    return render(request, "workspace/collection.html", context)
