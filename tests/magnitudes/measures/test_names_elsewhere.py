"""The table of names in docs/other-tools.md: in one row all tools give the same values."""

import re
import shutil
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval
import ranx

from magnitudes.measures.catalogue import AMBIGUOUS, MEASURES
from magnitudes.measures.lists import Lists, numbers_of
from magnitudes.measures.names import parse
from tests.magnitudes.measures.test_oracles import DEPTH, TOPICS, Experiment

PAGE = (Path(__file__).parents[3] / "docs/other-tools.md").read_text(encoding="utf-8")
ROWS = [
    re.findall(r"`([^`]+)`|(–)", line)
    for line in PAGE.split("| here | ")[1].split("\n\n")[0].splitlines()[2:]
]
NAMES = [["".join(cell) for cell in row] for row in ROWS]
BY_GDEVAL = ("ERR@10", "nDCG(dcg='exp-log2')@10")  # five decimals
EXPERIMENT = Experiment(3, highest=4)


def ours(name):
    """A value a topic, of lists in which not every document is judged."""
    values = []
    for topic in range(TOPICS):
        labels = EXPERIMENT.qrels[str(topic + 1)]
        judged = list(labels)
        listed = list(EXPERIMENT.run[str(topic + 1)])
        places = [judged.index(doc) if doc in labels else -1 for doc in listed]
        assert len(places) == DEPTH
        gains = [float(label) for label in labels.values()]
        lists = Lists(np.array([places]), np.array(gains), numbers_of(gains))
        values.append(float(lists.measure(parse(name)).values[0]))
    return values


def by_ir_measures(name):
    measure = ir_measures.parse_measure(name)
    metrics = ir_measures.iter_calc([measure], EXPERIMENT.qrels, EXPERIMENT.run)
    values = {metric.query_id: metric.value for metric in metrics}
    return [values.get(str(topic + 1), 0) for topic in range(TOPICS)]


def by_ranx(name):
    run = ranx.Run(EXPERIMENT.run)
    ranx.evaluate(ranx.Qrels(EXPERIMENT.qrels), run, name, make_comparable=True)
    return [float(run.scores[name][str(topic + 1)]) for topic in range(TOPICS)]


def test_the_table_is_read():
    assert len(NAMES) > 10
    assert {len(row) for row in NAMES} == {4}


@pytest.mark.parametrize(("name", "theirs"), [row[:2] for row in NAMES], ids=str)
def test_ir_measures(name, theirs):
    if theirs in BY_GDEVAL and not shutil.which("perl"):
        pytest.skip("gdeval is a Perl script")
    off = 5.1e-6 if theirs in BY_GDEVAL else 1e-12
    assert ours(name) == pytest.approx(by_ir_measures(theirs), abs=off)


@pytest.mark.parametrize(("name", "theirs"), [(row[0], row[2]) for row in NAMES if row[2] != "–"])
def test_trec_eval(name, theirs):
    assert ours(name) == pytest.approx(EXPERIMENT.by_pytrec_eval(theirs), abs=1e-12)


@pytest.mark.filterwarnings("ignore:unsafe cast from uint64")
@pytest.mark.parametrize(("name", "theirs"), [(row[0], row[3]) for row in NAMES if row[3] != "–"])
def test_ranx(name, theirs):
    assert ours(name)[1:] == pytest.approx(by_ranx(theirs)[1:], abs=1e-12)


def test_no_name_here_is_that_of_another_measure_elsewhere():
    """A name that another tool has, in whatever case, is in a row of the table with it."""
    theirs = {1: ir_measures.measures.registry, 2: pytrec_eval.supported_measures}
    for column, names in theirs.items():
        same = {(parse(row[0]).name, re.split(r"[@.(]", row[column])[0].lower()) for row in NAMES}
        known = {name.lower() for name in names}
        for name in MEASURES:
            told = name.lower() not in known or (name, name.lower()) in same
            assert told, f"{name}: another tool has this name; docs/other-tools.md needs a row"
    assert not AMBIGUOUS.keys() & MEASURES.keys()
