"""Which systems are best, and how sure is that?"""

from collections.abc import Sequence
from typing import Any

from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Inputs, Lacking, Standing, State, to_two
from magnitudes.comparison.significant_pairs import SignificantPairs, Verdict, verdict
from magnitudes.files.words import count
from magnitudes.measures.names import short

MOST_BARS = 12  # systems; those of more would run into one area
NAME, TITLE, ANALYSIS = "ranking", "Ranking", "significance"


def standing(inputs: Inputs) -> Standing:
    """The verdict on the systems of a study; it says what it waits for, where there is none."""
    numbers, ranking = inputs.numbers(ANALYSIS), inputs.ranking
    if "told_apart" not in numbers:
        if inputs.is_there(ANALYSIS):
            raise Lacking(ANALYSIS)
        waits = inputs.waits(ANALYSIS)
        return not_tested(inputs, "is being computed" if waits else "could not be tested")
    told = SignificantPairs.read(numbers["told_apart"])
    if told is None:
        raise Lacking(ANALYSIS)
    by = f"{short(ranking['measure'])} of the {ranking['gains']} gains"
    measure = ranking["measure"].partition("@")[0].partition("(")[0]
    critical = numbers.get(f"critical_{measure}")
    return Standing(verdict(told, inputs.still_open, by), told, critical)


def not_tested(inputs: Inputs, why: str) -> Standing:
    """Of systems whose differences are not known; why: what has become of them."""
    systems = count(len(inputs.ranking["results"]), "system")
    return Standing(Verdict(f"{systems} ranked; which of them differ {why}"))


def card(inputs: Inputs) -> Card | None:
    """The systems as dots."""
    ranking, stands = inputs.ranking, inputs.standing
    if stands is None:
        return None
    told, systems, critical = stands.told, ranking["results"], stands.critical
    first = systems[0]
    links = (
        inputs.link("All systems", "systems"),
        inputs.link("The highest", "system", first["run"]),
        *inputs.to_analyses(significance="The test"),
    )
    if told is None:
        return Card(NAME, TITLE, stands.verdict.says, State.WAIT, links=links)
    by = f"{count(told.topics, 'topic')}, by {short(ranking['measure'])}."
    if stands.is_early or critical is None:
        return Card(
            *(NAME, TITLE),
            f"So far {first['run']} is the highest; no order can be shown yet",
            State.EARLY,
            to_two(first["mean"]),
            f"mean of {first['run']}",
            why=by,
            picture=_picture(systems, 0, short(ranking["measure"])),
            links=links,
            rows=f"{links[1].address}#topics",
        )
    seed = f" ({told.pairs.by_seed})" if told.pairs.by_seed else ""
    return Card(
        *(NAME, TITLE, _headline(told, systems, critical)),
        State.SURE if stands.verdict.is_sure else State.OPEN,
        f"{told.pairs.differ:,} of {told.pairs.all:,}",
        f"pairs differ{seed}",
        f"Two differ if they lie more than {critical:.3f} apart.",
        by,
        _picture(systems, critical, short(ranking["measure"])),
        links,
    )


def _headline(told: SignificantPairs, systems: Sequence[dict[str, Any]], critical: float) -> str:
    """Who is highest, and how many of the others are within the critical difference of it."""
    others, least = told.systems - 1, systems[0]["mean"] - critical
    like = sum(system["mean"] >= least for system in systems[1:])
    if not like:
        return f"Highest: {told.best}, which differs significantly from all {others:,} others"
    if like == others:
        return f"Highest: {told.best}; no other can be shown to differ from it"
    do = "does" if like == 1 else "do"
    return f"Highest: {told.best}; {like:,} of {others:,} others {do} not differ significantly"


def _picture(
    systems: Sequence[dict[str, Any]], critical: float, measure: str
) -> pictures.SafeString:
    """Means, best above; of a few, bars of half a critical difference, which overlap unless two
    differ.

    A ring differs from the best, which has its name beside it.
    """
    half, means = critical / 2, [one["mean"] for one in systems]
    edge = means[0] - 2 * half
    bar = half if len(systems) <= MOST_BARS else 0.0
    rows = [
        pictures.Row(
            "",
            mean,
            mean - bar if bar else None,
            mean + bar if bar else None,
            apart=bool(half) and mean < edge,
            said=f"{system['run']}: {mean:.4f}",
            system=system["run"],
            beside=None if place else system["run"],
        )
        for place, (system, mean) in enumerate(zip(systems, means, strict=True))
    ]
    ends = [edge, *(end for row in rows for end in row.known)]
    low, high = max(min(ends), 0.0), min(max(ends), 1.0)
    high = high if high > low else low + 0.01
    axis = pictures.Axis(low, high, (low, high), f"mean {measure}")
    described = (
        f"Means of {len(systems)} systems, the best above, from {to_two(means[-1])} to "
        f"{to_two(means[0])}"
    )
    marks = [("dots left of this differ from the best", edge)] if half else []
    return pictures.strip(rows, axis, described, marks)
