import json
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.http import require_safe
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.settings import spectacular_settings

from web.rest.problems import problem

MEDIA_TYPES = {
    "application/vnd.oai.openapi": "yaml",
    "application/yaml": "yaml",
    "application/vnd.oai.openapi+json": "json",
    "application/json": "json",
}
_lock = Lock()  # drf-spectacular stores state on views, which threads share


class Description(NamedTuple):
    content: bytes
    etag: str


@require_safe
def description(request: HttpRequest) -> HttpResponseBase:
    """As YAML or JSON: by the parameter `format`, else by the header Accept."""
    file_format = request.GET.get("format")
    if file_format is None:
        media_type = request.get_preferred_type(list(MEDIA_TYPES))
        if media_type is None:
            return problem("Not acceptable", 406, f"Expected one of {', '.join(MEDIA_TYPES)}.")
    else:
        by_format = {name: media_type for media_type, name in reversed(MEDIA_TYPES.items())}
        if (media_type := by_format.get(file_format)) is None:
            raise Http404(f"Expected a format of {', '.join(by_format)}.")
    with _lock:
        schema = rendered_schema(MEDIA_TYPES[media_type])
    answer = HttpResponse(schema.content, content_type=f"{media_type}; charset=utf-8")
    patch_vary_headers(answer, ["Accept"])
    answer["Cache-Control"] = "no-cache"
    answer["ETag"] = schema.etag
    return get_conditional_response(request, schema.etag, response=answer) or answer


@cache
def rendered_schema(file_format: str) -> Description:
    """Called by one thread at a time."""
    generator = spectacular_settings.DEFAULT_GENERATOR_CLASS()
    schema: dict[str, Any] = generator.get_schema(public=True)
    if file_format == "json":
        content = json.dumps(schema, ensure_ascii=False).encode()
    else:
        content = OpenApiYamlRenderer().render(schema)
    return Description(content, f'"{sha256(content).hexdigest()[:32]}"')
