"""Every claim that the product makes of a study, with studies in which it is false and true.

What may claim something is listed by the code: analyses, and the cards of the overview, which also
make the headline and the report's abstract. Each has a pair here, or stands in NOTHING.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evaluation.analyses import ANALYSES
from evaluation.pages import cards
from evaluation.pages.cards.card import Inputs, Standing
from evaluation.presentation.parts import Figure, Result
from evaluation.publishing import planned_end
from evaluation.ranking import rank
from evaluation.report.draft import HIGHLIGHTS
from evaluation.study import scoring
from evaluation.study.data import StudyData
from judging.monitoring.status.anchors import ALPHA, INTERIM
from judging.monitoring.status.sequential import alarms
from magnitudes.measures.lists import Values
from tests.claims.drawing import Beside, Drawn, Model, Repeated
from tests.factory.arrays import analysed
from tests.factory.kept import cached, ranked

HEADING, PLANNED_END = "heading of systems", "report planned end"


class Claim(NamedTuple):
    """What is claimed of a study, and models of studies without the effect and with it."""

    of: str
    what: str
    claimed: Callable[[StudyData], bool]
    null: Drawn
    planted: Drawn

    @property
    def name(self) -> str:
        return f"{self.of}: {self.what}"


def listed() -> set[str]:
    """What may claim something, as the code lists it.

    An analysis claims by its sentences, first of all by the first, and by the title of its first
    figure where that is its finding; a card by its finding; overview and systems by their heading.
    The report's abstract has findings of analyses, and the result at the planned end.
    """
    titled = {f"title {name}" for name, analysis in ANALYSES.items() if analysis.titled}
    by_cards = {f"card {name}" for name in cards.NAMES}
    return {f"analysis {name}" for name in ANALYSES} | titled | by_cards | {HEADING, PLANNED_END}


def in_abstract() -> set[str]:
    """The findings of analyses that the report's abstract has."""
    return {f"{'title' if ANALYSES[name].titled else 'analysis'} {name}" for name in HIGHLIGHTS}


def title(found: Result, name: str = "") -> str:
    """The title of a figure, the first if none is named; empty where there is none."""
    parts = [part for part in found.parts if isinstance(part, Figure)]
    return next((part.title for part in parts if name in ("", part.name)), "")


def inputs(data: StudyData, *names: str) -> Inputs:
    """Analyses of a study as cards find them."""
    made = {name: cached(name, ANALYSES[name].of(data)) for name in names}
    return Inputs(data.study, made, ranked(data))


def _order(data: StudyData) -> bool:
    return not analysed("order", data).sentences[0].startswith("No effect")


def _pairs(data: StudyData) -> bool:
    found = analysed("significance", data)
    return "pair" in title(found) and "no difference" not in title(found)


def _pairs_in_words(data: StudyData) -> bool:
    return "none by nDCG" not in analysed("significance", data).sentences[0]


def _standing(data: StudyData) -> tuple[Inputs, Standing]:
    known = inputs(data, "significance")
    return known, cards.ranking.standing(known)


def _headline(data: StudyData) -> bool:
    says = _standing(data)[1].verdict.says
    return "better" in says or "some differ" in says


def _highest(data: StudyData) -> bool:
    known, standing = _standing(data)
    card = cards.ranking.card(replace(known, standing=standing))
    assert card
    return "no other can be shown to differ" not in card.headline


def _at_planned_end(data: StudyData) -> bool:
    by, topics = scoring.first(data.study), [topic.query_id for topic in data.topics]
    values = scoring.measure(data.topics, map(scoring.magnitudes, data.topics), by).values
    alone = rank(topics, [Values(row, np.ones_like(row)) for row in values])
    end = planned_end.PlannedEnd(1, str(by), data.runs, 1, alone, 1, alone)
    return "and none of" not in end.sentence


def _alike(data: StudyData) -> bool:
    said = title(analysed("rankings", data))
    return "order systems" in said and "cannot be said" not in said


def _alpha(data: StudyData) -> bool:
    return "Workers agree better than chance" in " ".join(analysed("internal", data).sentences)


def _crowd(data: StudyData) -> bool:
    said = cards.crowd.conclusion(inputs(data, "internal"))[0]
    return "better than chance" in said and "cannot be said" not in said


def _labels(data: StudyData) -> bool:
    return cards.labels.conclusion(inputs(data, "labels"))[0].startswith("Gains follow")


