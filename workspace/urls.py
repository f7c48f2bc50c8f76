from django.urls import include, path

from workspace import collection_browser, collection_pages, payment_pages, team_pages
from workspace.alerts import alert_pages
from workspace.imports import import_pages
from workspace.places import FORMER, first_page, moved
from workspace.planning import plan_page
from workspace.publishing import public_pages, publish_page
from workspace.recruiting import events, prolific_page
from workspace.running import dropped_runs, model_pages, rehearsals, run_page
from workspace.setup import setting_pages, topic_pages, whole_study

SET_UP = [
    path("", whole_study.review, name="setup-plan"),
    path("topics/", topic_pages.topics, name="setup-topics"),
    path("pool/", topic_pages.pool, name="setup-pool"),
    path("pool/<id:query_id>/", topic_pages.own_pool, name="setup-topic-pool"),
    path("anchors/", topic_pages.anchors, name="setup-anchors"),
    path("take-anchors/", topic_pages.take_proposed, name="take-anchors"),
    path("anchors/<id:query_id>/", topic_pages.topic_anchors, name="setup-topic-anchors"),
    path("questions/", topic_pages.questions, name="setup-questions"),
    path("questions.csv", topic_pages.question_file, name="question-file"),
    path("questions/<id:query_id>/", topic_pages.question, name="setup-topic-questions"),
    path("settings/", setting_pages.settings, {"step": "settings"}, name="setup-settings"),
    path("as-in-paper/", setting_pages.as_in_paper, name="as-in-paper"),
    path("texts/", setting_pages.texts, {"step": "texts"}, name="setup-texts"),
    path("recruiting/", setting_pages.recruiting, name="setup-recruiting"),
    path("recruiting/links.csv", setting_pages.personal_links_file, name="personal-links"),
    path("consent/", setting_pages.texts, {"step": "consent"}, name="setup-consent"),
    path("entry/", setting_pages.entry, name="setup-entry"),
    path("participants/", setting_pages.participants, name="participants"),
    path("earlier/", setting_pages.earlier, name="earlier-studies"),
    path("plan-units/", whole_study.plan_units, name="plan-units"),
    path("discard-plan/", whole_study.discard, name="discard-plan"),
    path("open/", whole_study.open_page, name="open-study"),
    path("study.toml", whole_study.study_toml, name="study-toml"),
    path("file/", whole_study.upload_toml, name="bring-toml"),
    path("rehearsal/", rehearsals.rehearsal, name="rehearsal"),
    path("cost/", plan_page.plan, name="plan"),
    path("cost/<slug:part>.<slug:file_format>", plan_page.download, name="plan-part"),
]
RECRUIT = [
    path("", run_page.run, {"page": "running"}, name="running"),
    path("batches/", run_page.run, {"page": "batches"}, name="batches"),
    path("prolific/", prolific_page.prolific, name="prolific"),
    path("pay/", payment_pages.pay, name="pay"),
    path("pay/list.csv", payment_pages.pay_list, name="pay-list"),
    path("pay/<int:key>/", payment_pages.one_payment, name="payment"),
    path("alerts/", alert_pages.alerts, name="alerts"),
    path("models/", model_pages.model_runs, name="model-runs"),
]
RUN = [
    path("", model_pages.model_run, name="model-run"),
    path("units/<id:query_id>/<int:key>/", model_pages.model_unit, name="model-unit"),
    path("conversations.jsonl", model_pages.conversations_file, name="conversations"),
]
SHARE = [
    path("release/", publish_page.release_page, name="release"),
    path("release/free-texts/", publish_page.free_texts, name="free-texts"),
    path("page/", public_pages.published, name="published"),
    path("archive/", publish_page.archive_page, name="archive"),
    path("team/", team_pages.members, name="team"),
    path("team/<id:username>/", team_pages.change_member, name="change-member"),
    path("trail/", run_page.trail, name="trail"),
    path("study/", whole_study.whole_study, name="whole-study"),
    path("study/clone/", whole_study.clone, name="clone-study"),
    path("study/name/", whole_study.rename, name="rename-study"),
    path("study/delete/", whole_study.delete, name="delete-study"),
]
urlpatterns = [
    path("collections/", collection_pages.collections, name="collections"),
    path("collections/new/", import_pages.new_collection, name="new-collection"),
    path("collections/new/sample/", import_pages.bring_sample, name="bring-sample"),
    path("collections/new/dataset/", import_pages.new_dataset, name="new-dataset"),
    path("collections/<slug:slug>/", collection_pages.collection, name="collection"),
    path(
        "collections/<slug:slug>/documents/",
        collection_browser.documents,
        name="collection-documents",
    ),
    path(
        "collections/<slug:slug>/documents/<id:doc_id>/",
        collection_browser.document,
        name="collection-document",
    ),
    path(
        "collections/<slug:slug>/topics/<id:query_id>/",
        collection_browser.topic,
        name="collection-topic",
    ),
    path(
        "collections/<slug:slug>/topics/<id:query_id>/runs/<id:tag>/",
        collection_browser.run,
        name="collection-run",
    ),
    path("published/<uuid:key>/", public_pages.public_page, name="public-page"),
    path("published/<uuid:key>/release.zip", public_pages.public_file, name="public-release"),
    path("published/<uuid:key>/files/<path:path>", public_pages.public_file, name="public-file"),
    path("uploads/run/<slug:slug>/", dropped_runs.dropped_run, name="dropped-run"),
    path("collections/<slug:slug>/add/", import_pages.add_files, name="add-files"),
    path("collections/<slug:slug>/change/", collection_pages.change, name="change-collection"),
    path("uploads/", import_pages.send, name="send-files"),
    path("uploads/<uuid:key>/remove/", import_pages.remove, name="remove-file"),
    path("imports/<int:key>/", import_pages.job, name="import"),
    path("archives/new/", import_pages.new_archive, name="new-archive"),
    path("opinions/new/", import_pages.new_opinions, name="new-opinions"),
    path("opinions/<uuid:key>/", import_pages.opinion_table, name="opinions"),
    path("people/", team_pages.people, name="people"),
    path("feeds/alerts/<str:token>.atom", alert_pages.feed, name="alert-feed"),
    path("invitations/<int:key>/end/", team_pages.end_invitation, name="end-invitation"),
    path("invitation/<str:secret>/", team_pages.invitation, name="invitation"),
    path("hooks/prolific/<uuid:key>/", events.prolific_events, name="prolific-events"),
    path("new-study/", whole_study.new_study, name="new-study"),
    path("studies/<slug:slug>/set-up/", include(SET_UP)),
    path("studies/<slug:slug>/recruit/", include(RECRUIT)),
    path("studies/<slug:slug>/run/", include(RUN)),
    path(
        "studies/<slug:slug>/monitor/exclusions/",
        run_page.run,
        {"page": "exclusions"},
        name="exclusions",
    ),
    path("studies/<slug:slug>/share/", include(SHARE)),
    # The other places have a page at their address.
    *(
        path(f"studies/<slug:slug>/{name}/", first_page, {"name": name})
        for name in ("results", "share")
    ),
    *(
        path(f"studies/<slug:slug>/{former}{rest}", moved, {"name": name, "former": former})
        for former, name in FORMER.items()
        for rest in ("", "<path:rest>")
    ),
]
