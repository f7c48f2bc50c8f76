"""NTCIREVAL's layout: pyNTCIREVAL's values on it are those of `evaluate` on the same levels."""

import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from django.core.management import CommandError, call_command
from pyNTCIREVAL import Labeler
from pyNTCIREVAL.main import cli
from pyNTCIREVAL.metrics import MSnDCG, PPlusMeasure, nDCG, nERR
from pyNTCIREVAL.utils import read_ranked_list, read_rel_file

from evaluation.pipeline import evaluate
from evaluation.publishing import exports
from judging.models import Study
from tests.database import there_for_all
from tests.factory import GRADED, make_study
from tests.factory.completed import complete, judged_study
from tests.factory.runs import Runs, add_runs

pytestmark = pytest.mark.django_db
MEASURES = ["nG@1", "nG@5", "nERR(largest=4)@10", "P+"]


@pytest.fixture(scope="module")
def judged(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[Study, Runs]]:
    with there_for_all(django_db_blocker):
        study, runs = judged_study(5, topics=3, units=8)
        evaluate(study)
        yield study, runs


@pytest.fixture
def graded() -> Study:
    study = make_study(redundancy=1, **GRADED)
    complete(study, "ada", lambda d: {"h_k": "3", "n_k": "0"}.get(d.role, "1"))
    evaluate(study)
    return study


def write(study: Study, folder: Path, *options: str) -> tuple[str, str]:
    out, errors = StringIO(), StringIO()
    arguments = (study.slug, "--out", str(folder), *options)
    call_command("export_ntcireval", *arguments, stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


def own(study: Study, runs: Runs, folder: Path) -> dict[tuple[str, str, str], float]:
    """By run, topic and measure: what `evaluate` makes of the same levels and runs."""
    levels = "".join(exports.lines(study, "qrels", "trec", levels=4))
    (folder / "levels.txt").write_text(levels)
    (folder / "given").mkdir()
    for tag, lists in runs.items():
        lines = [
            f"{q} Q0 {d} 0 {score!r} {tag}\n" for q, rows in lists.items() for d, score in rows
        ]
        (folder / "given" / tag).write_text("".join(lines))
    out = StringIO()
    files = {"qrels": [str(folder / "levels.txt")], "runs": [str(folder / "given")]}
    options = {"measures": MEASURES, "per_topic": True, "format": "json"}
    call_command("evaluate", **files, **options, stdout=out, stderr=StringIO())
    rows = json.loads(out.getvalue())
    return {
        (row["run"], row["topic"], row["measure"]): row["value"]
        for row in rows
        if row["topic"] != "all"
    }


def theirs(rel: Path, res: Path, gains: list[int]) -> dict[str, float]:
    """What pyNTCIREVAL makes of a topic's levels and a run's list."""
    labeler = Labeler(read_rel_file(rel.open(), " "))
    ranked = labeler.label(read_ranked_list(res.open()))
    per_level = labeler.compute_per_level_doc_num(len(gains) + 1)
    metrics = [
        MSnDCG(per_level, gains, 1),
        nDCG(per_level, gains, logb=1e9, cutoff=5),  # without discounts
        nERR(per_level, gains, 10),
        PPlusMeasure(per_level, gains, 1.0),
    ]
    values = [float(metric.compute(ranked)) for metric in metrics]
    return dict(zip(MEASURES, values, strict=True))


def test_values_are_those_of_evaluate(judged: tuple[Study, Runs], tmp_path: Path) -> None:
    study, runs = judged
    folder = tmp_path / "ntcireval"
    out, said = write(study, folder, "--levels", "4")
    query_ids = (folder / "topics.txt").read_text().split()
    tags = (folder / "runs.txt").read_text().split()
    assert out == f"{folder}: {len(query_ids)} topics, {len(tags)} runs\n"
    assert tags == sorted(runs)
    gains = [int(gain) for gain in re.search(r"-g (\S+)$", said.strip())[1].split(":")]  # type: ignore[index]
    assert gains == [1, 2, 3, 4]
    expected, missing = own(study, runs, tmp_path), 0
    for query_id in query_ids:
        for tag in tags:
            res = folder / query_id / f"{query_id}.{tag}.res"
            of_list = {measure: expected[tag, query_id, measure] for measure in MEASURES}
            if not res.exists():
                assert query_id not in runs[tag]
                assert set(of_list.values()) == {0}
                missing += 1
                continue
            made = theirs(folder / query_id / f"{query_id}.rel", res, gains)
            assert made == pytest.approx(of_list, rel=1e-12)
    assert len(expected) == len(MEASURES) * len(query_ids) * len(tags)
    assert f"files that are not there, as a run leaves out the topic: {missing}\n" in said


def test_pyntcireval_s_commands_read_it(judged: tuple[Study, Runs], tmp_path: Path) -> None:
    folder = tmp_path / "ntcireval"
    write(judged[0], folder, "--levels", "4")
    res = next(folder.glob("*/*.res"))
    rel = str(res.parent / f"{res.parent.name}.rel")
    labelled = CliRunner().invoke(cli, ["label", "-r", rel, str(res)])
    assert labelled.exit_code == 0
    arguments = ["compute", "-r", rel, "-g", "1:2:3:4", "--cutoffs", "1,10"]
    computed = CliRunner().invoke(cli, arguments, input=labelled.output)
    values = dict(re.findall(r"^ *(\S+)= *(\S+)$", computed.output, re.MULTILINE))
    made = theirs(Path(rel), res, [1, 2, 3, 4])
    assert values["MSnDCG@0001"] == f"{made['nG@1']:.4f}"
    assert values["PPlusMeasure"] == f"{made['P+']:.4f}"
    assert values["nERR@0010"] == f"{made['nERR(largest=4)@10']:.4f}"


def test_levels_of_a_study_with_levels_are_its_own(graded: Study, tmp_path: Path) -> None:
    _, said = write(graded, tmp_path / "own")
    lines = (tmp_path / "own/401/401.rel").read_text().splitlines()
    assert {line.split()[1] for line in lines} == {"L0", "L1", "L3"}
    assert said == "NTCIREVAL: -g 1:2:3\n"


def test_what_cannot_be_written_is_refused_and_nothing_is_written(
    judged: tuple[Study, Runs], graded: Study, tmp_path: Path
) -> None:
    folder = tmp_path / "new"
    for study, options, said in [
        (judged[0], [], "--levels: gains have decimals; expected how many levels to make"),
        (judged[0], ["--levels", "1"], "--levels: 1 levels: expected a whole number from 2"),
        (judged[0], ["--gains", "joy"], "--gains: "),
        (make_study(), [], "has no gain above 0"),
        (graded, ["--gains", "10^(1+C)"], "the highest gain is 10,000, and there can be 127"),
    ]:
        with pytest.raises(CommandError, match=re.escape(said)):
            write(study, folder, *options)
        assert not folder.exists()
    with pytest.raises(CommandError, match=r"There is no study nowhere\."):
        call_command("export_ntcireval", "nowhere", "--out", str(folder))
    folder.mkdir()
    with pytest.raises(CommandError, match="is there already: name a new folder"):
        write(graded, folder)


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("up/../there", "no file can be named by the run up/../there: it is a path"),
        ("x" * 250, "is longer than a file's may be, 255 bytes"),
    ],
)
def test_a_name_that_no_file_can_have(graded: Study, tmp_path: Path, tag: str, said: str) -> None:
    add_runs(graded, {tag: {"401": [("D401-003", 1.0)]}})
    with pytest.raises(CommandError, match=re.escape(said)):
        write(graded, tmp_path / "new")
    assert not (tmp_path / "new").exists()
