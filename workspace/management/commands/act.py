"""Do to a study or a collection what its pages and REST do."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.http import Http404
from rest_framework import serializers

from judging.acts import Act, Question
from judging.acts.collections import ACTS as OF_COLLECTION
from judging.collections.changing import CannotChange as CannotChangeCollection
from judging.models import Collection, Study
from judging.studies.faults import BadStudy
from judging.studies.team import CannotChange
from judging.studies.unit_plans import CannotPlan
from web.rest.problems import sentences
from workspace.acts import BY_COMMAND as OF_STUDY

REFUSALS = (BadStudy, CannotPlan, CannotChange, CannotChangeCollection, Http404)
Subject = Study | Collection


class Command(BaseCommand):
    help = (
        "Do something to a study, or to collection/NAME, as its pages and REST do. Without an act "
        "the acts are listed, each with its values; those in brackets may be left out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("subject", nargs="?", default="", metavar="STUDY")
        parser.add_argument("act", nargs="?", metavar="ACT")
        parser.add_argument(
            "values",
            nargs="*",
            metavar="KEY=VALUE",
            help="a list has commas, or is JSON; @FILE is the text of a file, of a list its lines",
        )
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        kind, _, name = options["subject"].rpartition("/")
        acts = OF_COLLECTION if kind == "collection" else OF_STUDY
        if options["act"] is None:
            self.stdout.writelines(f"{line}\n" for line in _listed(acts))
            return
        model = Collection if kind == "collection" else Study
        subject: Subject | None = model._default_manager.filter(slug=name).first()
        if subject is None:
            raise CommandError(f"There is no {model._meta.model_name} {name}.")
        if options["act"] not in acts:
            raise CommandError(f"{options['act']}: expected one of {', '.join(acts)}")
        act = acts[options["act"]]
        values = _values(act, options["values"])
        try:
            if act.ask and not options["yes"] and sys.stdin.isatty():
                self._confirm(act.ask(subject, **values))
            done = act.do(subject, None, **values)
        except REFUSALS as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(act.message(done, values))

    def _confirm(self, question: Question) -> None:
        self.stdout.write("\n".join((question.title, *question.lines)))
        if input(f"{question.button}? [y/N] ").strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was changed.")


def _listed(acts: Mapping[str, Act]) -> Iterator[str]:
    for name, act in acts.items():
        fields = act.body().fields.items()
        keys = [key if field.required else f"[{key}]" for key, field in fields]
        yield " ".join((name, *keys))
        yield f"    {act.text}"


def _values(act: Act, words: list[str]) -> dict[str, Any]:
    body, data = act.body(), {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals:
            raise CommandError(f"{word}: expected KEY=VALUE")
        data[key] = _value(body.fields.get(key), text)
    body = act.body(data=data)
    if not body.is_valid():
        raise CommandError("\n".join((*sentences(body.errors), "Nothing was changed.")))
    return dict(body.validated_data)


def _value(field: Any, text: str) -> Any:
    is_list = isinstance(field, serializers.ListField)
    if text.startswith("@"):
        read = _text(text[1:])
        return read.splitlines() if is_list else read
    if isinstance(field, serializers.CharField | serializers.ChoiceField):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text.split(",") if is_list else text


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise CommandError(f"{path}: {fault}; expected a text in UTF-8") from fault
