"""The tables of an archive, and what is left out.

A test requires that every field of every model of judging, evaluation and workspace is stored,
computed, or left out with the reason. Rows are in the order of their keys, in which they came;
results may depend on it.
"""

from workspace.archive.collection_tables import OF_COLLECTION
from workspace.archive.study_tables import OF_STUDY, STUDY

TABLES = (*OF_COLLECTION, STUDY, *OF_STUDY)

OF_COLLECTION_ITSELF = {
    "slug": "stands in the manifest",
    "owner": "has an account",
    "free_to_share": "is for whoever answers for it on a site to say",
    "shared_with": "have accounts",
    "revision": "counts changes on one site",
    "created_at": "is that of the site it stands on",
}
# Models of which an archive holds nothing, and why.
LEFT_OUT = {
    "judging.PlatformAccount": "personal data: sealed, where somebody asks for it",
    "judging.Participant": "personal data: sealed, where somebody asks for it",
    "judging.FormerSlug": "leads here from links to this site",
    "judging.WrongResumeCode": "guards secrets that are not archived",
    "judging.Comment": "is of a rehearsal, which is not archived",
    "judging.StagedDocument": "is of an import under way",
    "judging.Tick": "is of the site",
    "judging.RecordEntry": "is of the site, and of its backups",
    "web.Lease": "is of the site",
    "judging.Membership": "users stay where they are",
    "judging.Invitation": "users stay where they are",
    "workspace.ImportJob": "is of the site",
    "workspace.Upload": "is of the site",
    "workspace.Alert": "is of the site that watched",
    "workspace.AlertMessage": "is of the site that watched",
    "workspace.AlertSettings": "users and secrets stay where they are",
    "workspace.Forecast": "computed anew",
    "judging.PlanJob": "the plan itself is there",
    "workspace.ProlificConnection": "secrets stay where they are",
    "workspace.ProlificStudy": "is of the site, and of its connection",
    "workspace.ProlificSubmission": "personal data, read anew from the platform",
    "workspace.ProlificEvent": "is of the site",
    "workspace.ProlificBonus": "is of the site; payments are kept",
    "workspace.ProlificBonusPart": "is of the site; payments are kept",
    "evaluation.Evaluation": "computed anew",
    "evaluation.TopicEvaluation": "computed anew",
    "evaluation.Ranking": "computed anew",
    "evaluation.KeptAnalysis": "computed anew",
    "evaluation.WrittenReport": "written anew",
}
