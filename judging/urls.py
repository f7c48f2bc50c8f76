"""The pages of workers, and the monitoring page."""

from django.urls import path

from judging.views import staff, worker

urlpatterns = [
    path("study/<slug:slug>/", worker.entry, name="study"),
    path("study/<slug:slug>/<int:position>/", worker.document, name="document"),
    path("studies/<slug:slug>/monitor/", staff.monitor, name="monitor"),
]
