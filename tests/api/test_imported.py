"""A study that was judged elsewhere: its rankings, files, pages and REST, and what it has not."""

import csv
import json
import math
import re
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation import results
from evaluation.analyses import ANALYSES, of_study
from evaluation.cache import stored
from evaluation.models import CachedAnalysis, TopicEvaluation
from evaluation.pipeline import bring_up_to_date, evaluate
from evaluation.publishing import pair_gains
from evaluation.publishing.exports import CannotExport, lines
from evaluation.study.data import load
from judging.collections.importing import import_collection
from judging.collections.opinions import CannotImport, import_opinions
from judging.models import Study
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.scales import Scale
from magnitudes.measures.names import parse
from tests.database import there_for_all

LEVELS = ["Non", "Rel", "Key"]
HEAD = "worker,query_id,doc_id,label,aspect,occasion\n"
TOPICS, DOCUMENTS = ("401", "402", "403"), 12


def rows(seed: int = 1) -> str:
    """Four of six workers on every document; one says nothing that is a level."""
    rng = np.random.default_rng(seed)
    text = []
    for query_id in TOPICS:
        for number in range(DOCUMENTS):
            for worker in rng.permutation(6)[:4]:
                level = min(max(round(number / 5 + rng.normal(0, 0.6)), 0), 2)
                aspect = rng.choice(["page", "snippet"])
                text.append(f"w{worker},{query_id},D{number:02},{level},{aspect},\n")
        text.append(f"nobody,{query_id},D00,-2,page,again\n")
    return "".join(text)


def bring(folder: Path, text: str, slug: str = "elsewhere", **how: Any) -> Study:
    (folder / "labels.csv").write_text(HEAD + text)
    read = read_opinions(open_members([folder / "labels.csv"]), Scale(LEVELS))
    import_opinions(slug, "web", read, LEVELS, title="Judged elsewhere", **how)
    return Study.objects.get(slug=slug)


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker, tmp_path_factory):
    folder = tmp_path_factory.mktemp("imported")
    with there_for_all(django_db_blocker):
        study = bring(folder, rows())
        orders = {"good": range(DOCUMENTS)[::-1], "bad": range(DOCUMENTS)}
        for tag, order in orders.items():
            (folder / f"{tag}.run").write_text(
                "".join(
                    f"{query_id} Q0 D{number:02} {rank} {-rank} {tag}\n"
                    for query_id in TOPICS
                    for rank, number in enumerate(order)
                )
            )
        labels = [f"{q} 0 D{n:02} {n // 6}\n" for q in TOPICS for n in range(DOCUMENTS)]
        (folder / "qrels").write_text("".join(labels))
        runs = [folder / f"{tag}.run" for tag in orders]
        import_collection("web", qrels={"reference": [folder / "qrels"]}, runs=runs)
        assert bring_up_to_date() == 1
        yield study


@pytest.fixture
def study(made, db):
    return made


def medians(text: str, aspect: str) -> dict[tuple[str, str], tuple[float, int]]:
    """Of each pair, the median of its levels on an aspect, and how many there are."""
    found: dict[tuple[str, str], list[int]] = {}
    for line in text.splitlines():
        _, query_id, doc_id, level, on, _ = line.split(",")
        if on == aspect and int(level) >= 0:
            found.setdefault((query_id, doc_id), []).append(int(level))
    return {pair: (float(np.median(levels)), len(levels)) for pair, levels in found.items()}


def gains(study: Study) -> dict[tuple[str, str], tuple[float, int]]:
    return {(one.query_id, one.doc_id): (one.gain, one.count) for one in pair_gains.gains(study)}


def test_gains_are_medians_over_levels_of_the_main_aspect(study, tmp_path):
    assert gains(study) == medians(rows(), "page")
    bring(tmp_path, rows(), main_aspect="snippet", replace=True)
    assert bring_up_to_date() == 1
    assert gains(study) == medians(rows(), "snippet")
    assert {topic.query_id: topic.scores.size for topic in load(study).topics} == {
        query_id: sum(n for (of, _), (_, n) in medians(rows(), "snippet").items() if of == query_id)
        for query_id in TOPICS
    }


