"""Long lists in pages."""

from typing import Any

from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from web.parameters import OneOf, Parameters, Text, Whole

USUAL, LARGEST = 100, 1000  # rows of a page
LONGEST_KEY = 19  # digits


class PageParameters(Parameters):
    """Which page of a list, and how long pages are."""

    cursor = Text("As in `next` and `previous`.")
    page_size = Whole(1, LARGEST, help_text=f"Rows of a page: {USUAL} unless asked for.")


class InOrder(CursorPagination):
    """Pages by cursor, oldest first: what comes meanwhile does not shift them."""

    ordering = "id"
    page_size = USUAL
    page_size_query_param = "page_size"
    max_page_size = LARGEST

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The cursor that is asked for, if it is one."""
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not self.is_position(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def is_position(self, text: str) -> bool:
        """Whether a cursor may stand there: at a key."""
        return text.isdecimal() and len(text) <= LONGEST_KEY


class ByMoment(InOrder):
    """Pages of what has no number, in the order in which it was begun."""

    ordering = ("begun_at", "pk")  # type: ignore[assignment]

    def is_position(self, text: str) -> bool:
        """Whether a cursor may stand there: at a moment."""
        try:
            return parse_datetime(text) is not None
        except ValueError:
            return False


class Ordering(OneOf):
    """The parameter `ordering`: by a field of the rows, backwards after `-`; the first if unset.

    fields: the column of each field. Of rows with the same value the first made comes first.
    """

    def __init__(self, fields: dict[str, str]) -> None:
        self.columns = fields | {f"-{name}": f"-{column}" for name, column in fields.items()}
        usual = next(iter(fields))
        says = f"By a field; backwards after `-`. {usual} unless asked for."
        super().__init__(list(self.columns), default=usual, help_text=says)


class Ordered(InOrder):
    """Pages by cursor, in the order that the view's parameter `ordering` asks for."""

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        field = view.parameters().fields["ordering"]
        column = field.columns[view.asked["ordering"]]
        return (column,) if column in ("id", "-id") else (column, "id")

    def is_position(self, text: str) -> bool:
        """Whether a cursor may stand there: at a key, or at any text."""
        return super().is_position(text) if self.ordering[0] in ("id", "-id") else "\0" not in text
