"""The two tables that no analysis has: Table I, and the ranking of systems."""

from collections.abc import Iterator
from typing import Any

from evaluation import pipeline
from evaluation.models import Ranking
from evaluation.presentation.parts import Table
from judging.models import Study
from judging.studies import table_one
from magnitudes.measures.names import parse

FEWEST_TOPICS = 6  # for an interval, as on the pages


def tables(study: Study) -> Iterator[tuple[str, dict[str, Any]]]:
    """By the name of what they are part of, as analyses keep theirs."""
    if not study.is_imported:
        yield "overview", _table1(study)
    ranking = _ranking(study)
    if ranking["rows"]:
        yield "overview", ranking


def _table1(study: Study) -> dict[str, Any]:
    """The paper's Table I with its two last rows: the sums, and what they are in per cent."""
    rows = table_one.table1(study)
    sums = table_one.total(rows)
    columns, of_sums = table_one.shown_columns(sums), table_one.shares(sums)
    last: list[Any] = ["Sum", *(sums.get(name, "") for name in columns[1:])]
    percentages = {name: round(100 * share) for name, share in of_sums.items() if share is not None}
    empty = dict.fromkeys(table_one.TEXTS, "")
    shares: list[Any] = ["Percentage", *((empty | percentages).get(name) for name in columns[1:])]
    lines = [[row[name] for name in columns] for row in rows]
    for line in lines:
        line[0] = str(line[0])
    said = "Topics, documents, units, anchors, back steps and failed finishes"
    notes = ["Completed units with 0, 1, and 2 or more back steps, and failed presses of Finish."]
    if table_one.UNCOUNTED in columns:
        notes.append("Paid, not counted: attempts that did not pass the checks.")
    lines += [last, shares]
    kept = Table(
        *("table1", said, columns, lines, tuple(notes), "Table I"),
        heads={table_one.UNCOUNTED: "paid, not counted"},
    ).to_json()
    return kept | {"feet": 2}


def _ranking(study: Study) -> dict[str, Any]:
    """Systems by the study's first measure: means, 95% intervals, ranks, share judged."""
    names = {measure: parse(measure).name for measure in pipeline.measures(study)}
    rankings = {
        ranking.measure: ranking
        for ranking in Ranking.objects.filter(evaluation__study=study, measure__in=names)
        .select_related("evaluation")
        .defer("values", "judged")
    }
    columns = ["system"]
    by_measure = []
    for measure, name in names.items():
        if ranking := rankings.get(measure):
            columns += [f"{each}_{name}" for each in ("mean", "low", "high", "rank")]
            by_measure.append(ranking)
    rows: list[list[Any]] = []
    if by_measure:
        first = by_measure[0]
        order = sorted(range(len(first.means)), key=lambda place: first.ranks[place])
        rows = [
            [
                first.evaluation.tags[place],
                *(cell for ranking in by_measure for cell in _of(ranking, place)),
                first.shares[place],
            ]
            for place in order
        ]
    topics = len(by_measure[0].query_ids) if by_measure else 0
    notes = [
        f"Means over {topics} topics, with Student's t intervals; judged: the share of the "
        f"documents to rank {study.used_cutoff} that has a judgment. The order by itself is no "
        "test."
    ]
    if topics < FEWEST_TOPICS:
        notes.append(f"No interval from fewer than {FEWEST_TOPICS} topics.")
    ends = [name for name in columns if name.startswith(("low_", "high_"))]
    return Table(
        "rankings",
        "Systems by their means",
        (*columns, "judged"),
        rows,
        tuple(notes),
        limits=dict.fromkeys(ends, (0.0, 1.0)),
    ).to_json()


def _of(ranking: Ranking, place: int) -> list[Any]:
    """Mean, the ends of its interval if there are topics enough for one, and rank."""
    low, high = ranking.lows[place], ranking.highs[place]
    if low is None or high is None or len(ranking.query_ids) < FEWEST_TOPICS:
        low = high = None
    return [ranking.means[place], low, high, ranking.ranks[place]]
