"""What all changes by REST share: a checked body, idempotent work, errors as responses."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import APIException, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from accounts.idempotency import idempotent
from accounts.models import User, logged_in
from judging.api.serializers import StudySerializer
from judging.models import Role, Study
from judging.studies.access import study_for
from judging.studies.faults import BadStudy
from judging.studies.planning import CannotPlan
from judging.studies.team import CannotChange, MayNotGive
from web.bodies import Body, checked
from web.parameters import WithParameters


class Conflict(APIException):
    """It cannot be done with the study as it is."""

    status_code = 409
    default_detail = "It cannot be done as things stand"


class Nothing(Body):
    """Nothing has to be said."""


class AtVersion(Body):
    """A change by somebody who saw the study in one version."""

    version = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Of the study as you saw it: if it has changed since, nothing is done (409).",
    )


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise what a study refuses as REST errors: of its fields (400), or of its state (409).

    Raises:
        ValidationError: some of what was sent is wrong.
        Conflict: what was sent is right, and the study as it is does not allow it.
        PermissionDenied: they may not give what they do not have.
    """
    try:
        yield
    except BadStudy as fault:
        raise _as_error(fault) from fault
    except MayNotGive as fault:
        raise PermissionDenied(str(fault)) from fault
    except (CannotPlan, CannotChange) as fault:
        raise Conflict(str(fault)) from fault


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


class Verb(WithParameters):
    """Something that is done to a study by a POST."""

    role = Role.EDITOR
    request_serializer: type[serializers.Serializer[Any]] = Nothing
    response_serializer: Any = StudySerializer
    status = 200

    @idempotent
    def post(self, request: Request, slug: str, **url_kwargs: Any) -> Response:
        study = study_for(request.user, slug, self.role)
        data = checked(self.request_serializer, request)
        with translate_errors():
            done = self.perform(study, logged_in(request), **url_kwargs, **data)
        return Response(self.response_serializer(done).data, self.status)

    def perform(self, study: Study, by: User, **data: Any) -> Any:
        """Do it, and return what `response_serializer` takes."""
        raise NotImplementedError
