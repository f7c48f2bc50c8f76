"""Every page of a worker is rendered here, in the language of their study.

Texts that code makes are lazy (`gettext_lazy`, `format_lazy`), so that they are put into words here
and nowhere before: what is stored never depends on a language.
"""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation

from judging.models import Study


def render_page(
    request: HttpRequest,
    study: Study,
    template: str,
    context: Mapping[str, Any],
    status: int = 200,
) -> HttpResponse:
    """A worker's page, `template` of templates/worker, in the language of the study."""
    with translation.override(study.language):
        return render(
            request, f"worker/{template}.html", {"study": study, **context}, status=status
        )
