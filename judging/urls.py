from django.urls import path

from judging.monitoring import views as staff
from judging.pages import me as own
from judging.pages import views as worker
from judging.pages.former_names import follow_renaming
from judging.pages.preview import views as preview

urlpatterns = [
    path("study/<slug:slug>/", follow_renaming(worker.entry), name="study"),
    path("study/<slug:slug>/about/", follow_renaming(worker.about), name="about"),
    path("study/<slug:slug>/resume/", follow_renaming(worker.resume), name="resume"),
    path("study/<slug:slug>/me/", follow_renaming(own.me), name="me"),
    path("study/<slug:slug>/me/data.json", follow_renaming(own.my_data), name="my-data"),
    path("study/<slug:slug>/<int:position>/", follow_renaming(worker.document), name="document"),
    path("study/<slug:slug>/<path:rest>/", follow_renaming(worker.lost), name="lost"),
    path("studies/<slug:slug>/set-up/preview/", preview.preview, name="preview"),
    path(
        "studies/<slug:slug>/set-up/preview/<slug:name>/",
        preview.preview_page,
        name="preview-page",
    ),
    path("studies/<slug:slug>/monitor/", staff.monitor, name="monitor"),
    path(
        "studies/<slug:slug>/monitor/<slug:name>.<slug:file_format>",
        staff.figure,
        name="monitor-figure",
    ),
    path("studies/<slug:slug>/monitor/topics/<id:query_id>/", staff.topic, name="monitor-topic"),
    path("studies/<slug:slug>/monitor/workers/", staff.workers, name="monitor-workers"),
    path(
        "studies/<slug:slug>/monitor/workers/<path:pseudonym>/",
        staff.worker,
        name="monitor-worker",
    ),
]
