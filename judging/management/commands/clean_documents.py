import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.db.models import QuerySet
from tqdm import tqdm

from judging.collections.cleaning import VERSION, clean_text
from judging.models import Document
from magnitudes.files.words import count

BATCH_SIZE = 200


class Command(BaseCommand):
    help = (
        "Make the form in which documents are shown again, of those that an earlier version of the "
        "cleaner has cleaned. To be run after an upgrade; may be stopped and run again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        done = 0
        with tqdm(total=_outdated().count(), unit="document", file=sys.stderr) as bar:
            while number := _clean_some():
                done += number
                bar.update(number)
        self.stdout.write(f"{count(done, 'document')} cleaned")


def _outdated() -> QuerySet[Document]:
    return Document.objects.filter(cleaner__lt=VERSION)


@transaction.atomic
def _clean_some() -> int:
    documents = list(_outdated().select_for_update().order_by("pk")[:BATCH_SIZE])
    for document in documents:
        document.cleaned = clean_text(document.text, document.is_html)
        document.cleaner = VERSION
    Document.objects.bulk_update(documents, ["cleaned", "cleaner"])
    return len(documents)
