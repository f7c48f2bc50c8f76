"""The pages of teams, collections and studies that are made and run."""

from django.urls import include, path

from workspace import (
    archive_pages,
    changing_collections,
    collections,
    dropped_runs,
    files,
    opinion_pages,
    publish,
    rehearsals,
    running,
    views,
)

urlpatterns = [
    path("collections/", collections.collections, name="collections"),
    path("collections/new/", files.new_collection, name="new-collection"),
    path("collections/new/dataset/", files.new_dataset, name="new-dataset"),
    path("collections/<slug:slug>/", collections.collection, name="collection"),
    path("uploads/run/<slug:slug>/", dropped_runs.dropped_run, name="dropped-run"),
    path("collections/<slug:slug>/add/", files.add_files, name="add-files"),
    path("collections/<slug:slug>/change/", changing_collections.change, name="change-collection"),
    path("uploads/", files.send, name="send-files"),
    path("uploads/<uuid:key>/remove/", files.remove, name="remove-file"),
    path("imports/<int:key>/", files.job, name="import"),
    path("archives/new/", archive_pages.bring, name="new-archive"),
    path("opinions/new/", opinion_pages.new, name="new-opinions"),
    path("opinions/<uuid:key>/", opinion_pages.table, name="opinions"),
    path("people/", views.people, name="people"),
    path("studies/<slug:slug>/publish/", publish.publish, name="publish"),
    path("studies/<slug:slug>/publish/release/", publish.get_release, name="release"),
    path("studies/<slug:slug>/publish/archive/", publish.get_archive, name="archive"),
    path("studies/<slug:slug>/publish/free-texts/", publish.free_texts, name="free-texts"),
    path("studies/<slug:slug>/rehearsal/", rehearsals.rehearsal, name="rehearsal"),
    path("studies/<slug:slug>/running/", running.run, name="running"),
    path("studies/<slug:slug>/trail/", running.trail, name="trail"),
    path("studies/<slug:slug>/team/", views.members, name="team"),
    path("studies/<slug:slug>/team/<id:username>/", views.change_member, name="change-member"),
    path("invitations/<int:key>/end/", views.take_back, name="end-invitation"),
    path("invitation/<str:secret>/", views.invitation, name="invitation"),
    path("", include("workspace.making.urls")),
    path("", include("workspace.planning.urls")),
]
