"""The pages of workers."""

from django.urls import path

from judging.views import worker

urlpatterns = [
    path("study/<slug:slug>/", worker.entry, name="study"),
    path("study/<slug:slug>/<int:position>/", worker.document, name="document"),
]
