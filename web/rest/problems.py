from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied as Forbidden
from django.http import Http404, HttpRequest, JsonResponse
from django.urls import resolve
from django.views.decorators.csrf import csrf_exempt
from rest_framework import serializers
from rest_framework.exceptions import (
    APIException,
    MethodNotAllowed,
    NotFound,
    PermissionDenied,
    ValidationError,
)
from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

MEDIA_TYPE = "application/problem+json"


class BadParameter(ValidationError):
    """A query parameter or header is not valid: not a fault of the body."""


class FaultSerializer(serializers.Serializer[Any]):
    """Where something is wrong, and what."""

    pointer = serializers.CharField(
        required=False, help_text="In the body, a JSON pointer: #/topics/401/question."
    )
    parameter = serializers.CharField(required=False, help_text="Of the address, or a header.")
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """Why a request is refused (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField(help_text="The same for all of its kind.")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What is wrong here, as a sentence for people.")
    errors = serializers.DictField(
        required=False, help_text="For each name that is wrong, the sentences."
    )  # type: ignore[assignment]
    faults = FaultSerializer(many=True, required=False, help_text="The same, one by one.")


def as_problem(fault: Exception, context: dict[str, Any]) -> Response | None:
    """The exception handler of DRF.

    For validation errors also `errors` by name, and `faults`, which point to each of them.
    """
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
        in_body = context["request"].method not in SAFE_METHODS
        in_body &= not isinstance(error, BadParameter)
        problem["faults"] = list(_faults(response.data, in_body=in_body))
        problem["detail"] = " ".join(sentences(response.data))
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
    """The same for all errors of a type."""
    if isinstance(fault, MethodNotAllowed):
        return "Method not allowed"
    return str(fault.default_detail).split(' "{')[0].rstrip(".")


def sentences(errors: Any) -> list[str]:
    if isinstance(errors, str):
        return [errors]
    if isinstance(errors, dict):
        return [f"{name}: {text}" for name, inner in errors.items() for text in sentences(inner)]
    return [text for inner in errors for text in sentences(inner)]


def _faults(errors: Any, *, in_body: bool) -> Iterator[dict[str, str]]:
    """With a JSON pointer (RFC 6901) into the body, or with the parameter."""
    for path, text in _places(errors):
        if in_body:
            steps = (step.replace("~", "~0").replace("/", "~1") for step in path)
            yield {"pointer": "".join(["#", *(f"/{step}" for step in steps)]), "detail": text}
        else:
            yield {"parameter": "/".join(path), "detail": text}


def _places(errors: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(errors, str):
        yield path, errors
        return
    named = errors.items() if isinstance(errors, dict) else enumerate(errors)
    for name, inner in named:
        nowhere = name == api_settings.NON_FIELD_ERRORS_KEY
        sentence = isinstance(errors, list) and isinstance(inner, str)
        yield from _places(inner, path if nowhere or sentence else (*path, str(name)))


def problem(title: str, status: int, detail: str) -> JsonResponse:
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)


@csrf_exempt
def no_such_address(request: HttpRequest) -> JsonResponse:
    """404 for unknown paths below /api/, with a hint if only a slash is missing."""
    whole = f"{request.path}/"
    if not request.path.endswith("/") and resolve(whole).func is not no_such_address:
        detail = f"There is nothing at {request.path}: addresses end in a slash, as {whole}"
    else:
        detail = f"There is nothing at {request.path}; /api/docs/ lists what there is."
    return problem("Not found", 404, detail)
