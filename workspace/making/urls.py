"""The pages of making a study."""

from django.urls import path

from workspace.making import entering, recruiting, topics, whole_study, wording

urlpatterns = [
    path("new-study/", whole_study.new_study, name="new-study"),
    path("studies/<slug:slug>/setup/", whole_study.review, name="setup-plan"),
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
    path("studies/<slug:slug>/setup/questions.csv", topics.question_file, name="question-file"),
    path(
        "studies/<slug:slug>/setup/questions/<id:query_id>/",
        topics.question,
        name="setup-topic-questions",
    ),
    path(
        "studies/<slug:slug>/setup/settings/",
        whole_study.settings,
        {"step": "settings"},
        name="setup-settings",
    ),
    path("studies/<slug:slug>/setup/as-in-paper/", whole_study.as_in_paper, name="as-in-paper"),
    path("studies/<slug:slug>/setup/texts/", wording.wording, name="setup-texts"),
    path(
        "studies/<slug:slug>/setup/recruiting/",
        recruiting.recruiting,
        name="setup-recruiting",
    ),
    path(
        "studies/<slug:slug>/setup/recruiting/links.csv",
        recruiting.personal_links_file,
        name="personal-links",
    ),
    path("studies/<slug:slug>/setup/consent/", wording.consent, name="setup-consent"),
    path("studies/<slug:slug>/setup/entry/", entering.entry, name="setup-entry"),
    path("studies/<slug:slug>/setup/participants/", entering.participants, name="participants"),
    path("studies/<slug:slug>/setup/earlier/", entering.earlier, name="earlier-studies"),
    path("studies/<slug:slug>/setup/plan-units/", whole_study.plan_units, name="plan-units"),
    path("studies/<slug:slug>/setup/discard-plan/", whole_study.discard, name="discard-plan"),
    path("studies/<slug:slug>/setup/open/", whole_study.open_page, name="open-study"),
    path("studies/<slug:slug>/setup/study.toml", whole_study.study_toml, name="study-toml"),
    path("studies/<slug:slug>/setup/file/", whole_study.upload_toml, name="bring-toml"),
    path("studies/<slug:slug>/setup/clone/", whole_study.clone, name="clone-study"),
    path("studies/<slug:slug>/setup/name/", whole_study.rename, name="rename-study"),
    path("studies/<slug:slug>/setup/delete/", whole_study.delete, name="delete-study"),
]
