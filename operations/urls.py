from django.urls import path

from operations.health import views as health

urlpatterns = [
    path("operations/", health.site, name="operations"),
]
