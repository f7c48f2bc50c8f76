from typing import Any

from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from web.rest.parameters import OneOf, Parameters, Text, Whole

PAGE_SIZE, MAX_PAGE_SIZE = 100, 1000  # rows of a page
MAX_KEY_DIGITS = 19  # digits


class PageParameters(Parameters):
    cursor = Text("As in `next` and `previous`.")
    page_size = Whole(1, MAX_PAGE_SIZE, help_text=f"Rows of a page: {PAGE_SIZE} unless asked for.")


class ByIdPagination(CursorPagination):
    """By primary key, the oldest first, so that new rows do not shift pages."""

    ordering = "id"
    page_size = PAGE_SIZE
    page_size_query_param = "page_size"
    max_page_size = MAX_PAGE_SIZE

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not self.is_position(str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor

    def is_position(self, text: str) -> bool:
        return text.isdecimal() and len(text) <= MAX_KEY_DIGITS


class ByMomentPagination(ByIdPagination):
    """For rows without a numeric key, in the order in which they were begun."""

    ordering = ("begun_at", "pk")  # type: ignore[assignment]

    def is_position(self, text: str) -> bool:
        try:
            return parse_datetime(text) is not None
        except ValueError:
            return False


class Ordering(OneOf):
    """The parameter `ordering`: a field, descending after `-`; by default the first.

    fields: the column of each field. Equal rows are sorted by primary key.
    """

    def __init__(self, fields: dict[str, str]) -> None:
        self.columns = fields | {f"-{name}": f"-{column}" for name, column in fields.items()}
        default = next(iter(fields))
        help_text = f"By a field; backwards after `-`. {default} unless asked for."
        super().__init__(list(self.columns), default=default, help_text=help_text)


class OrderedPagination(ByIdPagination):
    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        field = view.parameters().fields["ordering"]
        column = field.columns[view.params["ordering"]]
        return (column,) if column in ("id", "-id") else (column, "id")

    def is_position(self, text: str) -> bool:
        return super().is_position(text) if self.ordering[0] in ("id", "-id") else "\0" not in text
