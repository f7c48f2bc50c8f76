"""Addresses of the API's part on the workspace, below /api/v1/."""

from django.urls import path

from judging.acts import collections as collection_acts
from judging.api.verbs import addresses
from workspace.acts import ACTS
from workspace.api import (
    alerts,
    collections,
    dropped_runs,
    imports,
    links,
    opening,
    planning,
    prolific,
    publishing,
    setup,
    uploads,
)
from workspace.recruiting import acts as prolific_acts

OF_COLLECTION = {"": collections.OneCollection} | {
    f"{name}/": act for name, act in collection_acts.ACTS.items() if name != "delete"
}
ON_PROLIFIC = {f"{name}/": act for name, act in prolific_acts.ACTS.items() if name != "connect"}
FILES = {"tag": "Collections"}
urlpatterns = [
    *addresses(
        "Collections", OF_COLLECTION, "collections/<slug:slug>/", collections.CollectionVerb
    ),
    *addresses(
        "Making a study",
        {
            "hanging/": setup.Hanging,
            "open/": opening.Open,
            "pool-depths/": setup.PoolDepths,
            "take-anchors/": ACTS["take-anchors"],
            "topics/<id:query_id>/accept-anchors/": ACTS["accept-anchors"],
            "topics/<id:query_id>/proposals/": setup.Proposals,
            "warnings/": setup.Warnings,
        },
    ),
    *addresses(
        "Planning",
        {
            "costs/": planning.Costs,
            "forecast/": planning.AskForecast,
            "random-givers/": planning.RandomGivers,
            "rehearsals/": (planning.Rehearsals, ACTS["rehearse"]),
            "rehearsals/<slug:name>/": planning.Rehearsal,
        },
    ),
    *addresses(
        "Recruiting",
        {
            "links/": links.Links,
            "personal-links/": links.PersonalLinks,
            "prolific/": prolific.Standings,
            "prolific/submissions/": prolific.Submissions,
            "prolific/connect/": (prolific.Connect, prolific_acts.ACTS["connect"]),
        },
    ),
    *addresses("Recruiting", ON_PROLIFIC, "studies/<slug:slug>/prolific/", prolific.ProlificVerb),
    *addresses(
        "Running a study",
        {
            "alerts/": alerts.Alerts,
            "alerts/secret/": alerts.NewSecret,
            "alerts/feed/": alerts.AlertFeed,
        },
    ),
    *addresses(
        "Results",
        {
            "dropped-run/": dropped_runs.DroppedRun,
            "release/": publishing.Release,
            "archive-file/": publishing.ArchiveFile,
        },
    ),
    path("datasets/", imports.Datasets.as_view(**FILES)),
    path("imports/", imports.Imports.as_view(**FILES)),
    path("imports/archive/", imports.ImportArchive.as_view(**FILES)),
    path("imports/dataset/", imports.ImportDataset.as_view(**FILES)),
    path("imports/opinions/", imports.ImportOpinions.as_view(**FILES)),
    path("imports/<int:key>/", imports.Import.as_view(**FILES), name="api-import"),
    path("uploads/", uploads.Uploads.as_view(**FILES), name="api-uploads"),
    path("uploads/<uuid:key>/", uploads.OneUpload.as_view(**FILES), name="api-upload"),
    path("uploads/<uuid:key>/table/", uploads.UploadedTable.as_view(**FILES)),
]
