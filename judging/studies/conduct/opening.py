from django.db import transaction
from django.db.models import OuterRef, Subquery

from accounts.models import User
from judging.models import Document, PlanJob, PooledDocument, Study
from judging.studies import analysis_plan
from judging.studies.conduct.closing import judged_here
from judging.studies.configuration.missing import missing, without_question
from judging.studies.configuration.versions import record_change
from judging.studies.faults import BadStudy
from judging.studies.locks import lock_study
from web import clock

Stage = Study.Stage


@transaction.atomic
def open_study(slug: str, by: User | None = None, **confirmed: object) -> Study:
    """Let workers into a planned study; its settings, pool, texts and comparison are frozen.

    An import into its collection that is under way ends first. confirmed: for the trail, what was
    shown to who opens it, and what they confirmed. Raises BadStudy with everything that is missing.
    """
    study = judged_here(slug, lock_study(slug))
    if study.stage != Stage.DRAFT:
        raise BadStudy(f"Study {slug} is {study.stage} already.")
    if PlanJob.unfinished().filter(study=study).exists():
        raise BadStudy(f"Study {slug} is being planned: open it when that is done.")
    silent = PooledDocument.objects.filter(study_topic__in=study.topics.values("pk"), document=None)
    texts = Document.objects.filter(collection=study.collection_id, doc_id=OuterRef("doc_id"))
    silent.update(document=Subquery(texts.values("pk")))
    if lacks := missing(study):
        raise BadStudy(*(lack.what for lack in lacks))
    study.stage, study.opened_at = Stage.OPEN, clock.now()
    study.analysis_plan = analysis_plan.proposed(study)
    study.save(update_fields=["stage", "opened_at", "analysis_plan"])
    record_change(study, by, "opened", **confirmed)
    return study


def topics_without_question(study: Study) -> list[str]:
    return without_question(study.topics.select_related("topic").order_by("topic__query_id"))
