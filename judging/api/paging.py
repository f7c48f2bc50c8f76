"""Long lists in pages."""

from rest_framework.pagination import CursorPagination


class InOrder(CursorPagination):
    """Pages by cursor, oldest first: what comes meanwhile does not shift them."""

    ordering = "id"
    page_size = 100
    page_size_query_param = "page_size"
    max_page_size = 1000
