"""The pages of making a study."""

from django.urls import path

from workspace.making import pages, topics

urlpatterns = [
    path("new-study/", pages.new_study, name="new-study"),
    path("studies/<slug:slug>/setup/", pages.review, name="setup-plan"),
    path("studies/<slug:slug>/setup/topics/", topics.topics, name="setup-topics"),
    path("studies/<slug:slug>/setup/pool/", topics.pool, name="setup-pool"),
    path("studies/<slug:slug>/setup/pool/<id:query_id>/", topics.own_pool, name="setup-topic-pool"),
    path("studies/<slug:slug>/setup/anchors/", topics.anchors, name="setup-anchors"),
    path("studies/<slug:slug>/setup/take-anchors/", topics.take_proposed, name="take-anchors"),
    path(
        "studies/<slug:slug>/setup/anchors/<id:query_id>/",
        topics.topic_anchors,
        name="setup-topic-anchors",
    ),
    path("studies/<slug:slug>/setup/questions/", topics.questions, name="setup-questions"),
    path(
        "studies/<slug:slug>/setup/questions/<id:query_id>/",
        topics.question,
        name="setup-topic-questions",
    ),
    path(
        "studies/<slug:slug>/setup/settings/",
        pages.settings,
        {"step": "settings"},
        name="setup-settings",
    ),
    path(
        "studies/<slug:slug>/setup/consent/",
        pages.settings,
        {"step": "consent"},
        name="setup-consent",
    ),
    path("studies/<slug:slug>/setup/plan-units/", pages.plan_units, name="plan-units"),
    path("studies/<slug:slug>/setup/discard-plan/", pages.discard, name="discard-plan"),
    path("studies/<slug:slug>/setup/open/", pages.open_it, name="open-study"),
    path("studies/<slug:slug>/setup/study.toml", pages.study_toml, name="study-toml"),
    path("studies/<slug:slug>/setup/file/", pages.bring_toml, name="bring-toml"),
    path("studies/<slug:slug>/setup/clone/", pages.clone, name="clone-study"),
    path("studies/<slug:slug>/setup/name/", pages.rename, name="rename-study"),
    path("studies/<slug:slug>/setup/delete/", pages.delete, name="delete-study"),
]
