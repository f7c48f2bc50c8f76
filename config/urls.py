from django.contrib import admin
from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularSwaggerSplitView

from web.middleware.policy import with_policy
from web.rest.problems import no_such_address
from web.rest.schema_view import description

# Swagger UI styles itself as it runs; no other page may.
api_docs = with_policy(
    SpectacularSwaggerSplitView.as_view(url_name="schema"),
    style_src="'self' 'unsafe-inline'",
    img_src="'self' data:",
)

handler500 = "web.views.server_error"
urlpatterns = [
    path("", include("web.urls")),  # first: it registers the converter of ids
    path("admin/", admin.site.urls),
    path("api/schema/", description, name="schema"),
    path("api/docs/", api_docs, name="api-docs"),
    path("api/v1/", include("judging.api.urls")),
    path("api/v1/", include("evaluation.api.urls")),
    path("api/v1/", include("workspace.api.urls")),
    re_path("^api/", no_such_address),
    path("", include("accounts.urls")),
    path("", include("judging.urls")),
    path("", include("workspace.urls")),
    path("", include("operations.urls")),
    path("", include("evaluation.urls")),
]
