"""Who may see the pages of researchers."""

from collections.abc import Callable

from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpResponseBase

View = Callable[..., HttpResponseBase]


def staff_only(view: View) -> View:
    """Let only staff see a page; others come to the log-in."""
    return staff_member_required(view, login_url="login")
