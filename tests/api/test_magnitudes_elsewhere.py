"""Magnitudes from another site: the same numbers as if they had been given here."""

import csv
import random
import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from evaluation import results
from evaluation.analyses import of_study
from evaluation.pipeline import MEASURES, bring_up_to_date, evaluate
from evaluation.publishing import named_gains, pair_gains
from evaluation.publishing.exports import CannotExport, lines
from evaluation.publishing.judgment_rows import opinions
from evaluation.study.data import load
from judging.models import Study
from magnitudes.measures.names import MeasureNameError, parse
from tests.acceptance import naive
from tests.factory.completed import judged_study

pytestmark = pytest.mark.django_db
NEAR = 1e-12
TABLES = ("qrels", "rankings")


def bring(folder: Path, text: str, slug: str, collection: str, *how: str) -> Study:
    """Import rows by the command, and evaluate them."""
    file = folder / f"{slug}.csv"
    file.write_text(text)
    arguments = (slug, str(file), "--collection", collection, "--scale", "magnitude", *how)
    call_command("import_opinions", *arguments)
    bring_up_to_date()
    return Study.objects.get(slug=slug)


def exported(study: Study, table: str, ending: str = "csv") -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO("".join(lines(study, table, ending)))))


def numbers(study: Study) -> dict[str, Any]:
    """Gains, and every value and rank of every run, as files have them: to the last digit."""
    told = {"iteration", "crowd"}  # who judged
    return {
        table: [{k: v for k, v in row.items() if k not in told} for row in exported(study, table)]
        for table in TABLES
    }


@pytest.mark.parametrize("seed", range(2))
def test_a_study_judged_here_gives_the_same_numbers_from_its_export(seed, tmp_path):
    here, _ = judged_study(seed, topics=3, units=8)
    evaluate(here)
    text = "".join(lines(here, "judgments", "csv"))
    there = bring(tmp_path, text, "there", here.collection.slug, "--group", "unit")
    assert (there.scale, there.is_imported) == ("magnitude", True)
    assert numbers(there) == numbers(here)
    of_units, of_groups = (
        {
            (row["worker"], row["doc_id"], row["query_id"]): row["normalised"]
            for row in exported(study, "judgments")
        }
        for study in (here, there)
    )
    assert of_units == of_groups


def test_rows_in_another_order_and_the_column_found_by_itself(tmp_path):
    here, _ = judged_study(3, topics=2, units=6)
    evaluate(here)
    head, *rows = "".join(lines(here, "judgments", "jsonl")).splitlines(keepends=True)
    text = "".join(random.Random(1).sample([head, *rows], len(rows) + 1))
    assert numbers(bring(tmp_path, text, "there", here.collection.slug)) == numbers(here)


def rows(seed: int = 1, zeros: bool = False) -> str:
    """Sliders: groups of 1 to 9 scores, some workers with two groups on a topic."""
    rng = np.random.default_rng(seed)
    text = ["annotator,topic,docno,hit,slider\n"]
    for query_id in ("401", "402", "403"):
        for number, size in enumerate((1, 4, 9, 6, 2, 9)):
            worker, scale = number % 4, 10 ** rng.uniform(-1, 1)
            for doc in rng.permutation(9)[:size]:
                score = round(scale * (doc + 1) * np.exp(rng.normal(0, 0.4)), 2) + 0.01
                text.append(f"w{worker},{query_id},D{doc},h{number},{score:.2f}\n")
    text.append(f"w0,401,D0,h6,{'0' if zeros else ''}\n")
    return "".join(text)


NEEDS_ANCHORS = (
    r"@10 needs the anchors of each topic \(the gains of its h_k and n_k\); not known here"
)
SLIDER = ("--columns", "label=slider", "--group", "hit")


@pytest.fixture(scope="module")
def study(for_all, tmp_path_factory):
    judged, _ = judged_study(5, units=0)
    folder = tmp_path_factory.mktemp("sliders")
    return bring(folder, rows(), "sliders", judged.collection.slug, *SLIDER)


def test_gains_of_groups_of_any_size_equal_those_of_plain_loops(study):
    judged = [
        dict(row) | {"unit": f"{row['worker']} {row['group']}"}
        for row in opinions(study)
        if row["score"] is not None
    ]
    expected = naive.gains(judged)
    found = {(gain.query_id, gain.doc_id): gain.gain for gain in pair_gains.gains(study)}
    assert found == pytest.approx(
        {(q, d): gain for q, of_topic in expected.items() for d, gain in of_topic.items()}, rel=NEAR
    )
    assert len(found) == 27


def test_one_scale_for_all_that_a_worker_gave_on_a_topic(study, tmp_path):
    by_worker = bring(
        tmp_path, rows(), "by-worker", study.collection.slug, *SLIDER[:2], *("--group", "worker")
    )
    judged = [
        dict(row) | {"unit": row["worker"]}
        for row in opinions(by_worker)
        if row["score"] is not None
    ]
    expected = naive.gains(judged)["402"]
    found = {
        gain.doc_id: gain.gain for gain in pair_gains.gains(by_worker) if gain.query_id == "402"
    }
    assert found == pytest.approx(expected, rel=NEAR)
    assert {row["group"] for row in exported(by_worker, "judgments")} == {""}


