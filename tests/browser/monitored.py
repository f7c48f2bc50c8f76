"""What the monitoring pages are looked at with, made by tests/browser/backstage.py."""

STUDY = "watched"


def make() -> None:
    """A study with a crowd at work, one of whom pastes the same reason."""
    from django.db import transaction
    from django.db.models import Count
    from django.utils import timezone

    from judging.models import Collection, Judgment, Study, Worker
    from tests.factory.crowds import crowded_study

    with transaction.atomic():
        study = crowded_study(timezone.now(), topics=3, documents=50, live=60, crowd=160)
        Study.objects.filter(pk=study.pk).update(slug=STUDY, title="A crowd at work")
        Collection.objects.filter(pk=study.collection_id).update(slug=STUDY)
        busiest = Worker.objects.filter(study=study).annotate(n=Count("assignments__judgments"))
        pasting = busiest.order_by("-n").first()
        Judgment.objects.filter(assignment__worker=pasting).update(justification="Good.")