def test_an_aspect_that_nothing_is_on_is_refused(study, tmp_path):
    with pytest.raises(CannotImport, match="on the aspect 'sites'; there are page, s"):
        bring(tmp_path, rows(2), main_aspect="sites", replace=True)
    assert gains(study) == medians(rows(), "page")


def test_systems_are_ranked(study):
    found = results.ranking(study, parse("nDCG@5"))
    assert [system["run"] for system in found["results"]] == ["good", "bad"]
    assert (found["crowd"], found["topics"], found["source"]["units"]) == ("imported", 3, 0)
    assert found["source"]["judgments"] == sum(n for _, n in medians(rows(), "page").values())


def test_measures_of_relevant_documents_have_values(study):
    for measure in ("R@5", "Rprec", "Success@1", "Bpref", "Judged@5"):
        found = results.ranking(study, parse(measure))
        assert found["measure"] == measure
        means = {system["run"]: system["mean"] for system in found["results"]}
        assert all(0 <= mean <= 1 for mean in means.values())
        assert measure == "Judged@5" or means["bad"] < means["good"]


def test_other_labels_are_evaluated_and_make_analyses_old(study, tmp_path):
    before, number = stored.versions(study)["internal"], study.evaluation.number
    bring(tmp_path, rows(seed=2), replace=True)
    assert stored.versions(study)["internal"] != before
    assert pair_gains.gains(study) == []  # until it is evaluated: documents may be gone
    assert bring_up_to_date() == 1
    study.evaluation.refresh_from_db()
    assert study.evaluation.number == number + 1
    assert gains(study) == medians(rows(seed=2), "page")
    assert bring_up_to_date() == 0


@pytest.mark.parametrize(
    ("text", "gain"),
    [
        # Without a page gains are of what most opinions are on.
        ("ann,401,D03,2,site,\nben,401,D03,1,site,\nann,401,D03,0,snippet,\n", (1.5, 2)),
        ("ann,401,D03,2,,\n", (2, 1)),
        ("ann,401,D03,2,,\nann,402,D03,-2,,\n", (2, 1)),  # a topic without a level
    ],
)
def test_topics_and_documents_that_are_gone_are_nowhere(study, tmp_path, text, gain):
    bring(tmp_path, text, replace=True)
    assert bring_up_to_date() == 1
    assert gains(study) == {("401", "D03"): gain}
    there = {line.split(",")[1] for line in text.splitlines()}
    assert TopicEvaluation.objects.filter(evaluation__study=study).count() == len(there)
    assert results.ranking(study, parse("nDCG@5"))["topics"] == 1
    assert [topic.query_id for topic in load(study).topics] == ["401"]


def test_recomputing_changes_nothing(study):
    before = pair_gains.gains(study), results.ranking(study, parse("ERR@10"))["results"]
    evaluate(study, everything=True)
    assert (pair_gains.gains(study), results.ranking(study, parse("ERR@10"))["results"]) == before


def test_analyses_have_every_opinion(study):
    data = load(study)
    said = data.opinions
    assert len(said.items) == 3 * (DOCUMENTS * 4 + 1)
    assert (said.levels < 0).sum() == 3
    assert said.judges[said.levels < 0].min() == len(data.workers) == 6  # one who gave no level
    assert set(data.aspects) == {"page", "snippet"}
    assert set(data.occasions[said.levels < 0]) == {"again"}
    of_gains = (said.levels >= 0) & (data.aspects == "page")
    assert data.judgments.scores.tolist() == said.levels[of_gains].tolist()
    assert data.judgments.items.tolist() == said.items[of_gains].tolist()
    named = [data.workers[judge] for judge in said.given.judges]
    assert named == [r.split(",")[0] for r in rows().splitlines() if ",-2," not in r]
    assert not data.documents.is_anchor.any()
    assert np.isnan(data.judgments.seconds).all()


