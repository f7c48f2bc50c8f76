"""The two tables that no analysis has: Table I, and the ranking of systems."""

from collections.abc import Iterator
from typing import Any

from evaluation import pipeline
from evaluation.models import Ranking
from evaluation.presentation.frame import Column, Frame
from evaluation.presentation.parts import Table
from judging.models import Study
from judging.studies import table_one
from magnitudes.measures.names import parse

FEWEST_TOPICS = 6  # for an interval, as on the pages


def tables(study: Study) -> Iterator[tuple[str, dict[str, Any]]]:
    """By the name of what they are part of, as analyses keep theirs."""
    if not study.is_imported:
        yield "overview", _table1(study)
    if ranking := _ranking(study):
        yield "overview", ranking.to_json()


def _table1(study: Study) -> dict[str, Any]:
    """The paper's Table I with its two last rows: the sums, and what they are in per cent."""
    rows = table_one.table1(study)
    sums = table_one.total(rows)
    columns, of_sums = table_one.shown_columns(sums), table_one.shares(sums)
    percentages = {name: round(100 * share) for name, share in of_sums.items() if share is not None}
    shares = dict.fromkeys(table_one.TEXTS, "") | percentages
    lines = [
        *([str(row[columns[0]]), *(row[name] for name in columns[1:])] for row in rows),
        ["Sum", *(sums.get(name, "") for name in columns[1:])],
        ["Percentage", *(shares.get(name) for name in columns[1:])],
    ]
    title = "Topics, documents, units, anchors, back steps and failed finishes"
    notes = ["Completed units with 0, 1, and 2 or more back steps, and failed presses of Finish."]
    if table_one.UNCOUNTED in columns:
        notes.append("Paid, not counted: attempts that did not pass the checks.")
    heads = {table_one.UNCOUNTED: "paid, not counted"}
    table = Table("table1", title, columns, lines, tuple(notes), source="Table I", heads=heads)
    return table.to_json() | {"feet": 2}


def _ranking(study: Study) -> Table | None:
    """Systems by the study's first measure: means, 95% intervals, ranks, share judged."""
    names = {measure: parse(measure).name for measure in pipeline.measures(study)}
    rankings_of = Ranking.objects.filter(evaluation__study=study, measure__in=names)
    by_measure = {row.measure: row for row in rankings_of.select_related("evaluation")}
    rankings = {names[each]: by_measure[each] for each in names if each in by_measure}
    first = next(iter(rankings.values()), None)
    if first is None or not first.means:
        return None
    columns = {}
    few = len(first.query_ids) < FEWEST_TOPICS
    for name, each in rankings.items():
        unknown = [few or None in ends for ends in zip(each.lows, each.highs, strict=True)]
        columns[f"mean_{name}"] = Column(each.means)
        for end, values in (("low", each.lows), ("high", each.highs)):
            known = [None if no else value for no, value in zip(unknown, values, strict=True)]
            columns[f"{end}_{name}"] = Column(known, limits=(0.0, 1.0))
        columns[f"rank_{name}"] = Column(each.ranks)
    systems = Frame.of(system=first.evaluation.tags, **columns, judged=first.shares)
    return systems.sorted_by(first.ranks).table(
        "rankings",
        "Systems by their means",
        f"Means over {len(first.query_ids)} topics, with Student's t intervals; judged: the share "
        f"of the documents to rank {study.used_cutoff} that has a judgment. The order by itself is "
        "no test.",
        f"No interval from fewer than {FEWEST_TOPICS} topics." if few else "",
    )
