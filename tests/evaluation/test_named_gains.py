"""Gains of studies by name: from the database and from exported files, all the same."""

import json
import random
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation import results
from evaluation.pipeline import MEASURES, evaluate
from evaluation.publishing import exports, named_gains, pair_gains
from judging import flow
from judging.collections.opinions import import_opinions
from judging.models import PooledDocument, Study
from magnitudes.files.containers.archives import open_members
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.scales import Scale
from magnitudes.measures.names import parse
from magnitudes.scaling.cutting import anchor_thresholds
from tests.factory import later
from tests.factory.completed import LEVELS, complete, graded_study, judged_study, random_levels
from tests.factory.runs import Runs, add_runs, random_runs

pytestmark = pytest.mark.django_db
OF_LEVELS = ["linear", "exponential", "udm:1/3", "raw", "weighted", "unanimity:0.2"]
ASKED = (*MEASURES, "nDCG@3", "P@5", "P+@10", "nERR@10")


def imported_study(folder: Path, seed: int = 1) -> tuple[Study, Runs]:
    rng = random.Random(seed)
    rows = [
        f"{worker},{topic},D{document},{rng.choice([0, 1, 1, 2, -2])}\n"
        for worker in ("anna", "ben", "cleo", "dora")
        for topic in ("7", "51")
        for document in range(12)
        if rng.random() < 0.8
    ]
    rng.shuffle(rows)
    file = folder / "given.csv"
    file.write_text("worker,query_id,doc_id,label\n" + "".join(rows))
    import_opinions("elsewhere", "web", read_opinions(open_members([file]), Scale(LEVELS)), LEVELS)
    study = Study.objects.get(slug="elsewhere")
    runs = random_runs(study, rng)
    add_runs(study, runs)
    evaluate(study)
    return study, runs


Values = dict[tuple[str, str, str], float]


def from_files(folder: Path, runs: Runs, *labels: str) -> Values:
    """What `evaluate` prints: values by run, measure and topic."""
    lists = folder / "runs"
    lists.mkdir(exist_ok=True)
    for tag, topics in runs.items():
        (lists / tag).write_text(
            "".join(
                f"{query_id} Q0 {doc_id} {rank} {score!r} {tag}\n"
                for query_id, ranked in topics.items()
                for rank, (doc_id, score) in enumerate(ranked, 1)
            )
        )
    out = StringIO()
    options = ["--measures", *ASKED, "--per-topic", "--format", "json"]
    call_command("evaluate", *labels, "--runs", str(lists), *options, stdout=out, stderr=StringIO())
    return {(r["run"], r["measure"], r["topic"]): r["value"] for r in json.loads(out.getvalue())}


def from_study(study: Study, gains: str | None) -> Values:
    """The values of a study's rankings, as they are exported."""
    return {
        (row["run"], row["measure"], row["query_id"]): row["value"]
        for measure in ASKED
        for row in exports.rankings(study, measure, gains)
    }


def exported(study: Study, folder: Path, *what: str) -> str:
    file = folder / "exported"
    call_command("export", study.slug, *what, "--out", str(file))
    return str(file)


def same(one: Values, other: Values) -> None:
    assert set(one) == set(other)
    assert len(one) > 20
    for key, value in one.items():
        assert other[key] == pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("gains", OF_LEVELS)
@pytest.mark.parametrize("written", ["csv", "jsonl"])
def test_levels_of_a_study_and_its_exported_judgments_rank_alike(
    gains: str, written: str, tmp_path: Path
) -> None:
    study, runs = graded_study()
    file = exported(study, tmp_path, "judgments", "--format", written)
    said = ("--opinions", file, "--gains", gains, "--ratings", str(study.redundancy))
    expected = from_study(study, gains)
    same(expected, from_files(tmp_path, runs, *said, "--levels", *LEVELS))
    same(expected, from_files(tmp_path, runs, *said))


@pytest.mark.parametrize("gains", OF_LEVELS)
@pytest.mark.parametrize("written", ["csv", "jsonl"])
def test_opinions_given_elsewhere_and_their_export_rank_alike(
    gains: str, written: str, tmp_path: Path
) -> None:
    study, runs = imported_study(tmp_path)
    file = exported(study, tmp_path, "judgments", "--format", written)
    same(from_study(study, gains), from_files(tmp_path, runs, "--opinions", file, "--gains", gains))


@pytest.mark.parametrize("gains", OF_LEVELS)
def test_exported_gains_of_magnitudes_rank_as_the_study_does(gains: str, tmp_path: Path) -> None:
    study, runs = judged_study(3, topics=3, units=12, redundancy=4)
    evaluate(study)
    file = exported(study, tmp_path, "qrels", "--gains", gains)
    same(from_study(study, gains), from_files(tmp_path, runs, "--qrels", file))
    assert from_study(study, gains) != from_study(study, None)


