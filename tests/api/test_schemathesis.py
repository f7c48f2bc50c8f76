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
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from accounts.models import Token, User
from accounts.tokens import make_token
from config.wsgi import application
from workspace.imports import uploads

schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
pytestmark = [pytest.mark.nightly, pytest.mark.django_db]
# A name may be well formed, and none of a topic or measure that there is: that is 400, too.
NOT_HELD_TO = [positive_data_acceptance]
# Another version of tus is answered 412, as the protocol has it.
REFUSALS = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 428, 429, "5xx"]
CONFIG = {"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}}
EXAMPLES = int(os.environ.get("EXAMPLES", "1"))


@pytest.fixture(autouse=True)
def one_connection():
    """The connection of the test stays open between requests, as with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def rosa(db):
    return User.objects.create_user("rosa", is_superuser=True)


@pytest.fixture
def headers(rosa, study, settings):
    settings.REQUESTS_PER_MINUTE = 1_000_000
    secret = make_token(rosa, "x", Token.Scope.WRITE, days=1)
    # Its client of WSGI asks for gzip, and unpacks nothing.
    return {"Authorization": f"Token {secret}", "Accept-Encoding": "identity"}


@pytest.fixture
def places(rosa, study, settings, tmp_path):
    """What there is, by the beginning of an address and the name of what varies in it."""
    settings.UPLOAD_DIR = str(tmp_path)
    settings.PROLIFIC_API_URL = "http://127.0.0.1:9"  # where nobody answers
    file = b"401 Q0 D 1 9 a\n"
    upload = uploads.receive(rosa, "a.run", len(file), [file])
    there = {"slug": study.slug, "name": "spread"}
    return {
        "/api/v1/studies/": there,
        "/api/v1/collections/": {"slug": study.collection.slug},
        "/api/v1/uploads/": {"key": str(upload.key)},
    }


def operations() -> Iterator[Any]:
    schema = schemathesis.openapi.from_wsgi(
        "/api/schema/?format=json", application, config=SchemathesisConfig.from_dict(CONFIG)
    )
    for result in schema.get_all_operations():
        yield result.ok()


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_answer_is_as_described(headers, places, mode):
    for operation in operations():
        if mode == GenerationMode.POSITIVE or operation.query or operation.body:
            there = [ids for begin, ids in places.items() if operation.path.startswith(begin)]
            try_out(operation, mode, headers, there[0] if there else {})


def try_out(
    operation: Any, mode: GenerationMode, headers: dict[str, str], places: dict[str, str]
) -> None:
    """Send requests of one address and method, each of which leaves everything as it was."""

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
