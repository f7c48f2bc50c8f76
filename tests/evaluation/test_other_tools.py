"""docs/other-tools.md as it stands: every example is run, and gives the values of the study.

trec_eval is not to be had as a program everywhere; its code is inside pytrec_eval.
"""

import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pytest
import pytrec_eval
import pytrec_eval_ext
import ranx
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from evaluation import results
from evaluation.pipeline import evaluate
from evaluation.publishing import pair_gains
from judging.models import Study
from magnitudes.gains.whole_numbers import trec_eval_gains
from magnitudes.measures.names import parse
from tests.database import there_for_all
from tests.factory.completed import judged_study
from tests.factory.runs import add_runs

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[2] / "docs/other-tools.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^manage\.py export SLUG (.*)$", PAGE, re.MULTILINE)
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PYTREC_EVAL, IR_MEASURES, RANX, PYTERRIER, REAL_GAINS, WITH_LEVELS, MEDIANS = EXAMPLES
TREC_EVAL = dict(re.findall(r"^trec_eval -m (\S+) (\S+) my.run$", PAGE, re.MULTILINE))
GAINS_ON_THE_PAGE = "1=43,2=96,3=180,4=512"


class Exported(NamedTuple):
    """The files that the commands of the page write, beside my.run, and what they say of them."""

    folder: Path
    said: str

    def run(self, example: str) -> dict[str, Any]:
        """The names that an example in Python leaves."""
        names: dict[str, Any] = {}
        exec(example, names)
        return names

    def own(self, qrels: str, measure: str) -> float:
        """The mean by this product's own `evaluate`."""
        out = StringIO()
        files = {"qrels": [qrels], "runs": ["my.run"]}
        call_command("evaluate", **files, measures=[measure], format="json", stdout=out)
        (mean,) = [row["value"] for row in json.loads(out.getvalue()) if row["topic"] == "all"]
        return float(mean)

    @property
    def gain_of_level(self) -> dict[int, float]:
        told = re.findall(r"^level (\d+): gain (\S+)$", self.said, re.MULTILINE)
        return {int(level): float(gain) for level, gain in told}

    @property
    def trec_eval_gains(self) -> str:
        return re.search(r"^trec_eval: -m ndcg\.(\S+)$", self.said, re.MULTILINE)[1]  # type: ignore[index]

    def with_gains(self) -> None:
        """Write gains.txt: levels.txt with the gain of each level in its place."""
        lines = [line.split() for line in Path("levels.txt").read_text().splitlines()]
        gains = self.gain_of_level | {0: 0.0}
        text = "".join(f"{q} {i} {d} {gains[int(level)]}\n" for q, i, d, level in lines)
        Path("gains.txt").write_text(text)


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        study, _ = judged_study(1, topics=3, units=9, runs=0)
        evaluate(study)
        yield study


