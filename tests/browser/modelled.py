"""A study whose documents a language model judges too, made by tests/browser/backstage.py."""

from tests.browser.studies import make as make_study

SLUG, ABOUT, BESIDE = "modelled", "by-people", "by-a-model"


def make() -> None:
    from judging.studies.conduct.opening import open_study

    make_study(SLUG, redundancy=1, topics=1)
    open_study(SLUG)


def judge() -> None:
    """What the worker of IO does in a minute, and the tick after it."""
    from crowd.language_model.work import judge_running
    from evaluation.pipeline import evaluate
    from judging.models import Study

    judge_running(30)
    evaluate(Study.objects.get(about__slug=SLUG))


def make_beside() -> None:
    """A model's run of 24 topics about a study of 16 of them, drawn by a seed, and its analyses."""
    import random

    from evaluation.pipeline import evaluate
    from judging.models import Label, LabelSet, PooledDocument, Study
    from judging.studies.conduct.opening import open_study
    from tests.browser.analysed import compute
    from tests.database import drawn_by
    from tests.factory.completed import complete
    from tests.factory.runs import add_runs
    from tests.factory.studies import add_documents, make_collection, plan_study

    collection, rng = make_collection(24), random.Random(4)
    pools = {
        topic.query_id: [f"D{topic.query_id}-{n:03}" for n in range(14)]
        for topic in collection.topics.order_by("query_id")
    }
    worth = {doc_id: rng.gauss(0, 1) for pool in pools.values() for doc_id in pool}
    labels = LabelSet.objects.create(collection=collection, name="reference")
    for words, (topic, pool) in enumerate(
        zip(collection.topics.all(), pools.values(), strict=True)
    ):
        add_documents(collection, pool, words=40 + 12 * words)
        Label.objects.bulk_create(
            Label(
                label_set=labels, topic=topic, doc_id=i, level=min(max(round(worth[i] + 1), 0), 3)
            )
            for i in pool
        )

    def judge(slug: str, some: dict[str, list[str]], noise: float, redundancy: int) -> Study:
        study = plan_study(collection, some, slug=slug, redundancy=redundancy, title=slug)
        open_study(slug)

        def score(document: PooledDocument) -> str:
            anchor = {"h_k": 3.0, "n_k": -3.0}.get(document.role, worth[document.doc_id])
            return f"{100 * 2 ** (anchor + rng.gauss(0, noise)):.0f}"

        with drawn_by(1):
            for number in range(study.units.count()):
                complete(study, f"{slug}-{number}", score)
        return study

    people = judge(ABOUT, dict([*pools.items()][:16]), 0.6, 3)
    run = judge(BESIDE, pools, 0.6, 1)
    add_runs(
        run,
        {
            f"system-{n}": {
                query: [(i, n / 4 * worth[i] + rng.gauss(0, 1)) for i in pool]
                for query, pool in pools.items()
            }
            for n in range(6)
        },
    )
    Study.objects.filter(pk=people.pk).update(topics_seed=4)
    Study.objects.filter(pk=run.pk).update(crowd=Study.Crowd.MODEL, about=people, payment=0)
    for study in (people, run):
        evaluate(study)
    compute(BESIDE)
