"""What all changes by REST share: a checked body, idempotent work, errors as responses."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.http import Http404
from django.urls import URLPattern, path
from rest_framework import serializers
from rest_framework.exceptions import APIException, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from accounts.idempotency import idempotent
from accounts.models import logged_in
from judging.acts import Act, Nothing
from judging.acts.studies import AtVersion
from judging.api.serializers import StudySerializer
from judging.collections import changing
from judging.collections.access import NotYours
from judging.models import Collection, Role
from judging.studies.access import study_for
from judging.studies.faults import BadStudy
from judging.studies.team import CannotChange, MayNotGive
from judging.studies.unit_plans import CannotPlan
from web.rest.bodies import checked
from web.rest.parameters import WithParameters


class Conflict(APIException):
    """It cannot be done with the study as it is."""

    status_code = 409
    default_detail = "It cannot be done as things stand"


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise what a study or a collection refuses as REST errors.

    ValidationError: some of what was sent is wrong; Conflict: it is right, and the study or
    collection does not allow it as it is; PermissionDenied: they may not give what they do not
    have, or it is somebody else's; Http404: it was deleted meanwhile.
    """
    try:
        yield
    except BadStudy as fault:
        raise _as_error(fault) from fault
    except (MayNotGive, NotYours) as fault:
        raise PermissionDenied(str(fault)) from fault
    except (CannotPlan, CannotChange, changing.CannotChange) as fault:
        raise Conflict(str(fault)) from fault
    except Collection.DoesNotExist as fault:
        raise Http404("There is no such collection.") from fault


def _as_error(refusal: BadStudy) -> APIException:
    if not any(fault.where for fault in refusal.faults):
        return Conflict(str(refusal))
    errors: dict[str, Any] = {}
    for fault in refusal.faults:
        *path, last = fault.where or (api_settings.NON_FIELD_ERRORS_KEY,)
        node = errors
        for name in path:
            node = node.setdefault(name, {})
        node.setdefault(last, []).append(fault.what)
    return ValidationError(errors)


def do_act(act: Act, request: Request, slug: str, **values: Any) -> Any:
    """Do it if they may; returns what the act returns."""
    study = study_for(request.user, slug, act.role)
    with translate_errors():
        return act.do(study, logged_in(request), **values)


def change_study(
    change: Callable[..., Any], body: type[AtVersion], request: Request, slug: str, name: str = ""
) -> Any:
    """Let an editor make a change of what is set up, for who saw a version of it.

    change: takes the slug, the values sent (or the one called `name`), who it is, and the version.
    """
    study_for(request.user, slug, Role.EDITOR)
    data = checked(body, request)
    version = data.pop("version", None)
    with translate_errors():
        return change(slug, data[name] if name else data, logged_in(request), version)


class Verb(WithParameters):
    """Something that is done to a study by a POST: an act, or what a subclass performs."""

    role = Role.EDITOR
    request_serializer: type[serializers.Serializer[Any]] = Nothing
    response_serializer: Any = StudySerializer
    status = 200

    @idempotent
    def post(self, request: Request, slug: str, **url_kwargs: Any) -> Response:
        subject = self.subject(slug)
        data = checked(self.request_serializer, request)
        with translate_errors():
            done = self.perform(subject, logged_in(request), **url_kwargs, **data)
        return Response(self.answer(subject, done), self.status)

    def subject(self, slug: str) -> Any:
        """What it is done to, for somebody who may."""
        return study_for(self.request.user, slug, self.role)

    def perform(self, study: Any, by: Any, **data: Any) -> Any:
        """Do it, and return what `response_serializer` takes."""
        raise NotImplementedError

    def answer(self, subject: Any, done: Any) -> Any:
        return self.response_serializer(done).data


def addresses(
    parts: Mapping[str, Mapping[str, Any]],
    below: str = "studies/<slug:slug>/",
    verb: type[Verb] = Verb,
) -> list[URLPattern]:
    """parts: by tag and address a view, an act, or a view and the act that is its POST.

    An address that begins with a slash is not `below`. verb: the view of an act alone.
    """
    patterns = []
    for tag, views in parts.items():
        for address, entry in views.items():
            view, act = (verb, entry) if isinstance(entry, Act) else (entry, None)
            if isinstance(entry, tuple):
                view, act = entry
            options: dict[str, Any] = {}
            if act:
                options = {"description": act.text, "perform": act.do, "status": act.status}
                options |= {"request_serializer": act.rest_body or act.body, "role": act.role}
                options |= {"response_serializer": act.answer} if act.answer else {}
            route = address[1:] if address.startswith("/") else below + address
            patterns.append(path(route, view.as_view(tag=tag, **options)))
    return patterns
