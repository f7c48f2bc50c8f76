import re
from urllib.parse import quote, unquote

from django.templatetags.static import static
from django.urls import path, register_converter
from django.views.generic import RedirectView

from web import views
from web.help import INDEX

ESCAPE = "~"


class IdConverter:
    """A topic number or document id from outside, which may contain any character, in a path.

    Special characters are written as ~ and two hexadecimal digits, as servers take a quoted slash
    for a separator.

    >>> IdConverter().to_url("http://a/~b"), IdConverter().to_python("http~3A~2F~2Fa~2F~7Eb")
    ('http~3A~2F~2Fa~2F~7Eb', 'http://a/~b')
    """

    regex = "[^/%]+"

    def to_python(self, value: str) -> str:
        if re.search(f"{ESCAPE}(?![0-9A-Fa-f]{{2}})", value):
            raise ValueError("an unfinished escape")
        original = unquote(value.replace(ESCAPE, "%"), errors="strict")
        if "\0" in original:
            raise ValueError("no id holds a zero byte")
        return original

    def to_url(self, value: str) -> str:
        quoted = quote(value, safe="").replace("~", "%7E").replace("%", ESCAPE)
        # Browsers take "." and ".." for folders.
        return quoted.replace(".", "~2E") if set(quoted) == {"."} else quoted


register_converter(IdConverter, "id")  # before the URLconfs of other apps, which use it

urlpatterns = [
    path("favicon.ico", RedirectView.as_view(url=static("img/icon.svg"))),
    path("help/", views.help_page, {"name": INDEX}, name="help"),
    path("help/<path:name>/", views.help_page, name="help-page"),
]