def test_analyses_that_are_for_it_say_something(study):
    data = load(study)
    here = {"labels", "schemes", "order", "numbers", "spread", "widths", "ratios", "profiles"}
    fitting = of_study(study)
    assert not here & fitting.keys()
    there = {"levels_given", "internal", "workers", "topics", "rankings", "differences"}
    assert there <= fitting.keys()
    for name, analysis in fitting.items():
        result = analysis.of(data)
        told = json.dumps([result["says"], [part["says"] for part in result["parts"]]])
        assert result["says"], name
        assert "anchor" not in told, name
        assert "With the 3 best units" not in told, name
        assert result["crowd"] == "imported"


def test_analyses_of_units_are_not_there(study, researcher):
    base = f"/api/v1/studies/{study.slug}/analyses/"
    listed = researcher.get(base).json()
    assert [one["name"] for one in listed] == list(of_study(study))
    response = researcher.get(f"{base}labels/")
    assert response.status_code == 404
    assert "There is no analysis labels" in response.json()["detail"]
    assert not CachedAnalysis.objects.filter(name="labels").exists()


def test_exports(study, tmp_path):
    table = list(csv.DictReader(StringIO("".join(lines(study, "judgments", "csv")))))
    said = [line.split(",") for line in rows().splitlines()]
    assert [list(row.values())[:3] for row in table] == [one[:3] for one in said]
    assert list(table[0])[:3] == ["worker", "query_id", "doc_id"]
    names = {"-2": ("", "")} | {str(n): (str(n), name) for n, name in enumerate(LEVELS)}
    assert [(row["score"], row["score_text"]) for row in table] == [names[one[3]] for one in said]
    assert [(row["aspect"], row["occasion"]) for row in table] == [tuple(one[4:]) for one in said]
    first = next(iter(lines(study, "qrels", "trec"))).split()
    assert first[:3] == ["401", "imported", "D00"]
    ranked = list(csv.DictReader(StringIO("".join(lines(study, "rankings", "csv")))))
    assert {row["crowd"] for row in ranked} == {"imported"}
    for table_of_units in ("units", "table1"):
        with pytest.raises(CannotExport, match="as elsewhere was judged elsewhere; there are q"):
            lines(study, table_of_units, "csv")
        with pytest.raises(CommandError, match="was judged elsewhere"):
            call_command("export", study.slug, table_of_units)


def test_labels_in_crowd_kit_s_columns_are_those_of_the_gains(study):
    told = [json.loads(line) for line in lines(study, "crowdkit", "jsonl")]
    main = study.main_aspect
    given = sorted(line.split(",") for line in rows().splitlines() if f",{main}," in line)
    expected = [[f"{q} {d}", w, int(level)] for w, q, d, level, *_ in given if level != "-2"]
    assert sorted(expected) == sorted(list(row.values()) for row in told)
    assert {row["label"] for row in told} == {0, 1, 2}
    labels = defaultdict(list)
    for row in told:
        labels[row["task"]].append(row["label"])
    medians = {task: float(np.median(some)) for task, some in labels.items()}
    assert medians == {f"{g.query_id} {g.doc_id}": g.gain for g in pair_gains.gains(study)}


def test_what_is_exported_can_be_imported(study, tmp_path):
    (tmp_path / "out.jsonl").write_text("".join(lines(study, "judgments", "jsonl")))
    read = read_opinions(open_members([tmp_path / "out.jsonl"]), Scale(LEVELS))
    assert import_opinions(study.slug, "web", read, LEVELS).unchanged


def test_rest(study, researcher):
    base = f"/api/v1/studies/{study.slug}/"
    told = researcher.get(base).json()
    assert (told["crowd"], told["scale"], told["levels"]) == ("imported", "graded", LEVELS)
    page = researcher.get(f"{base}judgments/", {"page_size": 100}).json()
    assert len(page["results"]) == 100
    columns = set(HEAD.strip().split(",")) - {"label"} | {"score", "score_text"}
    assert page["results"][0].keys() == columns
    rest = researcher.get(page["next"]).json()["results"]
    assert len(page["results"]) + len(rest) == 3 * (DOCUMENTS * 4 + 1)
    missing = [row for row in page["results"] if row["worker"] == "nobody"]
    assert {(row["score"], row["score_text"]) for row in missing} == {(None, None)}
    assert researcher.get(f"{base}units/").json()["results"] == []
    assert researcher.get(f"{base}completions/").json()["results"] == []
    progress = researcher.get(f"{base}progress/").json()
    assert (progress["judgments"], progress["workers"], progress["units"]) == (144, 6, 0)
    refused = researcher.get(f"{base}qrels/", {"normalisation": "geometric"})
    assert refused.status_code == 400


