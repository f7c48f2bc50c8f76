from celery import shared_task

from workspace.imports import archives, datasets, importing, opinions
from workspace.models import ImportJob

IMPORTS: importing.Imports = {
    ImportJob.What.ARCHIVE: archives.import_uploaded,
    ImportJob.What.COLLECTION: importing.import_collection_files,
    ImportJob.What.DATASET: datasets.import_dataset,
    ImportJob.What.OPINIONS: opinions.import_table,
}


@shared_task
def import_files() -> int:
    return importing.import_next(IMPORTS)
