"""Systems by measures of preference, as the analysis `preferences` measures and shows them."""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.presentation import far_out, plots, two_orders
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Figure, Table
from evaluation.study.applies_to import magnitude
from evaluation.study.data import Floats, StudyData
from magnitudes.comparison.compared import Compared
from magnitudes.comparison.ranks import competition_ranks
from magnitudes.measures.lists import END, Ints, Lists
from magnitudes.measures.names import Measure, parse
from magnitudes.scaling.groups import ratio

MEASURES = {
    "rpref": parse("rpref"),
    "relative": parse("rpref(norm='relative')"),
    "bpref_de_beer_moens": parse("bpref_de_beer_moens"),
}
NAMES = {
    "rpref": "rpref",
    "relative": "rpref, relative",
    "bpref_de_beer_moens": "bpref of De Beer and Moens",
}
PANELS = ("rpref", "relative")
HEADS = {"bpref_de_beer_moens": NAMES["bpref_de_beer_moens"]}


def judged_alone(lists: Lists) -> Lists:
    """Without unjudged documents, which do not count here; a run that has no other keeps one."""
    unjudged = lists.places < 0
    longest = max(1, (~unjudged).sum(axis=1).max(initial=0))
    ranks = np.argsort(unjudged, axis=1, kind="stable")[:, :longest]
    return Lists(np.take_along_axis(lists.places, ranks, axis=1), lists.gains, lists.numbers)


def measures(data: StudyData) -> dict[str, Measure]:
    """Of magnitudes bpref needs to know which are relevant, which anchors tell."""
    if not magnitude(data.study):
        return MEASURES
    in_study = {name: by.in_study() for name, by in MEASURES.items()}
    return {
        name: by for name, by in in_study.items() if data.has_anchors or "anchors" not in by.needs
    }


def share_judged(places: Sequence[Ints]) -> Floats:
    """Of the documents in the lists of all topics the share that is judged, (runs,); or NaN."""
    judged = np.sum([(of_topic >= 0).sum(axis=1) for of_topic in places], axis=0)
    listed = np.sum([(of_topic != END).sum(axis=1) for of_topic in places], axis=0)
    return ratio(judged, listed)


def systems(runs: list[str], values: Mapping[str, Floats], **judged: Floats) -> Frame:
    """Means over topics and ranks by each measure; judged: shares of documents, by column."""
    columns = {}
    for name, of_topics in values.items():
        means, head = of_topics.mean(axis=0), HEADS.get(name, "")
        columns[name] = Column(means, head=head)
        ranks = competition_ranks(means)
        columns[f"rank_by_{name}"] = Column(ranks, head=f"rank by {head}" if head else "")
    at_cutoff = Column(judged["judged_at_cutoff"], head="judged to the cutoff")
    return Frame.of(system=runs, **{**columns, **judged, "judged_at_cutoff": at_cutoff})


def table(measure: Measure, systems: Frame) -> Table:
    return systems.sorted_by("rank_by_rpref").table(
        "systems",
        "All systems by measures of preference",
        "relative: rpref, each document's loss over the number of judged documents above it. "
        "judged: share of the documents in the lists that are judged; at the cutoff: of the "
        f"first {measure.cutoff}. A dash: no list.",
    )


def orders(
    measure: Measure, values: Mapping[str, Floats], compared: Mapping[str, Compared]
) -> Table:
    orders, before = list(compared.values()), f"Against the order by {measure.short}. "
    return two_orders.frame(
        orders,
        "top_set",
        "top_set_by_it",
        measure=[NAMES[name] for name in compared],
        mean=[values[name].mean() for name in compared],
    ).table(
        "agreement",
        f"Order of systems and top set, by {measure.short} and by measures of preference",
        *two_orders.notes(orders, f"the top set by {measure.short}", before=before),
    )


def figure(measure: Measure, systems: Frame, title: str) -> Figure:
    usual = f"mean_{measure.name.lower()}"
    panels = [NAMES[name] for name in PANELS]
    means = Frame.of(
        measure=np.repeat(np.array(panels, dtype=object), len(systems)),
        system=np.tile(systems["system"], len(PANELS)),
        **{usual: np.tile(systems[measure.name.lower()], len(PANELS))},
        mean=np.concatenate([systems[name] for name in PANELS]),
    )
    label = f"{{system}}: {{measure}} {{mean}}, {measure.short} {{{usual}}}"
    marks = far_out.placed(means.marks(label), usual, "mean")
    dots = far_out.scatter(f"mean {measure.short}", "mean preference", ticks=3)
    return means.figure(
        "means",
        title,
        "One dot a system. The closer all are to a rising line, the more alike both measures order "
        "systems; look for those far above it: they keep what is judged in order, or retrieve so "
        f"little of it that there is little to keep.{far_out.caption(marks)}",
        plots.panels(dots, "measure", panels),
        data={ROWS: marks},
    )
