"""Addresses of the API's part on the workspace, below /api/v1/."""

from django.urls import path

from workspace.api import (
    alerts,
    collections,
    dropped_runs,
    imports,
    links,
    opening,
    planning,
    prolific,
    prolific_acts,
    publishing,
    setup,
    uploads,
)

OF_COLLECTION = {
    "": collections.OneCollection,
    "rename/": collections.Rename,
    "share/": collections.Share,
    "unshare/": collections.Unshare,
    "free-texts/": collections.FreeTexts,
    "rename-labels/": collections.RenameLabels,
    "delete-labels/": collections.DeleteLabels,
    "rename-run/": collections.RenameRun,
    "delete-run/": collections.DeleteRun,
}
OF_STUDY = {
    "alerts/": alerts.Alerts,
    "alerts/secret/": alerts.NewSecret,
    "alerts/feed/": alerts.AlertFeed,
    "costs/": planning.Costs,
    "dropped-run/": dropped_runs.DroppedRun,
    "forecast/": planning.AskForecast,
    "hanging/": setup.Hanging,
    "open/": opening.Open,
    "pool-depths/": setup.PoolDepths,
    "take-anchors/": setup.TakeAnchors,
    "topics/<id:query_id>/accept-anchors/": setup.AcceptAnchors,
    "topics/<id:query_id>/proposals/": setup.Proposals,
    "warnings/": setup.Warnings,
    "random-givers/": planning.RandomGivers,
    "rehearsals/": planning.Rehearsals,
    "rehearsals/<slug:name>/": planning.Rehearsal,
    "release/": publishing.Release,
    "archive-file/": publishing.ArchiveFile,
    "links/": links.Links,
    "personal-links/": links.PersonalLinks,
    "prolific/": prolific.Standings,
    "prolific/submissions/": prolific.Submissions,
    **{f"prolific/{below}": view for below, view in prolific_acts.ADDRESSES.items()},
}
urlpatterns = [
    *(path(f"collections/<slug:slug>/{below}", v.as_view()) for below, v in OF_COLLECTION.items()),
    *(path(f"studies/<slug:slug>/{below}", view.as_view()) for below, view in OF_STUDY.items()),
    path("datasets/", imports.Datasets.as_view()),
    path("imports/", imports.Imports.as_view()),
    path("imports/archive/", imports.ImportArchive.as_view()),
    path("imports/dataset/", imports.ImportDataset.as_view()),
    path("imports/opinions/", imports.ImportOpinions.as_view()),
    path("imports/<int:key>/", imports.Import.as_view(), name="api-import"),
    path("uploads/", uploads.Uploads.as_view(), name="api-uploads"),
    path("uploads/<uuid:key>/", uploads.OneUpload.as_view(), name="api-upload"),
    path("uploads/<uuid:key>/table/", uploads.UploadedTable.as_view()),
]
