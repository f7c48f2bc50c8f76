from django.urls import path

from judging.acts import collections as collection_acts
from judging.api.verbs import addresses
from workspace.acts import ACTS
from workspace.api import (
    alerts,
    collections,
    drafts,
    dropped_runs,
    forecasts,
    imports,
    model_runs,
    prolific,
    publishing,
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
        {"Collections": OF_COLLECTION}, "collections/<slug:slug>/", collections.CollectionVerb
    ),
    *addresses({"Recruiting": ON_PROLIFIC}, "studies/<slug:slug>/prolific/", prolific.ProlificVerb),
    *addresses({"Running a study": model_runs.ADDRESSES}),
    *addresses(
        {
            "Collections": {
                "/datasets/": imports.Datasets,
                "/imports/": imports.Imports,
                "/imports/archive/": imports.ImportArchive,
                "/imports/dataset/": imports.ImportDataset,
                "/imports/opinions/": imports.ImportOpinions,
                "/uploads/<uuid:key>/table/": uploads.UploadedTable,
            },
            "Making a study": {
                "hanging/": drafts.Hanging,
                "open/": drafts.Open,
                "pool-depths/": drafts.PoolDepths,
                "take-anchors/": ACTS["take-anchors"],
                "topics/<id:query_id>/accept-anchors/": ACTS["accept-anchors"],
                "topics/<id:query_id>/proposals/": drafts.Proposals,
                "warnings/": drafts.Warnings,
            },
            "Planning": {
                "costs/": forecasts.Costs,
                "forecast/": forecasts.AskForecast,
                "random-givers/": forecasts.RandomGivers,
                "rehearsals/": (forecasts.Rehearsals, ACTS["rehearse"]),
                "rehearsals/<slug:name>/": forecasts.Rehearsal,
            },
            "Recruiting": {
                "links/": drafts.Links,
                "personal-links/": drafts.PersonalLinks,
                "prolific/": prolific.Standings,
                "prolific/submissions/": prolific.Submissions,
                "prolific/connect/": (prolific.Connect, prolific_acts.ACTS["connect"]),
            },
            "Running a study": {
                "alerts/": alerts.Alerts,
                "alerts/secret/": alerts.NewSecret,
                "alerts/feed/": alerts.AlertFeed,
            },
            "Results": {
                "dropped-run/": dropped_runs.DroppedRun,
                "release/": publishing.Release,
                "archive-file/": publishing.ArchiveFile,
                "published/": (publishing.Published, ACTS["publish-page"]),
                "published/withdraw/": ACTS["withdraw-page"],
            },
        }
    ),
    path("imports/<int:key>/", imports.Import.as_view(**FILES), name="api-import"),
    path("uploads/", uploads.Uploads.as_view(**FILES), name="api-uploads"),
    path("uploads/<uuid:key>/", uploads.OneUpload.as_view(**FILES), name="api-upload"),
]
