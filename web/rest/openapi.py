from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from web.rest.problems import MEDIA_TYPE, ProblemSerializer

# The parameters in paths.
PATH_PARAMETERS = {
    "slug": "The name in addresses of a study, or of a collection.",
    "name": "The name of an analysis, or of a rehearsal.",
    "username": "Somebody's name to log in.",
    "pseudonym": "The pseudonym of a worker.",
    "query_id": "The number of a topic.",
    "key": "The number of an invitation or an import; of an upload, its key.",
    "part": "The name of a figure or table.",
    "table": "The name of a table, as qrels or judgments.",
    "file_format": "How a file is written: csv, jsonl, and trec for qrels.",
}
REFUSALS = {
    400: "A parameter or field is unknown or not valid: `faults` says which.",
    401: "No log-in, or a token that is not known.",
    403: "You may see this, and not do it; or the token may only read.",
    404: "It does not exist, or you may not see it.",
    406: "Answers are JSON, or the kind that `file_format` names.",
    429: "Too many requests of this token.",
}
REFUSED_CHANGES = {
    409: "It cannot be done as things stand; or the same request is at work.",
    413: "The body is too long.",
    415: "Bodies are JSON.",
    422: "The Idempotency-Key was of another request.",
}


SUCCESS = [200, 201, 202, 204]


def _header(name: str, kind: type, text: str, answers: list[int] | None = None) -> OpenApiParameter:
    return OpenApiParameter(name, kind, "header", description=text, response=answers or False)


RATE_HEADERS = [
    _header("RateLimit-Limit", int, "Requests that a token may make in a minute.", [*SUCCESS, 429]),
    _header("RateLimit-Remaining", int, "How many are left.", [*SUCCESS, 429]),
    _header("RateLimit-Reset", int, "Seconds until there are as many again.", [*SUCCESS, 429]),
    _header("Retry-After", int, "Seconds until it is worth asking again.", [202, 409, 429]),
]
# Of responses that may be 304.
ETAG = _header(
    "ETag",
    str,
    "Of these data as they are; with it as If-None-Match they are sent if changed.",
    [200],
)
# Of files of gains.
GAINS_HEADERS = [
    ETAG,
    _header("Remarks", str, "What is lost where gains are written as whole numbers.", [200]),
    _header("Level-Gains", str, "With `levels`: the gain of each, as 1=0.43,2=0.96.", [200]),
    _header("Trec-Eval-Gains", str, "With `levels`: the same for ndcg of trec_eval.", [200]),
]
LOCATION = _header("Location", str, "The address of what was made.", [201, 202])
IDEMPOTENCY_HEADERS = [
    _header(
        "Idempotency-Key",
        str,
        "Any text of your own, new for each thing to be done. The same request with the same key "
        "is done once, and gets the same answer again for a day.",
    ),
    _header("Idempotency-Replayed", str, "true: this is the answer of before.", SUCCESS),
]


def add_head_operations(endpoints: list[Any]) -> list[Any]:
    """A preprocessing hook that adds HEAD where views have a method for it."""
    heads = [
        (path, regex, "HEAD", callback)
        for path, regex, method, callback in endpoints
        if method == "GET" and "head" in vars(callback.cls)
    ]
    return [*endpoints, *heads]


class ApiSchema(AutoSchema):
    """A view's `error_responses` has further error responses, by method and status."""

    view: Any

    def get_summary(self) -> str:
        text = " ".join((self.get_description() or "").split())
        first, sentence_ends, _ = text.partition(". ")
        return first + "." if sentence_ends else text

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular does
        description = self.view.description if self.method == "POST" else ""
        return description or super().get_description()

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def get_override_parameters(self) -> list[Any]:
        parameters = self.view.parameters_of(self.method)
        declared: list[Any] = [parameters] if parameters().fields else []
        answers_again = self.method == "POST" and not getattr(self.view, "is_not_replayed", False)
        return declared + RATE_HEADERS + (IDEMPOTENCY_HEADERS if answers_again else [])

    def get_request_serializer(self) -> Any:
        if hasattr(self.view, "request_serializer") and self.method == "POST":
            return self.view.request_serializer
        return super().get_request_serializer()

    def get_response_serializers(self) -> Any:
        if hasattr(self.view, "response_serializer") and self.method == "POST":
            return {self.view.status: self.view.response_serializer}
        return super().get_response_serializers()

    def get_operation(self, *arguments: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*arguments)
        for parameter in operation.setdefault("parameters", []) if operation else []:
            if parameter["in"] == "path":
                parameter["description"] = PATH_PARAMETERS[parameter["name"]]
        return operation

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        changes = {} if self.method in ("GET", "HEAD") else REFUSED_CHANGES
        own = getattr(self.view, "error_responses", {}).get(self.method, {})
        refusals = {
            str(status): self._get_response_for_code(ProblemSerializer, str(status), [MEDIA_TYPE])
            | {"description": text}
            for status, text in (REFUSALS | changes | own).items()
        }
        return refusals | super()._get_response_bodies(direction)