@pytest.mark.parametrize("written", ["csv", "jsonl"])
def test_exported_magnitudes_are_cut_where_one_topic_is_cut(written: str, tmp_path: Path) -> None:
    study, runs = judged_study(3, topics=1, units=8, redundancy=4)
    evaluate(study)
    worth = {gain.doc_id: gain.gain for gain in pair_gains.gains(study)}
    anchors = dict(PooledDocument.objects.exclude(role="other").values_list("role", "doc_id"))
    ends = [[worth[anchors[role]]] for role in ("n_k", "h_k")]
    cuts = [repr(float(cut)) for cut in anchor_thresholds(*ends, 4)[0]]
    file = exported(study, tmp_path, "judgments", "--format", written)
    for gains in ("udm:1/3", "linear"):
        found = from_files(tmp_path, runs, "--opinions", file, "--cuts", *cuts, "--gains", gains)
        same(from_study(study, gains), found)


def test_magnitudes_as_they_are(tmp_path: Path) -> None:
    study, runs = judged_study(3, topics=3, units=9)
    evaluate(study)
    file = exported(study, tmp_path, "qrels")
    found = from_files(tmp_path, runs, "--qrels", file, "--gains", "magnitude")
    assert found == from_files(tmp_path, runs, "--qrels", file)
    # In a study, relevant is what has a gain between those of the anchors.
    published = {key: value for key, value in from_study(study, None).items() if key in found}
    same({key: value for key, value in found.items() if key in published}, published)
    assert {key[1] for key in found.keys() - published.keys()} == {"P@5", "P+@10"}


@pytest.mark.parametrize("make", [graded_study, lambda: judged_study(2, topics=2, units=6)])
def test_the_usual_gains_are_the_published_ones(make: Any) -> None:
    study, _ = make()
    evaluate(study)
    usual = named_gains.usual(study)
    assert pair_gains.gains(study, named=usual) == pair_gains.gains(study)
    for name in (*MEASURES, "nDCG@3"):
        assert results.ranking(study, parse(name), usual) == results.ranking(study, parse(name))


def test_levels_are_medians_and_counts_stay() -> None:
    study, _ = graded_study()
    for plain, squared in zip(
        pair_gains.gains(study), pair_gains.gains(study, named="exponential"), strict=True
    ):
        assert squared.gain == pytest.approx(2**plain.gain - 1)
        assert (squared.query_id, squared.doc_id) == (plain.query_id, plain.doc_id)
        assert squared.count == plain.count


def test_only_what_is_published_counts() -> None:
    study, _ = graded_study()
    before = from_study(study, "raw")
    withdrawn = study.assignments.filter(state="completed").earliest("id")
    flow.withdraw(str(withdrawn.completion_code), later(900))
    complete(study, "one more", random_levels(random.Random(1)), later(1000))
    assert results.ranking(study, parse(MEASURES[0]), "raw")["source"]["units"] == 9
    units = [set(t.assignments) for t in results.topics_of(study)]
    assert sum(map(len, units)) == 9
    evaluate(study)
    assert from_study(study, "raw") != before


# --- commands ---------------------------------------------------------------------------------


def test_gains_are_an_option_of_qrels_and_rankings_only(tmp_path: Path) -> None:
    study, _ = graded_study()
    with pytest.raises(CommandError, match="--gains is an option of qrels and rankings only"):
        exported(study, tmp_path, "units", "--gains", "raw")
    with pytest.raises(CommandError, match="no gain is called magnitude here: "):
        exported(study, tmp_path, "rankings", "--gains", "magnitude")
    file = exported(study, tmp_path, "rankings", "--gains", "raw")
    assert {line.split(",")[-1] for line in Path(file).read_text().splitlines()} == {"gains", "raw"}


def test_what_gains_are_computed_from_is_told(tmp_path: Path) -> None:
    study, _ = imported_study(tmp_path)

    def told(*what: str) -> str:
        errors = StringIO()
        call_command("export", study.slug, *what, stdout=StringIO(), stderr=errors)
        return errors.getvalue()

    said = [told(table, "--gains", "raw") for table in ("qrels", "rankings")]
    assert said[0] == said[1]
    assert re.fullmatch(
        r"raw: \d+ of \d+ documents have fewer than \d ratings: RawG is scaled up to \d, and D may "
        r"be too small\n",
        said[0],
    )
    assert told("qrels") == told("qrels", "--gains", "udm:1/3") == told("judgments") == ""


def test_messages_name_workers_and_levels(tmp_path: Path) -> None:
    def refused(rows: str) -> str:
        file = tmp_path / "given.csv"
        file.write_text("worker,query_id,doc_id,label\n" + rows)
        read = read_opinions(open_members([file]), Scale(LEVELS))
        import_opinions("elsewhere", "web", read, LEVELS, replace=True)
        study = Study.objects.get(slug="elsewhere")
        evaluate(study)
        with pytest.raises(named_gains.NoSuchGains) as fault:
            pair_gains.gains(study, named="udm:1/3")
        return str(fault.value)

    assert refused("zoe,7,D1,1\nzoe,7,D2,0\n").endswith("all labels are of judge zoe")
    rows = f"zoe,7,D1,0\nben,7,D1,{len(LEVELS) - 1}\nben,7,D2,1\n"
    assert f"level {LEVELS[1]}: no document with two judges has it" in refused(rows)
