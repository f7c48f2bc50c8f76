from rest_framework import serializers

from judging.acts import Act, deleted
from judging.collections import changing
from web.rest.bodies import Body


class NewName(Body):
    """A new name."""

    slug = serializers.SlugField(max_length=50)


class Colleague(Body):
    """Somebody."""

    username = serializers.CharField(max_length=150)


class Free(Body):
    """Whether something is free."""

    free = serializers.BooleanField()


class OtherName(Body):
    """An old name and a new one."""

    name = serializers.CharField(max_length=200, trim_whitespace=False)
    to = serializers.CharField(max_length=200, trim_whitespace=False)


class Named(Body):
    """The name of a label set or a run."""

    name = serializers.CharField(max_length=200, trim_whitespace=False)


class TypedName(Body):
    """The name of what is deleted, typed once more."""

    typed = serializers.CharField(default="")


ACTS = {
    "rename": Act(
        "Give the collection another name in addresses.",
        lambda collection, by, slug: changing.rename(collection, slug, by),
        NewName,
        "It is called {slug} now.",
    ),
    "share": Act(
        "Let a colleague read the collection, and make studies on it.",
        lambda collection, by, username: changing.share(collection, username.strip(), by),
        Colleague,
        "{username} sees the collection now.",
    ),
    "unshare": Act(
        "Stop sharing the collection with a colleague.",
        lambda collection, by, username: changing.unshare(collection, username, by),
        Colleague,
        "It is not shared with {username} any more.",
    ),
    "free-texts": Act(
        "Say whether the texts of the collection may be published with what is judged on them.",
        lambda collection, by, free: changing.mark_free_to_share(collection, is_free=free, by=by),
        Free,
        lambda marked: f"The texts {'are' if marked.free_to_share else 'are not'} free to share.",
    ),
    "rename-labels": Act(
        "Give a label set another name.",
        lambda collection, by, name, to: changing.rename_labels(collection, name, to, by),
        OtherName,
        "The labels {name} are called {to} now.",
    ),
    "rename-run": Act(
        "Give a run another name.",
        lambda collection, by, name, to: changing.rename_run(collection, name, to, by),
        OtherName,
        "The run {name} is called {to} now.",
    ),
    "delete-labels": Act(
        "Delete a label set.",
        lambda collection, by, name: changing.delete_labels(collection, name, by),
        Named,
        "The labels {name} are deleted.",
    ),
    "delete-run": Act(
        "Delete a run.",
        lambda collection, by, name: changing.delete_run(collection, name, by),
        Named,
        "The run {name} is deleted.",
    ),
    "delete": Act(
        "Delete the collection with all that is in it; none with a study on it.",
        lambda collection, by, typed: changing.delete_collection(collection, by, typed),
        TypedName,
        deleted,
    ),
}