def test_pages(study, at_desk):
    page = at_desk.get(f"/studies/{study.slug}/").content.decode()
    assert "2 systems ranked; which of them differ is being computed" in page
    words = " ".join(re.sub("<[^>]+>", "", page).split())
    assert "6 workers gave 144 labels to 36 documents of 3 topics." in words
    assert "Judged elsewhere: labels that were imported" in page
    for absent in ("Monitor", "Table I", "Work and pay", "unit", "units.csv"):
        assert absent not in page.replace("There are no units, no times and no pay", ""), absent
    listed = at_desk.get("/studies/").content.decode()
    assert '<td role="cell">imported</td>' in listed
    assert "144 labels" in listed


def test_what_it_has_not_is_not_found(study, at_desk):
    for path in (
        "monitor/",
        "monitor/topics/401/",
        "monitor/workers/w1/",
        "units.csv",
        "table1.csv",
    ):
        assert at_desk.get(f"/studies/{study.slug}/{path}").status_code == 404, path
    for name, analysis in ANALYSES.items():
        there = at_desk.get(f"/studies/{study.slug}/method/{name}/")
        assert there.status_code == (200 if name in of_study(study) else 404)
        why_not = analysis.applies_to.reason_if_not
        assert name in of_study(study) or why_not in there.content.decode()


def test_a_document_that_differs_has_its_labels(study, at_desk):
    page = at_desk.get(f"/studies/{study.slug}/differences/401/D00/").content.decode()
    assert "5 labels, the highest first" in page
    assert "nobody" in page
    assert "Unit" not in page


def test_a_report_of_it(study, tmp_path):
    out = StringIO()
    call_command("report", study.slug, "--out", str(tmp_path), stdout=out)
    assert re.search(r"\d+ files on \d+ labels of elsewhere$", out.getvalue().strip())
    said = (tmp_path / "methods.txt").read_text()
    assert re.search(r"Krippendorff's alpha.{,60} counts all scores of a document", said)
    assert "Relevance was judged elsewhere, by 6 workers, on the levels Non, Rel, Key" in said
    of_page = medians(rows(), "page")
    labels = sum(n for _, n in of_page.values())
    assert f"{labels} labels on the aspect page of {len(of_page)} topic-document pairs on 3" in said
    assert f"{144 - labels} labels were on other aspects; 3 further labels stood for no" in said
    assert not (tmp_path / "data" / "overview-table1.csv").exists()
    assert (tmp_path / "data" / "overview-rankings.csv").exists()


def test_no_runs_and_no_labels(db, tmp_path, at_desk):
    study = bring(tmp_path, rows(), slug="alone")
    page = at_desk.get("/studies/alone/").content.decode()
    assert "144 labels, but there is no run to rank" in page
    assert bring_up_to_date() == 1
    assert math.isfinite(np.nanmax(load(study).documents.gains))


def test_the_overview_has_the_cards_that_apply(study, at_desk):
    at_desk.get(f"/studies/{study.slug}/")
    stored.bring_up_to_date()
    response = at_desk.get(f"/studies/{study.slug}/")
    cards = {card.name: card for card in response.context["cards"]}
    assert list(cards) == ["ranking", "crowd", "labels", "enough", "users"]
    numbers = {row.name: row.numbers for row in study.analyses.filter(asked="")}
    assert cards["users"].number == f"{100 * numbers['weights']['p_top']:.0f}%"
    assert cards["users"].headline.startswith("What one calls “Key”, another calls “Key”")
    assert "Too few topics to say which of 2 systems differ" in response.content.decode()
