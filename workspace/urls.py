from django.urls import include, path

from workspace import views
from workspace.alerts import page as alerts_page
from workspace.collections import changing as changing_collections
from workspace.collections import pages as collections
from workspace.imports import archive_pages, opinion_pages
from workspace.imports import file_pages as files
from workspace.pay import page as pay_page
from workspace.publishing import page as publish
from workspace.running import dropped_runs, rehearsals
from workspace.running import page as running

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
    path("archives/new/", archive_pages.new_archive, name="new-archive"),
    path("opinions/new/", opinion_pages.new, name="new-opinions"),
    path("opinions/<uuid:key>/", opinion_pages.table, name="opinions"),
    path("people/", views.people, name="people"),
    path("studies/<slug:slug>/publish/", publish.publish, name="publish"),
    path("studies/<slug:slug>/publish/release/", publish.get_release, name="release"),
    path("studies/<slug:slug>/publish/archive/", publish.get_archive, name="archive"),
    path("studies/<slug:slug>/publish/free-texts/", publish.free_texts, name="free-texts"),
    path("studies/<slug:slug>/rehearsal/", rehearsals.rehearsal, name="rehearsal"),
    path("studies/<slug:slug>/running/", running.run, name="running"),
    path("studies/<slug:slug>/alerts/", alerts_page.alerts, name="alerts"),
    path("feeds/alerts/<str:token>.atom", alerts_page.feed, name="alert-feed"),
    path("studies/<slug:slug>/pay/", pay_page.pay, name="pay"),
    path("studies/<slug:slug>/pay/list.csv", pay_page.pay_list, name="pay-list"),
    path("studies/<slug:slug>/pay/<int:key>/", pay_page.one_payment, name="payment"),
    path("studies/<slug:slug>/trail/", running.trail, name="trail"),
    path("studies/<slug:slug>/team/", views.members, name="team"),
    path("studies/<slug:slug>/team/<id:username>/", views.change_member, name="change-member"),
    path("invitations/<int:key>/end/", views.end_invitation, name="end-invitation"),
    path("invitation/<str:secret>/", views.invitation, name="invitation"),
    path("", include("workspace.making.urls")),
    path("", include("workspace.planning.urls")),
    path("", include("workspace.recruiting.urls")),
]
