"""The addresses of plans."""

from django.urls import path

from workspace.planning import pages

urlpatterns = [
    path("studies/<slug:slug>/plan/", pages.plan, name="plan"),
    path(
        "studies/<slug:slug>/plan/<slug:part>.<slug:file_format>", pages.download, name="plan-part"
    ),
]