def _topics_first(data: StudyData) -> bool:
    return analysed("enough", data).sentences[0].startswith("Topics matter more")


def _add_topics(data: StudyData) -> bool:
    return cards.enough.conclusion(inputs(data, "enough"))[0].startswith("Add topics")


def _more_power(data: StudyData) -> bool:
    return "has more discriminative power" in title(analysed("power", data), "power")


def _choice(data: StudyData) -> bool:
    return title(analysed("sensitivity", data), "tau").startswith("The order of systems changes")


def _depends(data: StudyData) -> bool:
    said = cards.choices.conclusion(inputs(data, "sensitivity"))[0]
    return said.startswith("The order depends")


def _rises(data: StudyData) -> bool:
    return title(analysed("levels", data)).startswith("The median gain rises with every level")


def _studies_alike(data: StudyData) -> bool:
    said = title(analysed("studies", data))
    return "order systems" in said and "cannot be said" not in said


def _nearer(data: StudyData) -> bool:
    return analysed("profiles", data).sentences[0].startswith("Workers' gains are nearer to")


def _disagree(data: StudyData) -> bool:
    return "disagree by more" in " ".join(analysed("consistency", data).sentences)


def _longer(data: StudyData) -> bool:
    return "for every thousand words" in title(analysed("reading", data))


def _together(data: StudyData) -> bool:
    return "most strongly correlated" in " ".join(analysed("topics", data).sentences)


def _as_people(data: StudyData) -> bool:
    said = analysed("model_agreement", data).sentences[0]
    assert "than chance" in said
    return said.startswith("The model's gains agree")


def _systems_as_people(data: StudyData) -> bool:
    said = title(analysed("model_agreement", data), "systems-people")
    return "order systems" in said and "cannot be said" not in said


def _differs(data: StudyData) -> bool:
    return analysed("model_differences", data).sentences[0].startswith("In relation to")


def _bad_anchors(data: StudyData) -> bool:
    failed = {topic.key: topic.failed > 0 for topic in data.topics}
    return bool(alarms(failed, n_groups=len(failed), sizes=INTERIM, alpha=ALPHA))


