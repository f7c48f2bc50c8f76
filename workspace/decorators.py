from collections.abc import Callable
from typing import TypeVar

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase
from django.views.decorators.cache import never_cache

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def staff_page(view: View) -> View:
    """A page for people who are logged in, which no cache keeps."""
    return never_cache(login_required(view))
