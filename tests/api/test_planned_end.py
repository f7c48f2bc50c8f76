"""What is claimed of systems before the planned end, and where batches were ordered afterwards."""

import random
from collections.abc import Iterable
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from evaluation.analyses import ANALYSES, of_study
from evaluation.cache import stored
from evaluation.models import CachedAnalysis
from evaluation.pipeline import evaluate
from evaluation.report.draft import Draft, draft
from evaluation.report.folder import documents
from evaluation.results import table
from evaluation.study.data import StudyData, load
from judging.models import Batch, Study
from judging.studies.conduct.batches import add_batch
from judging.studies.conduct.closing import close_study
from magnitudes.comparison import significant_pairs, top_set
from magnitudes.comparison.tukey import tukey_hsd
from magnitudes.measures.names import parse
from tests.factory import make_study
from tests.factory.completed import complete, random_scores
from tests.factory.runs import add_runs, random_runs
from workspace.publishing.releasing import ReleaseOptions, release
from workspace.running.trail_sentences import in_words

pytestmark = pytest.mark.django_db
TOPICS, RUNS = 6, 4


def planned() -> tuple[Study, random.Random]:
    rng = random.Random(5)
    study = make_study(topics=TOPICS, redundancy=1)
    add_runs(study, random_runs(study, rng, RUNS))
    return study, rng


def judge(study: Study, rng: random.Random, units: int) -> None:
    before = study.assignments.count()
    for number in range(before, before + units):
        complete(study, f"worker-{number:03}", random_scores(rng))
    evaluate(study)


def computed(study: Study) -> dict[str, dict[str, Any]]:
    """The kept analyses that claim something about systems."""
    rows = CachedAnalysis.objects.filter(study=study, asked="", computed_at__isnull=False)
    results = {row.name: stored.all_rows(row) for row in rows if ANALYSES[row.name].of_systems}
    return {name: result for name, result in results.items() if result}


def drafted(data: StudyData, results: dict[str, dict[str, Any]]) -> Draft:
    return draft(data, {name: ANALYSES[name] for name in results}, results, {})


def compute(desk: Client, study: Study, names: Iterable[str]) -> None:
    """Some analyses, and those that the overview rests on."""
    desk.get(f"/studies/{study.slug}/")
    stored.get_or_request(study, names, stored.label_set_of(study), timezone.now())
    stored.bring_up_to_date()


def readme_of(study: Study) -> str:
    files = release(study, ReleaseOptions(), by=None)
    return next(b"".join(file.pieces) for file in files if file.path == "README.md").decode()


def claims(desk: Client, study: Study) -> dict[str, str]:
    """What each way out says of systems, by its name."""
    results = table(study, parse("nDCG@5"))
    first, second = results.runs[:2]
    at = f"/studies/{study.slug}"
    pages = {
        "overview": f"{at}/",
        "systems": f"{at}/systems/",
        "by another measure": f"{at}/systems/?measure=AP",
        "one system": f"{at}/systems/{first}/",
        "two systems": f"{at}/systems/{first}/against/{second}/",
        "significance": f"{at}/method/significance/",
        "rankings": f"{at}/method/rankings/",
        "rankings by REST": f"/api/v1{at}/rankings/",
        "picture": f"{at}/ranking.svg",
        "an analysis by REST": f"/api/v1{at}/analyses/significance/",
    }
    said = {}
    for name, address in pages.items():
        response = desk.get(address)
        assert response.status_code == 200, (name, address)
        said[name] = response.content.decode()
    replication = desk.get(f"{at}/replication/").context
    said |= {
        f"replication {pair.place.analysis} {pair.place.name}": " ".join(pair.ours)
        for _, pairs, _ in replication["groups"]
        for pair in pairs
        if pair.ours
        and pair.place.analysis in ANALYSES
        and ANALYSES[pair.place.analysis].of_systems
    }
    run = "401 Q0 D401-003 1 9 own"
    asked = {"run": SimpleUploadedFile("own.run", run.encode()), "gains": "magnitude"}
    dropped = desk.post(f"/uploads/run/{study.slug}/", asked)
    said["dropped run"] = dropped.content.decode()
    overview = desk.get(pages["overview"]).context
    said |= {
        f"card {card.name}": card.headline
        for card in overview["cards"]
        if card.name in ("ranking", "enough", "choices")
    }
    data = load(study)
    results_of = computed(study)
    made = drafted(data, results_of)
    abstract = (
        dict(documents(made))["main.tex"]
        .partition(r"\begin{abstract}")[2]
        .partition(r"\end{abstract}")[0]
    )
    said |= {"abstract": abstract, "report": dict(documents(made))["index.html"]}
    for name, result in results_of.items():
        if result["parts"] and ANALYSES[name].of_systems:
            said[f"analysis {name}"] = f"{ANALYSES[name].finding(result)} {result['says'][0]}"
    said["README"] = readme_of(study)
    return said


