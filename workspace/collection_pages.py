from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import logged_in
from judging.acts.collections import ACTS
from judging.collections import changing
from judging.collections.access import NotYours, collection_for
from judging.collections.changing import CannotChange
from judging.collections.content import FIRST, RunContent, content
from judging.models import Collection, Study
from magnitudes.files.words import count
from web.long_lists import Column, listed
from web.text import natural
from workspace.decorators import staff_page
from workspace.imports.import_pages import own_jobs

FormData = Mapping[str, str]
# By button: the act, and its values by the names that the form has for them.
BUTTONS = {
    "rename": ("rename", {"name": "slug"}),
    "share": ("share", {"username": "username"}),
    "share-no-longer": ("unshare", {"username": "username"}),
    "rename-labels": ("rename-labels", {"labels": "name", "to": "to"}),
    "delete-labels": ("delete-labels", {"labels": "name"}),
    "rename-run": ("rename-run", {"run": "name", "to": "to"}),
    "delete-run": ("delete-run", {"run": "name"}),
    "delete": ("delete", {"typed": "typed"}),
}
RUNS = (
    Column[RunContent]("run", "Run", lambda run: run.tag, number=False),
    Column[RunContent]("topics", "Topics", lambda run: run.topics),
    Column[RunContent]("shortest", "Shortest list", lambda run: run.shortest),
    Column[RunContent]("median", "Median", lambda run: run.median),
    Column[RunContent]("longest", "Longest", lambda run: run.longest),
    Column[RunContent]("shared", "Shared", lambda run: run.shared),
)


@staff_page
def collections(request: HttpRequest) -> HttpResponse:
    visible = Collection.objects.seen_by(request.user).counted().order_by("slug")
    context = {"here": "collections", "collections": list(visible), "jobs": own_jobs(request)}
    return render(request, "workspace/collections.html", context)


@staff_page
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


@staff_page
def change(request: HttpRequest, slug: str) -> HttpResponse:
    collection = collection_for(request.user, slug, to_change=True)
    fault, data = "", request.POST.dict()
    if request.method == "POST":
        fault = _perform(request, collection, data)
        if not fault:
            return _redirect_after(data, collection)
    numbers = changing.related_counts(collection)
    context = {
        "here": "collections",
        "collection": collection,
        "fault": fault,
        "sent": data,
        "hanging": [count(n, what, PLURALS.get(what, "")) for what, n in numbers.items() if n],
        "studies": Study.objects.seen_by(request.user)
        .filter(collection=collection)
        .order_by("slug"),
        "colleagues": collection.shared_with.order_by("username"),
        "label_sets": collection.label_sets.order_by("name"),
        "runs": collection.runs.order_by("tag"),
    }
    return render(request, "workspace/change_collection.html", context)


PLURALS = {"study": "studies"}


def _perform(request: HttpRequest, collection: Collection, data: FormData) -> str:
    if data.get("action", "") not in BUTTONS:
        return "There is no such button."
    name, fields = BUTTONS[data["action"]]
    try:
        values = {value: data[field] for field, value in fields.items()}
        done = ACTS[name].do(collection, logged_in(request), **values)
    except (CannotChange, NotYours) as fault:
        return str(fault)
    except KeyError as fault:
        return f"{fault.args[0]}: this is missing."
    is_gone = name == "delete"
    message = "The collection is deleted." if is_gone else ACTS[name].message(done, values)
    messages.success(request, message)
    return ""


def _redirect_after(data: FormData, collection: Collection) -> HttpResponse:
    if data["action"] == "delete":
        return redirect("collections")
    return redirect(
        "change-collection", data["name"] if data["action"] == "rename" else collection.slug
    )
