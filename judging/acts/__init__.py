"""What is done to a study or a collection: one declaration for page, REST and command.

`manage.py act` lists them all; docs/decisions/0019-one-declaration-for-an-act.md says why.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judging.models import Role
from magnitudes.files.words import count
from web.rest.bodies import Body


@dataclass(frozen=True)
class Question:
    title: str
    lines: tuple[str, ...]
    button: str


class Nothing(Body):
    """Nothing has to be said."""


@dataclass(frozen=True)
class Act:
    """Something that is done to a study or a collection.

    text: what it does, as REST and the command describe it.
    do: takes the study or collection, who does it (None: a command), and values by name.
    body: the values, as REST and the command take them; a page's form has the same names.
    done: the message afterwards, with values in braces; a function takes what `do` returned.
    ask: what page and command ask to be confirmed; takes the study and the values.
    answer: the serializer of REST's answer, if that is not the study.
    rest_body: in the place of `body`, where REST wants something else.
    """

    text: str
    do: Callable[..., Any]
    body: type[Body] = Nothing
    done: str | Callable[[Any], str] = "It is done."
    role: Role = Role.EDITOR
    ask: Callable[..., Question] | None = None
    answer: Any = None
    status: int = 200
    rest_body: type[Body] | None = None

    def message(self, result: Any, values: dict[str, Any]) -> str:
        return self.done.format(**values) if isinstance(self.done, str) else self.done(result)


def deleted(numbers: dict[str, int]) -> str:
    return ", ".join(["Deleted", *(count(n, name) for name, n in numbers.items() if n)])
