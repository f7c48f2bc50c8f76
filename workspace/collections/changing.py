"""The page on which the owner of a collection shares, renames and deletes."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from accounts.models import User, logged_in
from judging.collections import changing
from judging.collections.access import NotYours, collection_for
from judging.collections.changing import CannotChange
from judging.models import Collection, Study
from trec.words import count

FormData = Mapping[str, str]
Action = Callable[[Collection, FormData, User], Any]
# What each button does, and the message afterwards.
ACTIONS: dict[str, tuple[Action, str]] = {
    "rename": (
        lambda collection, data, by: changing.rename(collection, data["name"], by),
        "It is called {name} now.",
    ),
    "share": (
        lambda collection, data, by: changing.share(collection, data["username"].strip(), by),
        "{username} sees the collection now.",
    ),
    "share-no-longer": (
        lambda collection, data, by: changing.unshare(collection, data["username"], by),
        "It is not shared with {username} any more.",
    ),
    "rename-labels": (
        lambda collection, data, by: changing.rename_labels(
            collection, data["labels"], data["to"], by
        ),
        "The labels {labels} are called {to} now.",
    ),
    "delete-labels": (
        lambda collection, data, by: changing.delete_labels(collection, data["labels"], by),
        "The labels {labels} are deleted.",
    ),
    "rename-run": (
        lambda collection, data, by: changing.rename_run(collection, data["run"], data["to"], by),
        "The run {run} is called {to} now.",
    ),
    "delete-run": (
        lambda collection, data, by: changing.delete_run(collection, data["run"], by),
        "The run {run} is deleted.",
    ),
    "delete": (
        lambda collection, data, by: changing.delete_collection(collection, by, data["typed"]),
        "The collection is deleted.",
    ),
}


@never_cache
@login_required
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """What hangs on a collection, and what its owner may do with it."""
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
    """Do what a button says; returns the fault, or nothing."""
    action, message = ACTIONS.get(data.get("action", ""), (None, ""))
    if action is None:
        return "There is no such button."
    try:
        action(collection, data, logged_in(request))
    except (CannotChange, NotYours) as fault:
        return str(fault)
    except KeyError as fault:
        return f"{fault.args[0]}: this is missing."
    messages.success(request, message.format(**data))
    return ""


def _redirect_after(data: FormData, collection: Collection) -> HttpResponse:
    if data["action"] == "delete":
        return redirect("collections")
    return redirect(
        "change-collection", data["name"] if data["action"] == "rename" else collection.slug
    )
