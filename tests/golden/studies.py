"""The studies of `sentences.txt`: ordinary ones, and for each other wording one that has it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from evaluation.analyses import ANALYSES
from evaluation.study.data import StudyData
from evaluation.study.other_studies import OtherStudy
from tests.claims.drawing import Beside, Model
from tests.factory.arrays import (
    STRANGE,
    make_model_run,
    make_study,
    make_topic,
    positive_only,
    random_study,
)
from tests.factory.opinions import (
    STRANGE_OPINIONS,
    graded_study,
    imported_study,
    magnitudes_elsewhere,
    random_opinions,
    two_levels,
)
from tests.factory.texts import with_texts

NONE = float("nan")
FOUR = [[0, 1, 2, 3]]  # documents of a unit
EVERYTHING, LACKS, CARDS, REPORT = "", "lacks", "cards", "report"
MODEL = "model_agreement model_differences model_worth"
CHANCES = "weights prediction consistency robustness users"


class Spoken(NamedTuple):
    """A study, and of what is written down what it says.

    of: the names of analyses, divided by blanks, CARDS and REPORT; EVERYTHING: of all that fit it;
    LACKS: cards, and why analyses have nothing to show.
    """

    make: Callable[[], StudyData]
    of: str = LACKS


def with_gains(gains: Sequence[float], labels: Sequence[float], query_id: str = "401") -> StudyData:
    """A study of one topic whose documents have the gains given: three units are the same."""
    places = [list(range(len(gains)))] * 3
    return make_study(make_topic([list(gains)] * 3, places, labels, query_id=query_id))


def joined(*studies: StudyData, **settings: Any) -> StudyData:
    """Studies of one topic each, as one."""
    return make_study(*(study.topics[0] for study in studies), **settings)


def labels_by_all(
    levels: Sequence[int], judges: int, times: int = 1, topics: int = 1, **of: Any
) -> StudyData:
    """Each judge has given document after document the levels, in each topic, so many times."""
    rows = [(d, j, level) for d, level in enumerate(levels) for j in range(judges)]
    return imported_study([rows * times] * topics, **of)


def drawn_labels(judges: int, times: int, documents: int = 12, topics: int = 7) -> StudyData:
    """Levels that are drawn alike."""
    rng = np.random.default_rng(3)
    shape = documents, judges, times
    rows = [(at[0], at[1], int(rng.integers(0, 3))) for at in np.ndindex(*shape)]
    return imported_study([rows] * topics)


def ratings(*texts: str, lists: Sequence[Sequence[int]] = ()) -> StudyData:
    """One topic, a document for each text, whose digits are the levels that judges give."""
    rows = [(d, j, int(level)) for d, text in enumerate(texts) for j, level in enumerate(text)]
    return imported_study([rows], lists=lists, levels=["L0", "L1", "L2", "L3"])


def timed(data: StudyData, a: float, b: float) -> StudyData:
    """The same study, with a seconds for a word and b besides, half more for odd workers."""
    lengths = [data.lengths[n][t.codes[t.places]] for n, t in enumerate(data.topics)]
    slower = [1 + topic.workers[:, np.newaxis] % 2 / 2 for topic in data.topics]
    rows = zip(data.topics, lengths, slower, strict=True)
    return replace(data, topics=[replace(t, seconds=(a * n + b) * s) for t, n, s in rows])


def asleep() -> StudyData:
    """Times that follow lengths, and one view of 50 minutes."""
    data = timed(with_texts(random_study(units=30)), 0.1, 20)
    data.topics[0].seconds[0, 0] = 3000
    return data


def some_lengths() -> StudyData:
    """The system that finds another document first than all others is of unknown length."""
    data = with_texts(random_study(units=30, topics=1))
    data.collected.lengths[data.topics[0].lists[0, 0]] = NONE  # type: ignore[union-attr]
    return data


def times_without_length() -> StudyData:
    data = with_texts(random_study(4, topics=3, units=30))
    rng = np.random.default_rng(3)
    for topic in data.topics:
        topic.seconds[:] = rng.lognormal(4, 1, topic.seconds.shape)
    return data


def shifted(seed: int, topics: int, runs: int = 8) -> StudyData:
    """Systems of which each is worse than the one before."""
    data = random_study(seed, topics=topics, runs=runs, labelled=1.0)
    made = []
    for topic in data.topics:
        best = np.argsort(-np.nan_to_num(topic.gains), kind="stable")
        lists = [np.roll(best, run)[:10] for run in range(runs)]
        made.append(replace(topic, lists=np.array(lists, dtype=np.int32)))
    return replace(data, topics=made)


def before_its_end() -> StudyData:
    data = Model(topics=12, systems=2.5, other=True).study(1)
    return replace(data, interim="Interim, 240 of 300 planned units", ordered_later=2)


def by(crowd: str, data: StudyData, **settings: Any) -> StudyData:
    """The same study with another crowd and other settings."""
    for name, value in {"crowd": crowd, **settings}.items():
        setattr(data.study, name, value)
    return data


def two_sets(*more: float) -> StudyData:
    """With a second label set, which calls the upper half of the levels relevant; and others."""
    topics = [
        replace(
            topic,
            other_labels={"binary": np.where(topic.labels > 1, 1.0, 0.0)}
            | {f"only {level:g}": topic.labels * 0 + level for level in more},
        )
        for topic in random_study(3).topics
    ]
    return make_study(*topics)


def same_again() -> StudyData:
    topics = positive_only().topics
    return make_study(*(replace(topic, other_labels={"same": topic.labels}) for topic in topics))


def without_a_level() -> StudyData:
    topic = make_topic([[0, 3, 1]] * 2, [[0, 1, 2]] * 2, [0, 3, 1], normalisation="none")
    return make_study(topic, scale="graded", levels=["Non", "Rel", "HRel", "Key"])


def of_two_aspects() -> StudyData:
    """Nobody has given the top level for both."""
    rows = [(d, j, d % 2) for d in range(4) for j in range(2) for _ in range(2)]
    return imported_study([rows], aspects=[["snippet", "page"] * 8])


def beside(factor: float | None, topics: int = 7, runs: int = 6) -> StudyData:
    """Beside a study whose gains are a power of these; None: of no document in common."""
    data = random_study(topics=topics, runs=runs)
    gains = {t.query_id: (t.codes, t.gains) for t in data.topics}
    known = {query: (c[~np.isnan(g)], g[~np.isnan(g)]) for query, (c, g) in gains.items()}
    their = {query: (codes, g ** (factor or 1)) for query, (codes, g) in known.items()}
    if factor is None:
        their = {"999": (np.array([1]), np.array([2.0]))}
    return replace(data, others=[OtherStudy(1, "other", "Other", "graded", "simulated", their)])


def one_taste_each() -> StudyData:
    """Two judges who label each document twice, the same way, and not as the other does."""
    taste = np.random.default_rng(8).integers(0, 3, (2, 30)).tolist()
    return imported_study([[(d, j, taste[j][d]) for d in range(30) for j in (0, 1)] * 2] * 6)


def never_the_best() -> StudyData:
    """Levels that two judges gave, of four; lists that are in another order by each gain."""
    rows = [(d, j, (d + j * (d % 2)) % 3) for d in range(6) for j in range(2)]
    lists = [[2, 5, 1, 0], [0, 1, 2, 3], [3, 0, 4, 2]]
    return imported_study([rows] * 3, lists=lists, levels=["Non", "Rel", "HRel", "Key"])


def topics_alike() -> StudyData:
    """20 topics that are copies of each other: all that differs is who judged 26 documents."""
    rng, truth = np.random.default_rng(1), np.random.default_rng(5).normal(0.8, 0.7, 26)
    truth[:2] = 0, 1.6
    errors = np.random.default_rng(6).normal(0, np.linspace(0.3, 0.9, 12)[:, None], (12, 26))
    lists = np.argsort(-(truth + errors), axis=1)[:, :10]
    topics = []
    for number in range(20):
        often, seldom = np.split(2 + rng.permutation(24), [12])
        others = np.concatenate([rng.permutation(often) for _ in range(6)] + [seldom])
        places = np.array([rng.permutation([0, 1, *unit]) for unit in others.reshape(-1, 6)])
        scores = np.exp(truth[places] + rng.normal(0, 0.6, places.shape))
        labels = [0.0, 3, *[1] * 24]
        topics.append(make_topic(scores, places, labels, lists, query_id=f"{401 + number}"))
    return make_study(*topics)


def few_second_scores() -> StudyData:
    """28 degrees of freedom are too few for the variance of a score."""
    lists = np.argsort(np.random.default_rng(1).random((5, 16)), axis=1)[:, :10]
    topics = []
    for number in range(10):
        extra = FOUR if number < 2 else []
        places = [*FOUR, [0, 1, 4, 5], [6, 7, 8, 9], *extra]
        scores = np.random.default_rng(number).lognormal(1, 1, (len(places), 4))
        labels = [0.0, 3, *[1] * 14]
        topics.append(make_topic(scores, places, labels, lists, query_id=f"{401 + number}"))
    return make_study(*topics)


def profiles(scores: Sequence[float], powers: Sequence[float] = (1, 1, 1, 0.98, 1, 1.02, 1)) -> Any:
    topics = [
        make_topic([np.power(scores, power)], FOUR, [0, 3, 1, 2], query_id=f"{n}")
        for n, power in enumerate(powers, 401)
    ]
    return make_study(*topics)


def of_collection(topics_there: int, topics_of_study: int) -> StudyData:
    data = random_study(4, topics=9, runs=5, labelled=1.0)
    return replace(data, topics_there=topics_there, topics_of_study=topics_of_study)


def flat_and_steep() -> StudyData:
    """H_k has the gain of N_k on one of two topics, so that nothing lies between them."""
    lists = [[2, 3, 0], [3, 1, 0], [0, 1, 2]]
    flat = make_topic([[2, 2, 1, 4]] * 2, FOUR * 2, [NONE] * 4, lists, query_id="402")
    return make_study(make_topic([[1, 9, 3, 5], [1, 5, 2, 4]], FOUR * 2, [NONE] * 4, lists), flat)


def one_document_above() -> StudyData:
    """The only level above the lowest is one of a document that judges differ on."""
    rows = [(d, j, 2 * (d != 1 and j < 2)) for d in range(3) for j in range(3)]
    return imported_study([rows] * 2, lists=[[0, 2, 1], [1, 0, 2]])


def calm_and_wild() -> StudyData:
    wild = make_topic([[1, 9, 1, 8], [1, 9, 8, 1]], FOUR * 2, [0, 1, 0, 1], query_id="9")
    return make_study(make_topic([[1, 9, 2, 5]] * 3, FOUR * 3, [0, 1, 0, 1]), wild)


def one_level_alone() -> StudyData:
    """A level that one judge gave, and nobody beside that judge."""
    rows = [(d, j, 2 * ((d + j) % 2)) for d in range(9) for j in range(4)]
    return imported_study([[*rows, (9, 0, 1)]] * 2, lists=[[0, 1, 2], [9, 2, 1]])


def unit_of(*scores: Sequence[float], labels: Sequence[float] = (0, 1, 0, 1)) -> StudyData:
    """Units of one topic over the same four documents."""
    return make_study(make_topic(list(scores), FOUR * len(scores), labels))


def in_any_order() -> StudyData:
    """All gains are in the order of places, by whatever choice."""
    lists = [[1, 2, 3, 0], [0, 3, 2, 1]]
    return make_study(make_topic([[1, 9, 5, 2]] * 3, FOUR * 3, [0, 2, 1, 1], lists))


def beside_people(**of_model: Any) -> StudyData:
    return Beside(Model(topics=12, runs=6, reading=0.02), Model(**of_model)).study(2)


def few_people() -> StudyData:
    """Drawn by a seed: 16 topics of 40, which the model judges all."""
    run = Beside(Model(topics=40, runs=5, systems=2.0), Model()).study(2)
    assert run.about
    about = replace(run.about, topics=run.about.topics[:16], topics_of_study=16)
    about.study.topics_seed, about.study.redundancy = 4, 2
    return replace(run, about=about, topics_there=41)


OF_SYSTEMS = [name for name, analysis in ANALYSES.items() if analysis.of_systems]
TOPICS = {"topics": 7, "units": 20}
STUDIES: dict[str, Spoken] = {
    "Magnitudes on seven topics": Spoken(lambda: with_texts(random_study(**TOPICS)), EVERYTHING),
    "Magnitudes on one topic": Spoken(STRANGE["one topic"], EVERYTHING),
    "Magnitudes on twelve topics before the planned end": Spoken(
        before_its_end, " ".join([CARDS, REPORT, *OF_SYSTEMS])
    ),
    "Levels on seven topics": Spoken(lambda: with_texts(graded_study(topics=7)), EVERYTHING),
    "Levels from elsewhere, on two aspects": Spoken(
        partial(random_opinions, aspects=("snippet", "page")), EVERYTHING
    ),
    "Magnitudes from elsewhere": Spoken(magnitudes_elsewhere, EVERYTHING),
    "No completed unit": Spoken(make_study),
    "A single completed unit": Spoken(STRANGE["a single completed unit"]),
    "No runs": Spoken(STRANGE["no runs"]),
    "One run": Spoken(STRANGE["one run"]),
    "No labels": Spoken(STRANGE["no labels"]),
    "Labels of unjudged documents alone": Spoken(STRANGE["labels of unjudged documents only"]),
    "Labels of one level": Spoken(positive_only),
    "Labels of one level, all other documents count as 0": Spoken(
        partial(positive_only, unlabelled_as_zero=True),
        "labels label_sets schemes topics rankings subruns resampling mappings widths users",
    ),
    "Unlabelled documents in pictures": Spoken(
        lambda: positive_only((1, 2)), "levels labels profiles"
    ),
    "Labels of one level for all documents": Spoken(
        partial(random_study, levels=(1,), labelled=1.0), "labels schemes"
    ),
    "All scores equal": Spoken(STRANGE["all scores equal"]),
    "All scores equal, to be seen": Spoken(STRANGE["all scores equal"], "distributions workers"),
    "Round numbers": Spoken(lambda: unit_of([1, 2, 5, 10], [2, 4, 10, 20]), "distributions"),
    "Scores that lie far apart": Spoken(
        lambda: unit_of([1, 9e5, 2, 3], [9e5, 1e6, 1, 3]), "numbers spread"
    ),
    "One score a document": Spoken(STRANGE["one score a document"], "workers spread judges"),
    "All runs alike": Spoken(STRANGE["all runs alike"], "significance rankings sensitivity"),
    "Pools that hold runs to rank 2": Spoken(
        lambda: by("people", shifted(1, 7), pooled_to=2), "rankings significance power"
    ),
    "Artificial workers": Spoken(
        lambda: by("artificial", Model(topics=6, runs=3, reading=0.02).study(4)),
        "internal judges profiles reading resampling workers",
    ),
    "Artificial workers, and systems that differ": Spoken(
        lambda: by("artificial", shifted(6, 12)), "cards significance workers"
    ),
    "Scores that are guessed": Spoken(lambda: Model(steepness=0).study(0), "cards internal labels"),
    "A first page that is scored higher": Spoken(lambda: Model(first_page=0.7).study(0), "order"),
    "Scores that are alike on every page": Spoken(lambda: unit_of(*[[1, 8, 2, 4]] * 8), "order"),
    "Topics that are hard": Spoken(lambda: Model(hard_topics=True, topics=20).study(0), "topics"),
    "Four topics": Spoken(partial(random_study, topics=4), "topics"),
    "Levels that each differ": Spoken(
        lambda: with_gains([1, 9, 2, 2.1, 4, 4.2, 4.1], [0, 1, 0, 0, 1, 1, 1]), "levels"
    ),
    "Levels that the anchors alone put in order": Spoken(
        lambda: with_gains([1, 90, 2, 2.1, 2.2, 1.9], [0, 1, 0, 0, 1, 1]), "levels"
    ),
    "Labels of 40 levels": Spoken(
        partial(random_study, levels=tuple(np.arange(40) / 7), documents=60), "levels labels"
    ),
    "Equal scores": Spoken(lambda: unit_of([1, 9, 4, 4], [1, 9, 2, 8]), "labels"),
    "Two units, of which one disagrees": Spoken(
        lambda: unit_of([1, 9, 2, 8], [1, 9, 8, 2]), "labels"
    ),
    "Two label sets": Spoken(two_sets, "labels label_sets"),
    "Two label sets and one of a single level": Spoken(lambda: two_sets(0.0), "label_sets"),
    "Two label sets of a single level": Spoken(same_again, "label_sets"),
    "Documents that fit another level": Spoken(
        lambda: joined(
            with_gains([1, 9, 1.2, 10, 8, 7.5], [0, 1, 0, 0, 1, 0]),
            with_gains([1, 9, 2, 1.5, 1, 3, 8], [0, 1, 0, 0, 1, NONE, 1], "402"),
        ),
        "differences",
    ),
    "Documents that cannot be placed": Spoken(
        lambda: with_gains([1, 9, 3], [0, 2, 1]), "differences"
    ),
    "Documents that all fit": Spoken(lambda: with_gains([1, 9, 2, 8], [0, 1, 0, 1]), "differences"),
    "Four judges, five labels each": Spoken(lambda: drawn_labels(4, 5), "judges"),
    "Thirty judges": Spoken(lambda: drawn_labels(30, 1), "judges"),
    "A redundancy of 1": Spoken(lambda: make_study(*random_study().topics, redundancy=1), "judges"),
    "One worker who can be compared": Spoken(
        lambda: imported_study([[(0, 0, 1), (1, 0, 2), (0, 1, 1), (1, 1, 1), (0, 2, 0)]]), "workers"
    ),
    "Two workers with a judgment each": Spoken(
        lambda: imported_study([[(0, 0, 1), (1, 1, 2)]]), "workers every_judgment"
    ),
    "One worker": Spoken(lambda: imported_study([[(0, 0, 1), (1, 0, 2)]]), "workers"),
    "Topics of one judge": Spoken(
        lambda: imported_study([[(d, 0, d % 3) for d in range(3)]] * 2), "topics"
    ),
    "A topic on which judges differ most": Spoken(calm_and_wild, "every_judgment"),
    "Five topics": Spoken(
        partial(random_study, 2, topics=5, runs=3), "rankings preferences significance power enough"
    ),
    "Systems that differ": Spoken(lambda: shifted(6, 12), "cards significance power rankings"),
    "Binary labels": Spoken(partial(random_study, levels=(0, 1), topics=7), "rankings ratios"),
    "A topic without labels": Spoken(STRANGE["a topic without labels"], "rankings"),
    "Few labels": Spoken(partial(random_study, labelled=0.3), "subruns"),
    "No choice that matters": Spoken(in_any_order, "sensitivity"),
    "A choice that matters": Spoken(
        lambda: Model(
            failed_invert=True, systems=3, steepness=1.5, topics=12, runs=12, units=40
        ).study(0),
        "cards sensitivity",
    ),
    "No other study": Spoken(partial(random_study, topics=1), "studies"),
    "Beside the same study": Spoken(lambda: beside(1.0), "studies"),
    "Beside the reverse of the study": Spoken(lambda: beside(-1.0), "studies"),
    "Beside a study of other documents": Spoken(lambda: beside(None, topics=1), "studies"),
    "Topics that are alike": Spoken(topics_alike, "cards enough"),
    "Topics that differ": Spoken(
        lambda: Model(by_topic=2.0, steepness=2.0, noise=0.2, topics=12).study(0), "cards enough"
    ),
    "Few documents with two scores": Spoken(few_second_scores, "enough"),
    "No more topics in the collection": Spoken(lambda: of_collection(12, 12), "enough"),
    "Three more topics in the collection": Spoken(lambda: of_collection(12, 9), "enough"),
    "Gains by a linear profile": Spoken(lambda: profiles([1, 4.2, 2, 3.1]), "profiles"),
    "Gains by an exponential profile": Spoken(lambda: profiles([1, 15, 4, 9]), "profiles"),
    "Gains of one topic": Spoken(lambda: profiles([1, 15, 4, 9], [1]), "profiles"),
    "Levels 0 and 3": Spoken(
        partial(random_study, levels=(0, 3), topics=2, labelled=1.0), "profiles"
    ),
    "Levels that are no whole numbers": Spoken(partial(random_study, levels=(0, 0.5, 1)), "ratios"),
    "Levels to 50": Spoken(partial(random_study, levels=(0, 1, 50)), "ratios"),
    "Levels to 1,100": Spoken(partial(random_study, levels=(0, 1, 1100)), "mappings"),
    "Two units": Spoken(partial(random_study, units=2), "growth"),
    "A level that nobody gives": Spoken(without_a_level, "levels_given"),
    "All judges agree": Spoken(
        lambda: labels_by_all(
            [0, 1, 2] * 2, 3, topics=3, lists=[[2, 5, 1, 0], [0, 1, 2, 3], [0, 3, 1, 2]]
        ),
        "definitions",
    ),
    "All judges agree on two levels": Spoken(two_levels, "users"),
    "One judge": Spoken(STRANGE_OPINIONS["imported, one judge"]),
    "One judge who ranks systems": Spoken(partial(random_opinions, judges=1), "definitions"),
    "One judge's repeats": Spoken(STRANGE_OPINIONS["imported, one judge's repeats"], CHANCES),
    "No level at all": Spoken(STRANGE_OPINIONS["imported, no level at all"], CHANCES),
    "Nobody gives the top level": Spoken(never_the_best, f"{CHANCES} definitions"),
    "All labels are the top one": Spoken(
        lambda: labels_by_all([2] * 20, 6, topics=2), "prediction"
    ),
    "One document with two judges": Spoken(
        lambda: imported_study([[(0, 0, 0), (0, 1, 2), (1, 0, 1)]]), "weights prediction"
    ),
    "A topic that cannot be cut": Spoken(flat_and_steep, "definitions"),
    "One document above the lowest level": Spoken(one_document_above, "definitions"),
    "A level that one judge alone gave": Spoken(one_level_alone, "users"),
    "Judges who are as far from themselves": Spoken(lambda: drawn_labels(4, 3, 40), "consistency"),
    "Judges who differ and are consistent": Spoken(one_taste_each, "consistency"),
    "One topic from elsewhere": Spoken(partial(random_opinions, topics=1), "robustness"),
    "Many levels on two aspects": Spoken(
        partial(random_opinions, 2, topics=20, documents=25, aspects=("snippet", "page")), "aspects"
    ),
    "One aspect": Spoken(random_opinions, "aspects consistency"),
    "Nobody gives the top level for both aspects": Spoken(of_two_aspects, "aspects"),
    "The paper's ratings": Spoken(
        lambda: ratings("22222", "11233", "02233", "11111", "00003", "00002", "00001"), "unanimity"
    ),
    "Documents with fewer ratings": Spoken(
        lambda: ratings("222", "12", "333", "2", "3331", "000"), "unanimity"
    ),
    "One rating each": Spoken(lambda: ratings("0", "1", "2"), "unanimity"),
    "One rating, of one document two": Spoken(lambda: ratings("01", "1", "2"), "unanimity"),
    "Ratings that all agree": Spoken(
        lambda: ratings(
            "333", "222", "111", "000", lists=[[0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0]]
        ),
        "unanimity",
    ),
    "A model that judges as people do": Spoken(lambda: beside_people(units=4), MODEL),
    "A model that guesses": Spoken(lambda: beside_people(steepness=0), MODEL),
    "A model that favours a system": Spoken(lambda: beside_people(favours=2.0), MODEL),
    "A model that judges in levels": Spoken(
        lambda: make_model_run(graded_study(), graded_study(2)), MODEL
    ),
    "A model beside labels from elsewhere": Spoken(
        lambda: make_model_run(random_opinions(2), random_opinions(2)), MODEL
    ),
    "A model beside people whom not everybody sees": Spoken(
        lambda: replace(beside_people(), about=None), MODEL
    ),
    "A model beside few people": Spoken(few_people, MODEL),
    "One line of time": Spoken(
        lambda: timed(with_texts(random_study(units=30)), 0.2, 10), "reading reader"
    ),
    "A long view": Spoken(asleep, "reading"),
    "Texts that are missing": Spoken(
        lambda: with_texts(random_study(), [100, NONE, 200, 300]), "reading"
    ),
    "No least number of seconds": Spoken(
        lambda: by("people", with_texts(random_study()), minimum_seconds=0), "reading"
    ),
    "No texts": Spoken(random_study, "reading reader"),
    "Times without length": Spoken(times_without_length, "reading"),
    "Longer documents that take less": Spoken(
        lambda: timed(with_texts(random_study(units=30)), -0.01, 90), "reader"
    ),
    "A document of unknown length": Spoken(some_lengths, "reader"),
    "Nobody was timed": Spoken(lambda: with_texts(random_opinions(1)), "reader"),
}
