"""Systems ranked by magnitudes and by labels (paper, section 7.2, Figure 10)."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.fits import scores_of
from evaluation.analyses.systems import concordance
from evaluation.analyses.systems.concordance import Ranked
from evaluation.analyses.telling.parts import Analysed, Table, Tell
from evaluation.comparison.ranks import competition_ranks
from trec.words import count

PAPER = {"nDCG": (0.677, 0.8182), "ERR": (0.222, 0.2)}


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Means of all systems under magnitudes, binary and graded labels, and how they agree."""
    topics = systems.labelled(data)
    if reason := systems.why_not(data):
        return Analysed([reason])
    found = concordance.ranked(topics, scores_of(data.study))
    of_all = [one for one in found if one.of_all]
    return Analysed(
        [*_says(data, found)],
        [
            *concordance.scatters(found, data.runs, "Figure 10"),
            concordance.agreement(found, ("TREC's", 129, 18), PAPER),
            *(
                _systems(data, [one for one in of_all if one.measure == by])
                for by in systems.MEASURES
            ),
        ],
        {f"tau_{one.measure.name}_{one.kind}": one.compared.tau.tau for one in of_all},
    )


def _says(data: StudyData, found: Sequence[Ranked]) -> Iterator[str]:
    topics = len(systems.labelled(data))
    yield (
        f"{count(len(data.runs), 'system')} on {count(topics, 'topic')}, ranked by "
        f"{found[0].scores} and by labels. The paper found, with magnitudes of the three best "
        "units of each document, 129 systems, 18 topics and binary labels, a tau of .677 and an "
        "overlap of top sets of 82% by nDCG, and .222 and 20% by ERR."
    )
    yield from concordance.said(found)
    if {one.kind for one in found} == {"binary"}:
        yield "No label says how relevant a document is: graded gains are the binary ones."
    yield from systems.too_few(topics)
    if reasons := {one.compared.reason for one in found} - {""}:
        yield f"What is not defined: {'; '.join(sorted(reasons))}."
    if missing := len(data.topics) - topics:
        yield f"Left out: {count(missing, 'topic')} without a label."


def _systems(data: StudyData, found: Sequence[Ranked]) -> Table:
    """All systems by one measure; `found`: one entry for each kind of labels."""
    by, first = found[0].by_scores, found[0].measure
    means = [values.values.mean(axis=0) for values in (by, *(one.by_labels for one in found))]
    ranks = [competition_ranks(mean) for mean in means]
    columns: list[NDArray[np.generic]] = [
        column for pair in zip(means, ranks, strict=True) for column in pair
    ]
    columns += [_share(by.judged), _share(found[0].by_labels.judged)]
    names = (found[0].scores, *(f"{one.kind}_labels" for one in found))
    return Table(
        f"systems-{first.name.lower()}",
        f"All systems by {first}",
        (
            "system",
            *(f"{of}_by_{name}" for name in names for of in ("mean", "rank")),
            "judged",
            "labelled",
        ),
        [
            (data.runs[run], *(column[run].item() for column in columns))
            for run in np.argsort(ranks[0], kind="stable").tolist()
        ],
        (
            "judged, labelled: share of the documents above the cutoff that the crowd judged, and "
            "that have a label; over topics with a list.",
        ),
    )


def _share(judged: Floats) -> Floats:
    """The mean over topics with a list, by run; NaN where there is none."""
    listed = ~np.isnan(judged)
    result = np.full(judged.shape[1], np.nan)
    np.divide(np.nansum(judged, axis=0), listed.sum(axis=0), out=result, where=listed.any(axis=0))
    return result


ANALYSIS = Analysis("rankings", "Does the crowd rank systems as labels do?", analyse)
