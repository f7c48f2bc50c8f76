"""Numbers, gains by label and systems of people and a model: of `model_agreement`."""

from collections.abc import Iterator, Mapping

import numpy as np

from evaluation.presentation import boxes, plots, two_orders
from evaluation.presentation.frame import ROWS, Frame
from evaluation.presentation.parts import Figure, Part
from evaluation.study.data import Floats, StudyData
from evaluation.study.label_levels import name_of
from evaluation.study.two_crowds import TwoCrowds
from magnitudes.comparison.compared import Compared
from magnitudes.measures.names import Measure
from magnitudes.spread.distribution import shares_at

KINDS = (
    "Of the documents that both judged. sd: of scores within topics, of their natural logarithms "
    "if they are magnitudes, which are normalised first."
)
MAX_LEVELS = 10  # of labels, that are drawn


def numbers(crowds: TwoCrowds) -> Frame:
    """Which numbers each crowd gave, how round they are, and how far they lie apart."""
    rows = []
    for crowd in crowds:
        which, items = crowd.of_judgments
        given = crowd.data.judgments.scores[which]
        logs = crowd.scaled(crowd.data.judgments.normalised[which])
        sd = float(crowds.off_topic_means(logs, items).std())
        digits = given / 10.0 ** np.floor(np.log10(np.where(given > 0, given, 1)))
        one_figure = float(np.isclose(digits, np.rint(digits)).mean())
        is_round = float(shares_at(given).sum())
        rows.append((crowd.name, len(given), len(np.unique(given)), is_round, one_figure, sd))
    frame = Frame.of_rows("crowd judgments different round one_figure sd", rows)
    frame = frame.with_heads(
        different="different numbers",
        round="share of 1, 2, 5, 10",
        one_figure="share of one significant figure",
    )
    kept = ("crowd", "judgments", "different", "sd") if crowds.is_graded else frame.names
    return frame.of_columns(*kept)


def gains_by_label(crowds: TwoCrowds) -> Iterator[Figure]:
    """Boxes of both; gains in parts of the crowd's mean on the topic, of magnitudes."""
    labels = crowds.model.data.documents.labels[crowds.model.items]
    known = ~np.isnan(labels)
    levels, level = np.unique(labels[known], return_inverse=True)
    if not 1 <= len(levels) <= MAX_LEVELS:
        return
    drawn, columns = [], []
    names = [*map(name_of, levels)]
    for crowd in crowds:
        gains = crowds.in_one_unit(crowd.gains)[known]
        gains = gains if crowds.is_graded else np.exp(gains)
        about = [
            {"crowd": crowd.name, "level": name, "name": f"{crowd.name}, level {name}"}
            for name in names
        ]
        drawn += boxes.rows(gains, level, about, log=not crowds.is_graded)
        columns.append(gains)
    pairs = map(crowds.model.data.pair_name, crowds.model.items[known].tolist())
    frame = Frame.of_rows("query_id doc_id", pairs).with_columns(
        label=[names[place] for place in level], people=columns[0], model=columns[1]
    )
    every = np.concatenate(columns)
    scale = {} if crowds.is_graded else plots.decades(every.min() / 1.2, every.max() * 1.2)
    what = "gain" if crowds.is_graded else "gain, in parts of the mean"
    across = plots.names("level", names, "level of the labels")
    yield frame.figure(
        "by-label",
        "Gains of people and of the model by the level of labels",
        "Boxes: median and quartiles; whiskers to 1.5 times the height of the box; dots beyond.",
        plots.panels(plots.boxes(ROWS, across, what, **scale), "crowd", [c.name for c in crowds]),
        data={ROWS: drawn},
        reading="Look whether boxes climb as steeply for the model as for people.",
    )


def systems(
    data: StudyData,
    values: Mapping[Measure, tuple[Floats, Floats]],
    orders: Mapping[Measure, Compared],
) -> Iterator[Part]:
    """Means of systems by both, and how far their orders agree."""
    for by, tables in values.items():
        people, model = (table.mean(axis=0) for table in tables)
        means = Frame.of(system=data.runs, people=people, model=model)
        across = plots.axis("people", f"{by.short} by people", ticks=3)
        yield means.figure(
            f"systems-{by.name.lower()}",
            two_orders.how_alike("People and the model", orders[by], by.short),
            "One dot a system, on the documents that both judged.",
            plots.points(ROWS, across, plots.axis("model", f"{by.short} by the model")),
            label="{system}: {people} by people, {model} by the model",
            reading="The closer all are to a rising line, the more alike both rank systems; look "
            "for those far from it.",
        )
    if orders:
        yield two_orders.frame(
            [*orders.values()], "top_set_people", "top_set_model", measure=[*map(str, orders)]
        ).table(
            "order",
            "Order of systems and top set, by people and by the model",
            *two_orders.notes(orders.values(), "people's top set"),
        )
