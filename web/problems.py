"""Errors as RFC 9457 problem details."""

from typing import Any

from django.core.exceptions import PermissionDenied as Forbidden
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework.exceptions import (
    APIException,
    MethodNotAllowed,
    NotFound,
    PermissionDenied,
    ValidationError,
)
from rest_framework.response import Response
from rest_framework.views import exception_handler

MEDIA_TYPE = "application/problem+json"


def as_problem(fault: Exception, context: dict[str, Any]) -> Response | None:
    """What the API answers to an error: title, status and detail; for bad fields, `errors` too."""
    response = exception_handler(fault, context)
    if response is None:
        return None
    error = _as_api_error(fault)
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": _title(error),
        "status": response.status_code,
    }
    if isinstance(error, ValidationError):
        problem["errors"] = response.data
        problem["detail"] = " ".join(_sentences(response.data))
    else:
        problem["detail"] = str(fault) if isinstance(fault, Http404) else str(error.detail)
    return Response(
        problem,
        status=response.status_code,
        headers={k: response[k] for k in ("WWW-Authenticate", "Retry-After") if k in response},
        content_type=MEDIA_TYPE,
    )


def _as_api_error(fault: Exception) -> APIException:
    if isinstance(fault, APIException):
        return fault
    return PermissionDenied(str(fault) or None) if isinstance(fault, Forbidden) else NotFound()


def _title(fault: APIException) -> str:
    """What kind of error it is, in words that are the same for each of its kind."""
    if isinstance(fault, MethodNotAllowed):
        return "Method not allowed"
    return str(fault.default_detail).rstrip(".")


def _sentences(errors: Any) -> list[str]:
    if isinstance(errors, str):
        return [errors]
    if isinstance(errors, dict):
        return [f"{name}: {text}" for name, inner in errors.items() for text in _sentences(inner)]
    return [text for inner in errors for text in _sentences(inner)]


def problem(title: str, status: int, detail: str) -> JsonResponse:
    """A problem that is none of a view's."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)


def no_such_address(request: HttpRequest, rest: str = "") -> JsonResponse:
    """For addresses below /api/ that do not exist."""
    detail = f"There is nothing at {request.path}; /api/docs/ lists what there is."
    return problem("Not found", 404, detail)
