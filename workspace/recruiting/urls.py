from django.urls import path

from workspace.recruiting import events, page

urlpatterns = [
    path("studies/<slug:slug>/prolific/", page.prolific, name="prolific"),
    path("hooks/prolific/<uuid:key>/", events.prolific_events, name="prolific-events"),
]
