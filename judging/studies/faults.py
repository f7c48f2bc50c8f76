from collections.abc import Iterable
from typing import NamedTuple

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS

from web.words import Words


class Fault(NamedTuple):
    """where: the names that lead to it in a study.toml, as `("topics", "402", "h_k")`, or ()."""

    where: tuple[str, ...]
    what: Words

    @property
    def line(self) -> str:
        names = [*self.where]
        if names[:1] == ["topics"] and len(names) > 1:
            names[:2] = [f"Topic {names[1]}"]
        return ": ".join((*names, str(self.what)))


class BadStudy(ValueError):
    """The study cannot be made, changed or opened; each line of the message names a fault."""

    def __init__(self, *faults: Fault | Words) -> None:
        self.faults = [fault if isinstance(fault, Fault) else Fault((), fault) for fault in faults]
        super().__init__("\n".join(fault.line for fault in self.faults))


def faults_of(form: forms.BaseForm, *where: str) -> Iterable[Fault]:
    """At `where`: one fault a field, then those of the whole form."""
    for name, errors in form.errors.items():
        messages = list(map(str, errors))
        if name == NON_FIELD_ERRORS:
            yield from (Fault(where, message) for message in messages)
        else:
            yield Fault((*where, name), " ".join(messages))


def unknown_names(
    settings: dict[str, object], allowed: Iterable[str], *where: str
) -> Iterable[Fault]:
    allowed = sorted(allowed)
    if unknown := sorted(settings.keys() - allowed):
        names = ", ".join(unknown)
        yield Fault(where, f"Unknown setting {names}; expected some of {', '.join(allowed)}")
