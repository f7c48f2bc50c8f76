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

Sent = Mapping[str, str]
Action = Callable[[Collection, Sent, User], Any]
# What each button does, and what is told then.
ACTIONS: dict[str, tuple[Action, str]] = {
    "rename": (
        lambda home, sent, by: changing.rename(home, sent["name"], by),
        "It is called {name} now.",
    ),
    "share": (
        lambda home, sent, by: changing.share(home, sent["username"].strip(), by),
        "{username} sees the collection now.",
    ),
    "share-no-longer": (
        lambda home, sent, by: changing.share_no_longer(home, sent["username"], by),
        "It is not shared with {username} any more.",
    ),
    "rename-labels": (
        lambda home, sent, by: changing.rename_labels(home, sent["labels"], sent["to"], by),
        "The labels {labels} are called {to} now.",
    ),
    "delete-labels": (
        lambda home, sent, by: changing.delete_labels(home, sent["labels"], by),
        "The labels {labels} are deleted.",
    ),
    "rename-run": (
        lambda home, sent, by: changing.rename_run(home, sent["run"], sent["to"], by),
        "The run {run} is called {to} now.",
    ),
    "delete-run": (
        lambda home, sent, by: changing.delete_run(home, sent["run"], by),
        "The run {run} is deleted.",
    ),
    "delete": (
        lambda home, sent, by: changing.delete_collection(home, by, sent["typed"]),
        "The collection is deleted.",
    ),
}


@never_cache
@login_required
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """What hangs on a collection, and what its owner may do with it."""
    home = collection_for(request.user, slug, to_change=True)
    fault, sent = "", request.POST.dict()
    if request.method == "POST":
        fault = _done(request, home, sent)
        if not fault:
            return _onward(sent, home)
    numbers = changing.hangs_on(home)
    context = {
        "here": "collections",
        "collection": home,
        "fault": fault,
        "sent": sent,
        "hanging": [count(n, what, PLURALS.get(what, "")) for what, n in numbers.items() if n],
        "studies": Study.objects.seen_by(request.user).filter(collection=home).order_by("slug"),
        "colleagues": home.shared_with.order_by("username"),
        "label_sets": home.label_sets.order_by("name"),
        "runs": home.runs.order_by("tag"),
    }
    return render(request, "workspace/change_collection.html", context)


PLURALS = {"study": "studies"}


def _done(request: HttpRequest, home: Collection, sent: Sent) -> str:
    """Do what a button says; what stands against it, or nothing."""
    action, told = ACTIONS.get(sent.get("action", ""), (None, ""))
    if action is None:
        return "There is no such button."
    try:
        action(home, sent, logged_in(request))
    except (CannotChange, NotYours) as fault:
        return str(fault)
    except KeyError as fault:
        return f"{fault.args[0]}: this is missing."
    messages.success(request, told.format(**sent))
    return ""


def _onward(sent: Sent, home: Collection) -> HttpResponse:
    if sent["action"] == "delete":
        return redirect("collections")
    return redirect("change-collection", sent["name"] if sent["action"] == "rename" else home.slug)
