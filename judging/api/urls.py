"""Addresses of the API's part on judging, below /api/v1/."""

from django.urls import path

from judging.api import views

urlpatterns = [
    path("collections/", views.Collections.as_view()),
    path("studies/", views.Studies.as_view()),
    path("studies/<slug:slug>/", views.OneStudy.as_view()),
    path("studies/<slug:slug>/units/", views.Units.as_view()),
    path("studies/<slug:slug>/failures/", views.Failures.as_view()),
    path("studies/<slug:slug>/completions/", views.Completions.as_view()),
]
