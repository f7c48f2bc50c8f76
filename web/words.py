"""Lazy texts, in the language of the page that shows them."""

from datetime import date
from typing import TYPE_CHECKING

from django.utils.formats import date_format, number_format
from django.utils.functional import Promise, lazy
from django.utils.translation import pgettext

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise as Words
else:
    Words = str | Promise  # a text, or a lazy one

__all__ = ["Grouped", "Words", "format_day", "lazy_day"]


class Grouped(int):
    """A whole number for `format_lazy`: 2,000 on an English page, 2.000 on a German one."""

    def __format__(self, spec: str) -> str:
        return number_format(int(self), force_grouping=True)


def format_day(when: date) -> str:
    # Translators: how a day is written, in the letters of Django's date filter.
    return date_format(when, pgettext("format of a day", "j F Y"))


lazy_day = lazy(format_day, str)