USUAL = Model()
HALFWAY = USUAL  # its medians lie halfway between both profiles of gains
INVERTED = Model(failed_invert=True, systems=3, steepness=1.5, topics=12, runs=12, units=40)
UNEQUAL = Model(systems=2.5, topics=12)
GUESSED = Model(steepness=0)
NOISY = Model(noise=1.5, topics=12, alike_topics=True)
BY_TOPIC = Model(by_topic=2.0, steepness=2.0, noise=0.2, topics=12)
SPARSE = replace(USUAL, units=4)  # a score of each document
ALIKE = Model(systems=2.5, topics=12, runs=12)
LONG = Model(reading=0.0, systems=1.0)
FAVOURING = Model(favours=1.5)
CLAIMS = (
    Claim("analysis order", "order or practice matters", _order, USUAL, Model(first_page=0.7)),
    Claim("title significance", "a pair differs", _pairs, USUAL, UNEQUAL),
    Claim("analysis significance", "pairs differ by nDCG", _pairs_in_words, USUAL, UNEQUAL),
    Claim(HEADING, "a system is better", _headline, USUAL, UNEQUAL),
    Claim("card ranking", "the highest differs from others", _highest, USUAL, UNEQUAL),
    Claim(PLANNED_END, "a pair differs", _at_planned_end, USUAL, UNEQUAL),
    Claim(
        *("title rankings", "magnitudes and labels order systems alike", _alike),
        *(Model(follow=False, runs=12), Model(systems=2.5, topics=12, runs=12)),
    ),
    Claim("analysis internal", "workers agree", _alpha, GUESSED, USUAL),
    Claim("card crowd", "workers agree better than chance", _crowd, GUESSED, USUAL),
    Claim("card labels", "gains follow labels", _labels, Model(follow=False), USUAL),
    Claim(
        "title power",
        "a measure has more power",
        _more_power,
        USUAL,
        Model(systems=1.5, topics=30, runs=12),
    ),
    Claim("title sensitivity", "a choice changes the order", _choice, UNEQUAL, INVERTED),
    Claim("card choices", "the order depends on a choice", _depends, UNEQUAL, INVERTED),
    Claim("analysis enough", "topics matter more than judges", _topics_first, NOISY, BY_TOPIC),
    Claim("card enough", "topics would help most", _add_topics, NOISY, BY_TOPIC),
    Claim(
        *("analysis levels", "gains rise with every level", _rises),
        *(Model(follow=False, cuts=(0.5,)), Model(steepness=1.5, topics=20)),
    ),
    Claim(
        *("analysis studies", "two studies order systems alike", _studies_alike),
        *(
            Model(other=False, runs=12, topics=12),
            Model(other=True, systems=2.5, topics=12, runs=12),
        ),
    ),
    Claim(
        *("analysis profiles", "gains are nearer to one profile", _nearer),
        *(HALFWAY, Model(steepness=0.4)),
    ),
    Claim(
        *("analysis consistency", "judges disagree more than they are inconsistent", _disagree),
        *(Repeated(), Repeated(taste=1.0)),
    ),
    Claim(
        *("analysis reading", "longer documents take longer", _longer),
        *(Model(reading=0.0), Model(reading=0.02)),
    ),
    Claim(
        *("analysis topics", "two aspects of topics are correlated", _together),
        *(USUAL, Model(hard_topics=True, topics=20)),
    ),
    Claim(
        *("analysis model_agreement", "a model agrees with people", _as_people),
        *(Beside(USUAL, GUESSED), Beside(USUAL, SPARSE)),
    ),
    Claim(
        *("analysis model_agreement", "a model and people order systems alike", _systems_as_people),
        *(Beside(ALIKE, replace(ALIKE, steepness=0)), Beside(ALIKE, ALIKE)),
    ),
    Claim(
        *("analysis model_differences", "a model differs from people, once for all", _differs),
        *(Beside(LONG, SPARSE), Beside(LONG, FAVOURING)),
    ),
    Claim(
        *("card state", "the anchors of a topic may be bad", _bad_anchors),
        *(Model(failing=0.3), Model(failing=0.3, bad_anchors=True)),
    ),
)
ORDERS = "tau of orders that are computed of the same lists and judgments; it differs by definition"
SHARES = "shares, or means, of what was judged"
# What claims nothing, and why.
NOTHING = {
    "card users": "a share with its interval",
    "analysis distributions": "it describes scores",
    "analysis levels_given": "it describes levels",
    "analysis spread": "it describes scores of one document",
    "analysis numbers": "it counts numbers as they were typed",
    "analysis differences": "it lists documents, to be read",
    "analysis workers": "it counts workers, and says that none is a verdict",
    "analysis judges": "it says how large errors are",
    "analysis model_worth": "it says how wide intervals are, and how many topics that is worth",
    "analysis growth": "it describes how gains of these documents settled",
    "analysis ratios": "medians and means of ratios",
    "analysis every_judgment": "it shows each judgment",
    "analysis weights": "shares with their intervals",
    "analysis aspects": "weights; what is not sure is marked",
    "analysis rankings": "it says how many systems and topics there are; its title says the rest",
    "analysis sensitivity": "the least tau of these choices; its title says if they matter",
    "analysis power": "shares of pairs, here; its title says if a measure has more",
    # Gains of the same judgments: orders by them differ by definition, and are no samples.
    **dict.fromkeys(
        (
            *("analysis definitions", "analysis mappings", "analysis unanimity", "analysis users"),
            *("analysis preferences", "analysis reader", "title preferences", "title users"),
        ),
        ORDERS,
    ),
    "analysis labels": "shares of units and pairs that agree; its card says if they exceed chance",
    "analysis label_sets": "shares by each label set, side by side; none is called larger",
    "analysis schemes": "mean agreement by way to scale; it says least and most of these numbers",
    "analysis subruns": "tau of simulated systems, without an interval, as they are no sample",
    "analysis resampling": "taus with one score and with all, side by side",
    "analysis widths": "taus by narrow and by wide units, side by side",
    "analysis prediction": "how far predicted chances are from those seen",
    "analysis robustness": "chances and means, side by side",
    "title aspects": "it says what is drawn",
    **dict.fromkeys(
        (
            *("title consistency", "title every_judgment", "title label_sets", "title labels"),
            *("title levels_given", "title robustness", "title unanimity", "title weights"),
        ),
        SHARES,
    ),
    **dict.fromkeys(
        ("title resampling", "title subruns"),
        "a tau as it is, without an interval",
    ),
}