def test_what_is_exported_and_imported_again_gives_the_same(study, tmp_path, capsys):
    text = "".join(lines(study, "judgments", "csv"))
    again = bring(tmp_path, text, "again", study.collection.slug)
    assert numbers(again) == numbers(study)
    assert "".join(lines(again, "judgments", "csv")) == text
    bring(tmp_path, text, "again", study.collection.slug)
    assert "all of it was there already" in capsys.readouterr().out


def test_an_export_says_what_was_given_and_what_it_became(study):
    *_, last = exported(study, "judgments")
    columns = "worker query_id doc_id group score normalised aspect occasion"
    assert list(last) == columns.split()
    assert (last["group"], last["score"], last["normalised"]) == ("h6", "", "")
    for table in ("units", "table1"):
        with pytest.raises(CannotExport, match="was judged elsewhere"):
            lines(study, table, "csv")


def test_other_schemes_but_none_of_anchors_and_no_gains_that_need_levels(study):
    for scheme in ("median", "midrange", "none"):
        assert len(pair_gains.gains(study, scheme)) == 27
    with pytest.raises(pair_gains.NoSuchScheme, match="median, midrange, none, as there are no an"):
        pair_gains.gains(study, "anchors")
    assert list(named_gains.choices(study)) == ["magnitude"]
    with pytest.raises(named_gains.NoSuchGains, match=r"without the anchors.*; there is magnitude"):
        named_gains.named(study, "udm:1/3")


def test_measures_of_its_runs_but_none_that_asks_what_is_relevant(study):
    for measure in (*MEASURES, "nDCG@5", "RBP(p=0.8)", "AP(rel=4)"):
        assert results.ranking(study, parse(measure))["results"]
    with pytest.raises(MeasureNameError, match="needs the anchors of each topic"):
        results.ranking(study, parse("AP"))


def test_analyses_that_fit_it_say_something_and_nothing_of_anchors(study):
    data, fitting = load(study), of_study(study)
    there = {"distributions", "spread", "numbers", "internal", "ratios", "labels", "schemes"}
    assert there <= fitting.keys()
    not_here = {"order", "widths", "profiles", "sensitivity", "reading", "reader", "weights"}
    assert not not_here & fitting.keys()
    assert len(data.units) == 18
    assert data.judgments.positions.max() == 9
    assert not data.documents.is_anchor.any()
    for name, analysis in fitting.items():
        told = analysis.of(data)
        assert told["says"], name
        texts = [told["says"], *((part["says"], part.get("notes")) for part in told["parts"])]
        assert "anchor" not in re.sub(NEEDS_ANCHORS, "", str(texts).lower()), name


def test_units_of_analyses_are_groups(study):
    data = load(study)
    judgments = data.judgments
    for unit in range(len(data.units)):
        of_unit = judgments.units == unit
        assert len(set(judgments.workers[of_unit])) == 1
        assert set(judgments.workers[of_unit]) == {data.units.workers[unit]}
        logs = np.log(judgments.normalised[of_unit])
        gamma = data.topics[int(data.units.topics[unit])].gamma
        assert np.mean(logs) == pytest.approx(np.log(gamma), abs=1e-9)
    assert data.justifications(np.arange(3)) == ["", "", ""]
    assert {data.unit_name(unit) for unit in range(6)} == {f"h{n}" for n in range(6)}


def test_pages_rest_and_report(study, at_desk, researcher, tmp_path):
    page = at_desk.get(f"/studies/{study.slug}/").content.decode()
    assert "93 scores" in page
    assert "scores that were imported" in page
    assert "<dd>18</dd>" in page
    assert "level" not in page.lower().replace("no level", "")
    document = at_desk.get(f"/studies/{study.slug}/differences/401/D0/").content.decode()
    shown = [float(text) for text in re.findall(r'<td class="number">([\d.]+)</td><td', document)]
    assert shown[::2] == sorted(shown[::2], reverse=True)  # beside each the score as given
    assert '<td class="number">none</td><td>h6</td>' in document
    base = f"/api/v1/studies/{study.slug}/"
    row = researcher.get(f"{base}judgments/", {"page_size": 1}).json()["results"][0]
    assert (row["group"], row["worker"]) == ("h0", "w0")
    assert row["normalised"] > 0
    assert researcher.get(f"{base}progress/").json()["judgments"] == 93
    refused = researcher.get(f"{base}qrels/", {"gains": "linear"})
    assert refused.status_code == 400
    call_command("report", study.slug, "--out", str(tmp_path / "out"), stdout=StringIO())
    said = (tmp_path / "out" / "methods.txt").read_text()
    assert "in 18 units, each of scores that a worker gave on one scale" in said
    assert "normalised by geometric averaging" in said
