"""The numbers, for Prometheus."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from operations.health.doors import only_who_may_ask
from operations.metrics import of_requests, of_site


@never_cache
@require_safe
@only_who_may_ask
def metrics(request: HttpRequest) -> HttpResponse:
    """All numbers, in the text format of Prometheus."""
    text = generate_latest(of_requests.registry()) + generate_latest(of_site.registry)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)
