"""Long lists in pages."""

from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request


class InOrder(CursorPagination):
    """Pages by cursor, oldest first: what comes meanwhile does not shift them."""

    ordering = "id"
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000

    def decode_cursor(self, request: Request) -> Cursor | None:
        """The cursor that is asked for, if it is one: its position is a key."""
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not str(cursor.position).isdecimal():
            raise NotFound(self.invalid_cursor_message)
        return cursor
