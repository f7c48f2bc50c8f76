"""Every page of a worker is rendered here, in the language of their study.

Texts in code are lazy, so that what is stored never depends on a language.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils import translation

from judging.models import Study

A_DAY = 24 * 60 * 60


def render_page(
    request: HttpRequest,
    study: Study,
    template: str,
    context: Mapping[str, Any],
    status: int = 200,
) -> HttpResponse:
    """`template` of templates/worker, in the language of the study.

    What depends on the study alone is rendered once for each state of its row, if that is known.
    """
    context = {"study": study, "fragment_seconds": A_DAY if study.row_version else 0, **context}
    with translation.override(study.language):
        return render(request, f"worker/{template}.html", context, status=status)


class SeeOther(HttpResponseRedirect):
    """The browser asks for it by GET: Back and Reload never send a form again."""

    status_code = 303


def redirect_to_entry(slug: str, **shown: str) -> SeeOther:
    return SeeOther(f"{resolve_url('study', slug=slug)}?{urlencode(shown)}")


def redirect_to_document(slug: str, position: int, flag: str = "") -> SeeOther:
    address = resolve_url("document", slug=slug, position=position)
    return SeeOther(f"{address}?{flag}" if flag else address)
