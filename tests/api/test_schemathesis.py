"""Requests that schemathesis makes up of the description, to find what that does not say.

`EXAMPLES=200` asks for more of each address than every run of the tests can take.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from accounts.models import Token, User
from accounts.tokens import make_token
from config.wsgi import application
from judging.models import Study

pytestmark = pytest.mark.django_db
# A name may be well formed, and none of a topic or measure that there is: that is 400, too.
NOT_HELD_TO = [positive_data_acceptance]
EXAMPLES = int(os.environ.get("EXAMPLES", "1"))


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """The connection of the test stays open between requests, as with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def headers(db: None, study: Study, settings: Any) -> dict[str, str]:
    settings.REQUESTS_PER_MINUTE = 1_000_000
    rosa = User.objects.create_user("rosa", is_superuser=True)
    secret = make_token(rosa, "x", Token.Scope.WRITE, days=1)
    return {"Authorization": f"Token {secret}"}


def operations() -> Iterator[Any]:
    schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)
    for result in schema.get_all_operations():
        yield result.ok()


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_answer_is_as_described(
    headers: dict[str, str], study: Study, mode: GenerationMode
) -> None:
    for operation in operations():
        if mode == GenerationMode.POSITIVE or operation.query or operation.body:
            try_out(operation, mode, headers, study)


def try_out(operation: Any, mode: GenerationMode, headers: dict[str, str], study: Study) -> None:
    """Send requests of one address and method, each of which leaves everything as it was."""
    places = {"slug": study.slug, "name": "spread"}

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def send(case: Case) -> None:
        for name in case.path_parameters.keys() & places.keys():
            case.path_parameters[name] = places[name]
        with transaction.atomic():
            case.call_and_validate(headers=headers, excluded_checks=NOT_HELD_TO)
            transaction.set_rollback(True)

    send()