def test_until_the_planned_end_every_claim_about_systems_is_interim(at_desk):
    study, rng = planned()
    units = study.units.count()
    judge(study, rng, units - 1)
    head = f"Interim, {units - 1} of {units} planned units"
    compute(at_desk, study, of_study(study))
    said = claims(at_desk, study)
    assert {"analysis significance", "analysis rankings", "card ranking"} <= said.keys()
    assert {name: head in text for name, text in said.items()} == dict.fromkeys(said, True)
    # No other analysis speaks of systems.
    for row in CachedAnalysis.objects.filter(study=study):
        heads = f"{row.finding} {' '.join(row.titles.values())}"
        if row.titles and any(word in heads.lower() for word in ("system", "run-")):
            assert head in heads, row.name
    # A study that ends early has not reached it.
    close_study(study.slug)
    assert head in at_desk.get(f"/studies/{study.slug}/systems/").content.decode()
    Study.objects.filter(pk=study.pk).update(stage="open", closed_at=None)
    judge(study, rng, 1)
    CachedAnalysis.objects.all().delete()
    compute(at_desk, study, [name for name, each in of_study(study).items() if each.of_systems])
    after = claims(at_desk, study)
    assert after.keys() >= said.keys()
    # Explanations name the word; a claim is headed by it and how many units are done.
    assert [name for name, text in after.items() if "Interim, " in text] == []


def test_batches_ordered_after_a_ranking_count_and_the_planned_end_stands_beside(at_desk):
    study, rng = planned()
    plan = study.units.count()
    add_batch(study, None, 1, None, seed=1)  # nobody has seen anything yet
    judge(study, rng, plan)
    asked = {"action": "batch", "redundancy": 1, "number": 2}
    asking = at_desk.post(f"/studies/{study.slug}/recruit/", asked).content.decode()
    assert "that this batch was ordered after it" in " ".join(asking.split())
    add_batch(study, None, 1, None, seed=2)
    judge(study, rng, study.units.filter(free=True).count())
    batches = Batch.objects.order_by("number")
    assert [batch.after_ranking for batch in batches] == [False, True]
    trail = [in_words(entry) for entry in study.trail.filter(action="added batch").order_by("pk")]
    seen = ["ordered after a ranking was visible" in words for words in trail]
    assert seen == [False, True]
    study.refresh_from_db()
    data = load(study)
    end = data.planned_end
    said, every = end.sentence, study.evaluation
    significance = ANALYSES["significance"].of(data)
    assert said in significance["says"]
    made = drafted(data, {"significance": significance})
    readme = readme_of(study)
    compute(at_desk, study, ["significance"])
    shown = unescape(at_desk.get(f"/studies/{study.slug}/method/").content.decode())
    methods = " ".join(paragraph.text for paragraph in made.methods)
    traced = unescape(at_desk.get(f"/studies/{study.slug}/share/trail/").content.decode())
    for text in (methods, readme, shown, traced, " ".join(made.abstract)):
        assert said[:-1] in text
    # The same numbers come of the study once its batches are gone.
    study.batches.all().delete()
    study.topics.update(revision=10**6)
    evaluate(study, everything=True)
    alone = table(study, parse(study.analysis_plan["measure"])).ranked
    order = np.argsort(alone.ranks, kind="stable")
    differ = significant_pairs.pairs_of(tukey_hsd(alone.values[:, order], seed=data.seed)).differ
    np.testing.assert_array_equal(end.alone.values, alone.values)
    np.testing.assert_array_equal(end.alone.ranks, alone.ranks)
    assert "1 batch of units was ordered after a ranking was visible" in said
    at_end, over_all = said.split("; ")
    assert f"over {plan} units of the plan alone" in at_end
    assert f"{every.tags[int(order[0])]} is the highest" in at_end
    assert f"and {differ or 'none'}" in at_end
    assert f"over all {every.units} units" in over_all
    rows = next(part for part in significance["parts"] if part["name"] == "planned-end")["rows"]
    assert [row[0] for row in rows] == [every.tags[place] for place in order]


def test_the_plan_is_frozen_in_five_lines_of_what_is_computed():
    study, _ = planned()
    assert study.analysis_plan == {
        "measure": "nDCG(dcg='jk')@10",
        "gains": "geometric, median",
        "test": significant_pairs.TEST,
        "level": top_set.LEVEL,
        "end": study.units.count(),
    }
    for wrong in ({**study.analysis_plan, "end": "12"}, {"measure": "x"}, {"end": 1}):
        with pytest.raises(ValidationError, match="Five lines"):
            Study._meta.get_field("analysis_plan").run_validators(wrong)
