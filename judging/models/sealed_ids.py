"""Platforms' ids of people in the database: sealed, and found by an HMAC.

Version 0.1 kept them as they are. Until `manage.py finish_upgrade` says that it runs nowhere any
more, rows are written as it knows them; afterwards, and in a database that began later, sealed.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models, transaction

from web import sealed_ids
from web.sealed_ids import lookups, name_of

BATCH = 1000  # rows that are sealed at a time


class IdKeys(models.Model):
    """Whether ids are sealed, and by which keys: their names, which tell nothing of them. One row.

    A process without these keys must not write: it would find nobody, and make everybody anew.
    """

    sealing = models.CharField(max_length=8)
    lookup = models.CharField(max_length=8)
    seals = models.BooleanField(help_text="No process of version 0.1 reads these tables any more.")

    def __str__(self) -> str:
        return f"sealed by {self.sealing}, found by {self.lookup}"

    @classmethod
    def of_site(cls) -> "IdKeys":
        """The row, made by whoever needs it first.

        Raises:
            ImproperlyConfigured: ids are sealed, and this process has not the keys.
        """
        row, _ = cls.objects.get_or_create(pk=1, defaults={"seals": True, **_first()})
        if row.seals:
            row.keys()
        return row

    def keys(self) -> tuple[str, str]:
        """The key by which ids are sealed now, and that by which they are found.

        Raises:
            ImproperlyConfigured: this process has not both.
        """
        sealing = {name_of(key): key for key in settings.PLATFORM_ID_KEYS}
        finding = {name_of(key): key for key in settings.PLATFORM_ID_LOOKUP_KEYS}
        if self.sealing in sealing and self.lookup in finding:
            return sealing[self.sealing], finding[self.lookup]
        raise ImproperlyConfigured(
            "Platforms' ids in the database are sealed by other keys than PLATFORM_ID_KEY and "
            "PLATFORM_ID_LOOKUP_KEY of this process. Give every process the same ones; those of "
            "the past belong into PLATFORM_ID_KEY_FALLBACKS and PLATFORM_ID_LOOKUP_KEY_FALLBACKS."
        )

    @classmethod
    def finish_upgrade(cls) -> None:
        """From now on rows are written sealed: no process of version 0.1 runs any more."""
        cls.of_site()
        cls.objects.filter(pk=1, seals=False).update(seals=True, **_first())

    @classmethod
    def rotate(cls) -> None:
        """From now on rows are written by the keys that this process names first.

        Every process has them already, if as keys of the past.
        """
        cls.of_site()
        cls.objects.filter(pk=1).update(**_first())


def _first() -> dict[str, str]:
    """The names of the keys that the settings name first."""
    return {
        "sealing": name_of(settings.PLATFORM_ID_KEYS[0]),
        "lookup": name_of(settings.PLATFORM_ID_LOOKUP_KEYS[0]),
    }


class SealedQuerySet(models.QuerySet[Any]):
    """Rows that have a platform's id of somebody."""

    def known_as(self, *external_ids: str) -> Self:
        """Those of one of these ids, sealed or not, by whichever key."""
        return self.filter(found_by__in=[name for one in external_ids for name in lookups(one)])

    def bulk_create(self, objs: Iterable[Any], *arguments: Any, **options: Any) -> list[Any]:
        """As Django's, sealed."""
        rows = list(objs)
        _write_down(rows)
        return super().bulk_create(rows, *arguments, **options)

    def to_seal(self, keys: IdKeys) -> Self:
        """Those with an id that is not sealed, or not by these keys."""
        of_today = models.Q(
            sealed__startswith=f"{keys.sealing}.",
            found_by__startswith=sealed_ids.lookup_begins(keys.lookup),
        )
        return self.exclude(of_today).exclude(found_by="")

    def seal(self) -> int:
        """Seal a batch of those that are to be; returns how many there were."""
        with transaction.atomic():
            to_seal = self.to_seal(IdKeys.of_site())
            rows = list(to_seal.select_for_update(of=("self",)).order_by("pk")[:BATCH])
            for row in rows:
                row.content = row.content
            _write_down(rows)
            self.bulk_update(rows, self.model.COLUMNS)
        return len(rows)


class WithSealedId(models.Model):
    """A row with a platform's id of somebody, and perhaps more that is sealed with it.

    COLUMNS: those that hold it. `content` is what is sealed, as JSON has it.
    """

    COLUMNS: Sequence[str] = ("found_by", "sealed")
    found_by: Any

    sealed = models.TextField(blank=True, default="", db_default="", editable=False)

    objects: ClassVar[Any] = SealedQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *arguments: Any, **options: Any) -> None:
        """As Django's, sealed."""
        if self.__dict__.get("_is_new") and options.get("update_fields") is not None:
            options["update_fields"] = {*options["update_fields"], *self.COLUMNS}
        _write_down([self])
        super().save(*arguments, **options)

    def about(self) -> str:
        """What the id belongs to: it opens nowhere else."""
        raise NotImplementedError

    @property
    def content(self) -> dict[str, Any]:
        """What is sealed: the id, and perhaps more."""
        if "_content" not in self.__dict__:
            self.__dict__["_content"] = (
                json.loads(sealed_ids.opened(self.sealed, self.about()))
                if self.sealed
                else self._plain()
            )
        return self.__dict__["_content"]

    @content.setter
    def content(self, content: dict[str, Any]) -> None:
        self.__dict__["_content"] = content
        self.__dict__["_is_new"] = True

    def _plain(self) -> dict[str, Any]:
        """What is sealed, of a row that is not."""
        return {"id": self.found_by}

    def _keep(self, content: dict[str, Any], keys: tuple[str, str] | None) -> None:
        """Set the columns; without keys as version 0.1 knows them."""
        self.found_by, self.sealed = content["id"], ""
        if keys and content["id"]:  # one that is empty was deleted, or the database refuses it
            sealing, lookup = keys
            self.found_by = sealed_ids.lookup(content["id"], lookup)
            self.sealed = sealed_ids.sealed(json.dumps(content), self.about(), sealing)

    @property
    def external_id(self) -> str:
        """The platform's id."""
        return str(self.content["id"])

    @external_id.setter
    def external_id(self, external_id: str) -> None:
        self.content = self.content | {"id": external_id}

    def refresh_from_db(self, *arguments: Any, **options: Any) -> None:
        """As Django's; what was open is closed."""
        self.__dict__.pop("_content", None)
        super().refresh_from_db(*arguments, **options)


def _write_down(rows: Sequence[WithSealedId]) -> None:
    """Set the columns of rows whose content is new, as they are kept on this site."""
    new = [row for row in rows if row.__dict__.pop("_is_new", False)]
    if new:
        site = IdKeys.of_site()
        keys = site.keys() if site.seals else None
        for row in new:
            row._keep(row.content, keys)
