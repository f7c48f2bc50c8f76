from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet

from judging.models import Collection, Study
from workspace.archive.columns import Column, Link, Stored


class Scope(NamedTuple):
    collection: Collection
    study: Study


@dataclass(frozen=True)
class Table:
    """A file of an archive, with one row of a model a line.

    rows: those of a study; owner: the field that names the study or its collection, if any; key:
    the paths by which other files name a row.
    """

    name: str
    model: type[Model]
    rows: Callable[[Scope], QuerySet[Any]]
    columns: tuple[Column, ...]
    owner: str = ""
    key: tuple[str, ...] = ()

    @property
    def sources(self) -> dict[str, str]:
        """The names in the file, with their paths in the database."""
        return {name: path for column in self.columns for name, path in column.sources.items()}

    @property
    def optional(self) -> set[str]:
        """The names that older archives lack."""
        return {name for column in self.columns if column.is_new for name in column.sources}


def stored(model: type[Model], *names: str) -> tuple[Stored, ...]:
    return tuple(Stored(name, model) for name in names)


def added(model: type[Model], *names: str) -> tuple[Stored, ...]:
    """Fields that older archives lack; they then have their defaults."""
    return tuple(Stored(name, model, is_new=True) for name in names)


def of_collection(model: type[Model]) -> Callable[[Scope], QuerySet[Any]]:
    return lambda scope: model._default_manager.filter(collection=scope.collection)


def of_study(model: type[Model], path: str = "study") -> Callable[[Scope], QuerySet[Any]]:
    return lambda scope: model._default_manager.filter(**{path: scope.study})


TOPIC = Link("topic", "topics", {"topic": "topic__query_id"})
