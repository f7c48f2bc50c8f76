"""The endpoint of the metrics."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from operations.health.access import require_status_token
from operations.metrics import of_requests, of_site


@never_cache
@require_safe
@require_status_token
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics, in the text format of Prometheus."""
    text = generate_latest(of_requests.registry()) + generate_latest(of_site.registry)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)