@pytest.fixture
def exported(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exported:
    """The commands of the page, run; my.run has other scores for all documents of a topic."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    lists = {}
    for topic in study.topics.select_related("topic"):
        pool = list(topic.documents.order_by("doc_id").values_list("doc_id", flat=True))
        ranked = rng.permutation([*pool[:12], "nowhere"]).tolist()
        lists[topic.topic.query_id] = [(doc_id, -float(n)) for n, doc_id in enumerate(ranked)]
    lines = [
        f"{query_id} Q0 {doc_id} {rank} {score} my\n"
        for query_id, ranked in lists.items()
        for rank, (doc_id, score) in enumerate(ranked, 1)
    ]
    Path("my.run").write_text("".join(lines))
    add_runs(study, {"my": lists})
    evaluate(study)
    said = StringIO()
    for command in COMMANDS:
        call_command("export", study.slug, *command.split(), stdout=StringIO(), stderr=said)
    return Exported(tmp_path, said.getvalue())


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_user("rosa", is_superuser=True))
    return client


def mean_of_the_study(study: Study, measure: str) -> float:
    (system,) = results.ranking(study, parse(measure))["results"]
    return float(system["mean"])


def test_the_commands_write_their_files_and_say_what_is_lost(exported: Exported) -> None:
    files = ["qrels.txt", "qrels.csv", "levels.txt", "scores.csv"]
    assert [line.split()[-1] for line in COMMANDS] == files
    numbers = {Path(name).read_text() for name in ("qrels.txt", "levels.txt")}
    for text in numbers:
        assert all(line.split()[3].isdecimal() for line in text.splitlines())
    assert "the gains times 10000, rounded: no gain is changed by more than" in exported.said
    assert "4 levels of the gains above 0: documents of one level count alike" in exported.said
    assert list(exported.gain_of_level) == [1, 2, 3, 4]


def test_pytrec_eval_reads_gains_times_a_factor(exported: Exported, study: Study) -> None:
    by_topic = exported.run(PYTREC_EVAL)["by_topic"]
    mean = np.mean([values["ndcg_cut_10"] for values in by_topic.values()])
    assert mean == pytest.approx(exported.own("qrels.txt", "nDCG@10"), abs=1e-12)
    assert mean == pytest.approx(mean_of_the_study(study, "nDCG@10"), rel=1e-4)


def test_ir_measures_reads_gains_times_a_factor(exported: Exported) -> None:
    (mean,) = exported.run(IR_MEASURES)["mean"].values()
    assert mean == pytest.approx(exported.own("qrels.txt", "nDCG@10"), abs=1e-12)


@pytest.mark.filterwarnings("ignore:unsafe cast from uint64")
def test_ranx_reads_gains_times_a_factor(exported: Exported) -> None:
    mean = exported.run(RANX)["mean"]
    assert mean == pytest.approx(exported.own("qrels.txt", "nDCG@10"), abs=1e-9)


@pytest.mark.filterwarnings("ignore:unsafe cast from uint64")
def test_ranx_cuts_real_gains_of_a_dictionary_and_refuses_a_file_of_them(
    exported: Exported, study: Study
) -> None:
    gains: dict[str, dict[str, float]] = {}
    for gain in pair_gains.gains(study):
        gains.setdefault(gain.query_id, {})[gain.doc_id] = gain.gain
    run = ranx.Run.from_file("my.run", kind="trec")
    real = ranx.evaluate(ranx.Qrels(gains), run, "ndcg@10", make_comparable=True)
    cut = {topic: {doc: int(gain) for doc, gain in of.items()} for topic, of in gains.items()}
    assert cut != gains
    assert real == ranx.evaluate(ranx.Qrels(cut), run, "ndcg@10", make_comparable=True)
    assert abs(real - mean_of_the_study(study, "nDCG@10")) > 0.001
    call_command("export", study.slug, "qrels", out="real.txt", stderr=StringIO())
    with pytest.raises(ValueError, match="invalid literal for int"):
        ranx.Qrels.from_file("real.txt", kind="trec")


def test_ir_measures_reads_the_frame_of_pyterrier(exported: Exported, study: Study) -> None:
    frame = exported.run(PYTERRIER)["qrels"]
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    run = ir_measures.read_trec_run("my.run")
    ndcg = ir_measures.nDCG @ 10
    mean = ir_measures.calc_aggregate([ndcg], frame.rename(columns=names), run)[ndcg]
    assert mean == pytest.approx(mean_of_the_study(study, "nDCG@10"), rel=1e-4)


def test_ir_measures_takes_real_gains_from_the_provider(exported: Exported, study: Study) -> None:
    before = list(ir_measures.DefaultPipeline.providers)
    try:
        means = exported.run(REAL_GAINS)["mean"]
    finally:
        ir_measures.DefaultPipeline.providers[:] = before
    for measure in ("nDCG@10", "ERR@10"):
        mean = means[ir_measures.parse_measure(measure)]
        assert mean == pytest.approx(mean_of_the_study(study, measure), abs=1e-9)


def trec_eval(measure: str, qrels: str) -> dict[str, dict[str, float]]:
    """What trec_eval's code in pytrec_eval makes of files, with any parameter of a measure."""
    with Path(qrels).open() as labels, Path("my.run").open() as run:
        evaluator = pytrec_eval_ext.RelevanceEvaluator(
            query_relevance=pytrec_eval.parse_qrel(labels),
            measures={measure},
            relevance_level=1,
            judged_docs_only_flag=False,
        )
        values: dict[str, dict[str, float]] = evaluator.evaluate(pytrec_eval.parse_run(run))
    return values


def test_trec_eval_reads_gains_times_a_factor(exported: Exported) -> None:
    values = trec_eval("ndcg_cut.10", TREC_EVAL["ndcg_cut.10"])
    mean = np.mean([of_topic["ndcg_cut_10"] for of_topic in values.values()])
    assert mean == pytest.approx(exported.own("qrels.txt", "nDCG@10"), abs=1e-12)


def test_trec_eval_takes_the_gains_of_levels_that_are_told(exported: Exported) -> None:
    assert TREC_EVAL[f"ndcg.{GAINS_ON_THE_PAGE}"] == "levels.txt"
    exported.with_gains()
    values = trec_eval(f"ndcg.{exported.trec_eval_gains}", "levels.txt")
    mean = np.mean([of_topic["ndcg"] for of_topic in values.values()])
    assert mean == pytest.approx(exported.own("gains.txt", "nDCG"), abs=1e-6)


def test_a_perfect_list_scores_one_by_these_gains_also_where_they_are_small() -> None:
    """Gains that are less than 1 apart are equal to trec_eval: it would say 0."""
    qrels, run = {"1": {"a": 2, "b": 1, "c": 0}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}

    def ndcg(gains: str) -> float:
        evaluator = pytrec_eval_ext.RelevanceEvaluator(
            query_relevance=qrels,
            measures={f"ndcg.{gains}"},
            relevance_level=1,
            judged_docs_only_flag=False,
        )
        return float(evaluator.evaluate(run)["1"]["ndcg"])

    assert ndcg("1=0.3,2=0.6") == 0
    assert ndcg(trec_eval_gains({1: 0.3, 2: 0.6})) == 1


def test_ir_measures_takes_the_gains_of_levels_with_a_cutoff(exported: Exported) -> None:
    exported.with_gains()
    told = exported.trec_eval_gains.replace("=", ": ").replace(",", ", ")
    on_the_page = GAINS_ON_THE_PAGE.replace("=", ": ").replace(",", ", ")
    assert on_the_page in WITH_LEVELS
    (mean,) = exported.run(WITH_LEVELS.replace(on_the_page, told))["mean"].values()
    assert mean == pytest.approx(exported.own("gains.txt", "nDCG@10"), abs=1e-6)


def test_medians_of_crowd_kit_s_columns_are_the_gains(exported: Exported, study: Study) -> None:
    medians = exported.run(MEDIANS)["gains"].to_dict()
    assert medians == {f"{g.query_id} {g.doc_id}": g.gain for g in pair_gains.gains(study)}


def test_rest_writes_the_same_files_and_says_the_same(
    exported: Exported, study: Study, staff: Client
) -> None:
    address = f"/api/v1/studies/{study.slug}/qrels/"
    by_factor, in_levels = (staff.get(f"{address}?{way}") for way in ("integers=10000", "levels=4"))
    assert b"".join(by_factor) == Path("qrels.txt").read_bytes()  # type: ignore[call-overload]
    assert by_factor["Remarks"] in exported.said
    assert "Level-Gains" not in by_factor
    assert b"".join(in_levels) == Path("levels.txt").read_bytes()  # type: ignore[call-overload]
    assert in_levels["Remarks"] in exported.said
    assert in_levels["Trec-Eval-Gains"] == exported.trec_eval_gains
    told = dict(pair.split("=") for pair in in_levels["Level-Gains"].split(","))
    assert {int(level): float(gain) for level, gain in told.items()} == exported.gain_of_level
