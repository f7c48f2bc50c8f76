from django.urls import include, path

from workspace.making import entering, setting_pages, topics, whole_study

STEPS = [
    path("", whole_study.review, name="setup-plan"),
    path("topics/", topics.topics, name="setup-topics"),
    path("pool/", topics.pool, name="setup-pool"),
    path("pool/<id:query_id>/", topics.own_pool, name="setup-topic-pool"),
    path("anchors/", topics.anchors, name="setup-anchors"),
    path("take-anchors/", topics.take_proposed, name="take-anchors"),
    path("anchors/<id:query_id>/", topics.topic_anchors, name="setup-topic-anchors"),
    path("questions/", topics.questions, name="setup-questions"),
    path("questions.csv", topics.question_file, name="question-file"),
    path("questions/<id:query_id>/", topics.question, name="setup-topic-questions"),
    path("settings/", setting_pages.settings, {"step": "settings"}, name="setup-settings"),
    path("as-in-paper/", setting_pages.as_in_paper, name="as-in-paper"),
    path("texts/", setting_pages.wording, name="setup-texts"),
    path("recruiting/", setting_pages.recruiting, name="setup-recruiting"),
    path("recruiting/links.csv", setting_pages.personal_links_file, name="personal-links"),
    path("consent/", setting_pages.consent, name="setup-consent"),
    path("entry/", entering.entry, name="setup-entry"),
    path("participants/", entering.participants, name="participants"),
    path("earlier/", entering.earlier, name="earlier-studies"),
    path("plan-units/", whole_study.plan_units, name="plan-units"),
    path("discard-plan/", whole_study.discard, name="discard-plan"),
    path("open/", whole_study.open_page, name="open-study"),
    path("study.toml", whole_study.study_toml, name="study-toml"),
    path("file/", whole_study.upload_toml, name="bring-toml"),
    path("clone/", whole_study.clone, name="clone-study"),
    path("name/", whole_study.rename, name="rename-study"),
    path("delete/", whole_study.delete, name="delete-study"),
]
urlpatterns = [
    path("new-study/", whole_study.new_study, name="new-study"),
    path("studies/<slug:slug>/setup/", include(STEPS)),
]
