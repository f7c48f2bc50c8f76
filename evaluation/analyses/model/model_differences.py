"""Where the model's gains differ from those of people: by topic, by length, and by system.

**Shows** on which topics, for documents of which length, and for which systems the model gives more
or less than people do, in relation to what it gives elsewhere; and the documents that differ most.
Only in a model's run, if everybody who sees it may see the study of people.

**Computed** from the documents that both judged, without anchors, as ratios of gains, the model's
over those of people (of levels: differences). What is common to all is set aside. *Topics*: what
judges of a topic give its documents on average, over its anchors (levels: as they are), the model's
against people's by Welch's t test, less the mean over topics. *Length*: thirds of documents by
words, gains less their mean on the topic. *Systems*: mean gains of the first documents of a list,
and the study's first measure, less the mean over systems, and less the slope of the model's means
on people's: who judges less surely sets all systems closer together. Lengths and systems have
Student's intervals and t tests over topics, from 6 on. A model with a smaller range gives relevant
documents less; where these are longer, length shows it. p is adjusted by Holm within a table, and
times the number of tables; named is what stays below .05.
"""

from collections.abc import Iterator

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.model import groups_of_both
from evaluation.analyses.model.groups_of_both import Group
from evaluation.presentation import plots
from evaluation.presentation.frame import ROWS, Column, Frame
from evaluation.presentation.parts import Part, Result, Table, interval, listed, number
from evaluation.study import two_crowds
from evaluation.study.applies_to import about_people
from evaluation.study.data import StudyData
from evaluation.study.two_crowds import TwoCrowds
from magnitudes.comparison.holm import holm
from magnitudes.comparison.interval import Interval
from magnitudes.files.words import count

SIGNIFICANT = 0.05
LISTED, MAX_LINES = 20, 40


@analysis(
    "Where do the model and people differ most?",
    applies_to=about_people,
    of_about=True,
    of_systems=True,
)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Differences by topic, by length and by system, and the documents that differ most."""
    crowds = two_crowds.read(data)
    if isinstance(crowds, str):
        return Result([crowds])
    topics, level = groups_of_both.of_topics(crowds)
    groups = [*groups_of_both.compute(crowds, topics)]
    on_progress(0.5)
    tests = sum(not np.isnan(group.frame["p"]).all() for group in groups)
    groups = [group._replace(frame=_adjusted(group.frame, tests)) for group in groups]
    named = {group.name: _named(group) for group in groups}
    return Result(
        [*_sentences(groups), *_level(crowds, level)],
        [*map(_part, groups), _documents(crowds)],
        {"documents": len(crowds.topics), **named},
    )


def _adjusted(frame: Frame, tests: int) -> Frame:
    """With p adjusted for the other rows, and for the other tables."""
    note = f"p: adjusted by Holm within the table, and times {count(tests, 'table')}."
    return frame.with_columns(p=Column(np.minimum(holm(frame["p"]) * tests, 1), note=note))


def _named(group: Group, sign: int = 0) -> list[str]:
    """What differs beyond chance; sign: only where the model gives more (1), or less (-1)."""
    frame = group.frame
    which = (frame["p"] < SIGNIFICANT) & ((np.sign(frame["difference"]) == sign) | (sign == 0))
    return [str(name) for name in frame[group.thing][which]]


def _sentences(groups: list[Group]) -> Iterator[str]:
    found = []
    for sign, word in ((1, "more"), (-1, "less")):
        named = [(group, names) for group in groups if (names := _named(group, sign))]
        said = [
            group.said.format(names=listed(names, 4), s="s" if len(names) > 1 else "")
            for group, names in named
        ]
        found += [f"{word} than people {'; '.join(said)}"] if said else []
    if found:
        yield f"In relation to what both give elsewhere, the model gives {', and '.join(found)}."
    elif any((group.frame["p"] >= SIGNIFICANT).any() for group in groups):
        yield (
            "No topic, length or system can be named for which the model gives more or less than "
            "people, in relation to what both give elsewhere."
        )
    else:
        yield "There are too few topics and judgments to test where the model and people differ."


def _level(crowds: TwoCrowds, level: Interval) -> Iterator[str]:
    mean, *ends = (np.asarray(level) if crowds.is_graded else np.exp(level)).ravel().tolist()
    if np.isnan(mean):
        return
    sure = "" if np.isnan(ends).any() else f" (95% interval {interval(*ends)})"
    if crowds.is_graded:
        yield f"On average over topics the model gives {number(mean)} levels more{sure}."
        return
    yield (
        f"On average over topics, and over the anchors, the model gives {number(mean)} times what "
        f"people give{sure}."
    )


def _part(group: Group) -> Part:
    """A figure where rows are few, else a table."""
    what = "ratio, model to people" if group.in_logs else "difference, model less people"
    shown = group.frame
    if group.in_logs:
        numbers = "difference", "low", "high"
        shown = shown.with_columns(**{name: np.exp(shown[name]) for name in numbers})
    shown = shown.sorted_by("difference", descending=True).with_heads(difference=what)
    title = f"{group.title}: {listed(_named(group), 3) or 'nothing'} beyond chance"
    if len(shown) > MAX_LINES:
        return shown.table(group.name, title)
    down = plots.names(group.thing, shown[group.thing].tolist())
    drawn = shown.with_columns(mean=shown["difference"])
    marks = drawn.marks(f"{{{group.thing}}}: {{mean}} ({{low}} to {{high}})")
    rule = plots.rule_at("same", x=plots.axis("same", what))
    chart = plots.layer(plots.intervals(ROWS, what, {"y": down}, log=group.in_logs), rule)
    return shown.figure(
        group.name,
        title,
        "Dots with 95% intervals; dashed: as people, in relation to all others.",
        plots.sized(chart, height=18 * len(shown) + 40),
        data={ROWS: marks, "same": [{"same": float(group.in_logs)}]},
        reading=f"{shown.columns['p'].note} Look for intervals far from the dashed line.",
    )


def _documents(crowds: TwoCrowds) -> Table:
    people, model = (crowds.in_one_unit(crowd.gains) for crowd in crowds)
    off = model - people
    most = np.argsort(-np.abs(off), kind="stable")[:LISTED]
    back = np.asarray if crowds.is_graded else np.exp
    items = crowds.model.items[most].tolist()
    frame = Frame.of_rows("query_id doc_id", map(crowds.model.data.pair_name, items)).with_columns(
        people=back(people[most]), model=back(model[most]), difference=back(off[most])
    )
    unit = "" if crowds.is_graded else "Gains in parts of the crowd's mean on the topic. "
    return frame.with_heads(difference="difference" if crowds.is_graded else "ratio").table(
        "documents",
        f"The {count(len(most), 'document that differs', 'documents that differ')} most",
        f"{unit}Single documents are not tested.",
    )
