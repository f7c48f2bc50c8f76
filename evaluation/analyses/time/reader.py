"""What systems give readers for their time: time-biased gain beside the study's first measure.

**Shows** time-biased gain, TBG: how many relevant documents a reader saves before they stop.
Systems by TBG beside the study's first measure, with tau and top sets; G(t), the documents that a
reader who goes on has saved after t seconds, for some systems, or for the highlighted one; the rank
that readers have reached; and for each system the number of documents that readers are expected to
save, of which TBG is a lower bound. For studies of every kind.

**Computed** with three readers: that of Smucker and Clarke; the same with T_D of this study's first
views; and with T_D of each topic, if every topic has a line that does not fall. A reader with other
parameters, as printed by `manage.py calibrate_time`, replaces theirs on request. All other
parameters are theirs (Table 1): seconds for a summary, probabilities of a click and of saving,
half-life. These come from readers at a result list, not from workers who judge one document after
the other; `manage.py calibrate_time` computes them from a log. Rankings are read to their end. A
document is relevant if its gain is at least √(G(H_k) G(N_k)) in a study of magnitudes, and above 0
otherwise. Systems with a document of unknown length above a relevant one are left out, by name.
Curves are means over topics, every 20 s up to 15 minutes.

**Beware**: documents below the depth of the pool are mostly unjudged; they cost time without gain,
and the table has the share of judged ones among those that readers reach. T_D of judging is longer
than that of reading, so that its reader gets less far. Near duplicates count like any other
document here; the measure TBG has an option for them.

**Source**: sections 3 to 5, Figures 3, 4 and 6, equation (10).
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Numbers, OnProgress, analysis
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.time import orders, progress, readers, systems_in_time, timed_lists
from evaluation.analyses.time.readers import PAPER, Kind
from evaluation.analyses.time.timed_lists import TimedLists
from evaluation.presentation import two_orders
from evaluation.presentation.parts import Result, listed
from evaluation.study import scoring
from evaluation.study.applies_to import in_levels
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.compared import compare
from magnitudes.files.words import count
from magnitudes.measures.in_time.reader import Reader
from magnitudes.measures.in_time.time_biased import tbg
from magnitudes.measures.names import MeasureNameError


def methods(data: StudyData, numbers: Numbers) -> str:
    reader = Reader()
    own = "tau_own" in numbers or "tau_each_topic" in numbers
    return (
        f"The reader of time-biased gain is that of {PAPER}: {reader.summary:g} "
        f"seconds for a summary, {reader.slope:g} l + {reader.intercept:g} for a document of l "
        f"words; of the relevant documents {reader.click:g} are opened and {reader.save:g} of "
        f"these saved, of others {reader.click_nonrel:g} are opened; half of all readers have "
        f"stopped after {reader.half_life:g} seconds."
        + (
            " Beside this one stand readers who take as long for a document as the study's workers."
            if own
            else ""
        )
    )


@analysis(
    "What do readers save before they stop?",
    methods=methods,
    applies_to=in_levels,
    takes=("reader",),
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress, asked: Question = USUAL) -> Result:
    """TBG beside the study's first measure, gain and ranks in time, documents saved."""
    if not data.runs or not data.topics:
        what = "no run" if not data.runs else "no completed unit"
        return Result([f"There is {what}: there is no system to measure."])
    lists = timed_lists.of_study(data)
    if not any(of_topic.any_length_known for of_topic in lists):
        return Result(
            [
                "No ranking has a document with a text here, so that nobody knows how long one "
                "takes to read: systems cannot be measured in time."
            ]
        )
    on_progress(0.3)
    by = readers.compute(data, asked.reader)
    values = [_tbg(lists, kind) for kind in by.kinds]
    known = np.asarray(~np.isnan(np.concatenate(values)).any(axis=0))
    if not known.any():
        return Result(
            ["Every system has a document of unknown length above a relevant one: none has a TBG."]
        )
    with_ap = _tau_with_ap(data, values[0], known)
    runs = [run for run, is_known in zip(data.runs, known, strict=True) if is_known]
    lists, values = [each.of_runs(known) for each in lists], [each[:, known] for each in values]
    measure = scoring.first(data.study)
    usual = scoring.by_own_gains(data.topics, measure)[:, known]
    compared = orders.compute(measure, usual, values, by.kinds)
    means = np.stack([usual, *values]).mean(axis=1)
    systems = systems_in_time.of_lists(runs, lists, by, measure, means)
    summary = systems_in_time.summary(systems, len(data.topics), by.main)
    figures = [
        *orders.figures(compared, runs, measure, usual),
        *progress.figures(lists, runs, by.main, systems_in_time.chosen(systems, measure)),
    ]
    on_progress(0.9)
    by_anchors = lists[0].rel is not None
    return Result(
        [
            orders.sentence(compared, measure),
            f"{summary} {orders.others(compared)}".rstrip(),
            readers.main_reader(by),
            *readers.unused_kinds(by),
            *systems_in_time.bound(systems),
            systems_in_time.relevant(systems["judged"], by_anchors),
            *_left_out([run for run in data.runs if run not in runs]),
            *two_orders.too_few(len(data.topics)),
        ],
        [*figures, orders.table(compared, measure), systems_in_time.table(systems, by.main)],
        {f"tau_{order.kind.key}": order.tau for order in compared} | with_ap,
    )


def _tau_with_ap(data: StudyData, by_tbg: Floats, known: NDArray[np.bool_]) -> dict[str, Any]:
    """by_tbg: (topics, runs). Empty where AP is not known."""
    ap = scoring.to_cutoff("AP", data.study)
    try:
        by_ap = scoring.measured(data, ap)[1].values
    except MeasureNameError:
        return {}
    tau = compare(by_ap[:, known], by_tbg[:, known]).tau.tau
    return {"tau_with_ap": tau, "ap": ap.short}


def _tbg(lists: Sequence[TimedLists], kind: Kind) -> Floats:
    """(topics, runs)"""
    by_topic = zip(lists, kind.readers, strict=True)
    return np.stack([of_topic.measured(tbg, reader) for of_topic, reader in by_topic])


def _left_out(runs: Sequence[str]) -> Iterator[str]:
    if runs:
        yield (
            f"Left out: {count(len(runs), 'system')} with a document of unknown length "
            f"above a relevant one ({listed(runs)})."
        )
