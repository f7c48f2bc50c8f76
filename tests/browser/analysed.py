"""Results to look at, made by tests/browser/backstage.py."""

from typing import Any

STUDY = "analysed"
AS_DEMO = {"slug": "demo", "demo": True, "crowd": "both", "payment": 0}
former: list[tuple[dict[str, Any], list[Any]]] = []  # what the demo was before


def make() -> None:
    from evaluation.pipeline import evaluate
    from judging.models import Collection, Study
    from tests.factory.completed import judged_study

    study, _ = judged_study(5, topics=3, units=24, runs=8, redundancy=4)
    evaluate(study)
    Study.objects.filter(pk=study.pk).update(slug=STUDY, title="What a crowd said of lamps")
    Collection.objects.filter(pk=study.collection_id).update(slug=STUDY)
    compute(STUDY)


def compute(slug: str) -> None:
    """Ask for all analyses of a study, as whoever looks does, and compute them."""
    from django.utils import timezone

    from evaluation.analyses import of_study
    from evaluation.cache import stored
    from judging.models import Study

    study = Study.objects.get(slug=slug)
    stored.get_or_request(study, of_study(study), study.labels, timezone.now())
    stored.bring_up_to_date()


def forget(slug: str, name: str) -> None:
    from evaluation.models import CachedAnalysis

    CachedAnalysis.objects.filter(study__slug=slug, name=name).delete()


def import_elsewhere(slug: str, file: str) -> None:
    """Import labels of the same collection, with four levels, and compute what is said of them."""
    from django.core.management import call_command

    levels = ["Not", "Hardly", "Partly", "Fully"]
    call_command("import_opinions", slug, file, collection=STUDY, levels=levels)
    call_command("recompute", slug)
    compute(slug)


def show_on_first_page(slug: str) -> None:
    """Have a study be the demo, until `hide_again`."""
    from judging.models import Study

    study = Study.objects.get(slug=slug)
    team = list(study.memberships.all())
    former.append(({name: getattr(study, name) for name in AS_DEMO}, team))
    study.memberships.all().delete()  # the demo has none
    Study.objects.filter(pk=study.pk).update(**AS_DEMO)


def hide_again() -> None:
    from judging.models import Membership, Study

    before, team = former.pop()
    Study.objects.filter(slug=AS_DEMO["slug"]).update(**before)
    Membership.objects.bulk_create(team)


def close_for_publication(slug: str) -> None:
    """Close a study whose workers may withdraw nothing any more, until `open_again`."""
    from judging.models import Study
    from judging.studies.conduct.closing import close_study

    close_study(slug)
    Study.objects.filter(slug=slug).update(withdraw_days=0)
    forget(slug, "significance")
    compute(slug)


def open_again(slug: str) -> None:
    from judging.models import Study

    study = Study.objects.filter(slug=slug)
    study.update(stage=Study.Stage.OPEN, closed_at=None, withdraw_days=None)
    forget(slug, "significance")
    compute(slug)
