"""Systems by how well they keep the order of judged documents (De Beer and Moens, SIGIR 2006).

**Shows** rpref, absolute and relative, and the bpref of the same authors (`bpref_de_beer_moens`,
not trec_eval's) for all systems, beside the study's first measure, with tau and top sets; relative
scores if worth is cut into 2, 3, ... 256 steps, which converge to rpref; and how much of the
rankings is judged.

**Computed** on rankings to their end, from judged documents alone: worth is the gain divided by the
largest of the topic. In that bpref a document is relevant if its gain is at least √(G(H_k) G(N_k))
in a study of magnitudes, and above 0 otherwise.

**Beware**: a document that a system does not retrieve loses only to judged ones that the system
does retrieve. A system that retrieves few of them has little to lose, and may be first: on one test
collection a random list is. The page shows how much of the first system's documents is judged, and
the correlation of rpref with that share. The relative form is less susceptible to this.

**Source**: De Beer and Moens, Rpref: a Generalization of Bpref towards Graded Relevance Judgments,
SIGIR 2006, equations (1) and (2), sections 2.4 and 3, Figure 1.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from evaluation.analyses.analysis import OnProgress, analysis
from evaluation.analyses.systems import by_preference, partitions
from evaluation.analyses.systems.by_preference import NAMES
from evaluation.presentation import two_orders
from evaluation.presentation.frame import Frame
from evaluation.presentation.parts import Result, correlation, percent, span
from evaluation.study import scoring
from evaluation.study.data import StudyData
from magnitudes.comparison.compared import Compared, compare
from magnitudes.comparison.correlation import tau_b
from magnitudes.comparison.ranks import rounded
from magnitudes.files.words import count
from magnitudes.measures.lists import END, Lists
from magnitudes.measures.names import Measure


@analysis("Do systems keep the order of judged documents?", titled=True, of_systems=True)
def analyse(data: StudyData, on_progress: OnProgress) -> Result:
    """Every system by rpref and their bpref, beside the study's first measure."""
    if not data.runs or not data.topics:
        missing = "no completed unit" if data.runs else "no run"
        return Result([f"There is {missing}: there is no system to rank."])
    pairs = zip(data.lists, map(scoring.magnitudes, data.topics), strict=True)
    lists = [Lists.of_topic(codes, *source) for codes, source in pairs]
    if all((of_topic.places == END).all() for of_topic in lists):
        return Result(["No system has a list for a topic: there is no order of documents."])
    measure, judged = scoring.first(data.study), list(map(by_preference.judged_alone, lists))
    usual = scoring.by_own_gains(data.topics, measure)
    values = {
        name: np.stack([of_topic.measure(by).values for of_topic in judged])
        for name, by in by_preference.measures(data).items()
    }
    compared = {
        name: compare(usual, by_it, (f"ranking by {measure.short}", f"ranking by {NAMES[name]}"))
        for name, by_it in values.items()
    }
    places = [of_topic.places for of_topic in lists]
    systems = by_preference.systems(
        data.runs,
        {measure.name.lower(): usual, **values},
        judged_at_cutoff=by_preference.share_judged([some[:, : measure.cutoff] for some in places]),
        judged=by_preference.share_judged(places),
    )
    on_progress(0.3)
    steps = partitions.compute(judged, lambda share: on_progress(0.3 + 0.6 * share))
    distances = partitions.distances(steps, systems["relative"])
    judged_of_all = float(by_preference.share_judged([some.reshape(1, -1) for some in places])[0])
    return Result(
        [
            *_sentences(measure, systems, compared, len(data.topics)),
            _judged(measure, systems, judged_of_all),
            _beware(systems),
            partitions.sentence(distances),
            *_limits(lists),
        ],
        [
            by_preference.figure(measure, systems, title(measure, systems, compared["rpref"])),
            partitions.figure(systems, steps),
            by_preference.orders(measure, values, compared),
            partitions.table(distances),
            by_preference.table(measure, systems),
        ],
        {f"tau_{name}": each.tau.tau for name, each in compared.items()},
    )


def _sentences(
    measure: Measure, systems: Frame, compared: Mapping[str, Compared], topics: int
) -> Iterator[str]:
    by_name = ((NAMES[name], two_orders.tau_or_why(order)) for name, order in compared.items())
    taus = "; ".join(f"by {name} {tau}" for name, tau in by_name)
    yield (
        f"{count(len(systems), 'system')} on {count(topics, 'topic')}, by how much "
        "better documents stand below worse ones. The order of systems beside that by "
        f"{measure.short}: {taus}."
    )


def _judged(measure: Measure, systems: Frame, of_all: float) -> str:
    known = systems["judged_at_cutoff"][~np.isnan(systems["judged_at_cutoff"])]
    return (
        f"{percent(of_all, 1)} of the documents in rankings are judged, of the first "
        f"{measure.cutoff} {span(known.min(), known.max(), percent)}, by system. Others are "
        f"as if they were not in the list, where {measure.short} takes them for worthless: who "
        "finds what nobody judged loses by that measure, and not by these."
    )


def _beware(systems: Frame) -> str:
    """Who retrieves few judged documents has little to lose."""
    means, judged = systems["rpref"], systems["judged"]
    best, tau = int(rounded(means).argmax()), tau_b(means, judged)
    with_share = f", and tau of rpref with that share is {correlation(tau, 3)} over systems"
    return (
        "Beware: a document that a system does not retrieve loses only to judged ones that it "
        "does, so that who retrieves few of them has little to lose. "
        f"{systems['system'][best]}, first by rpref, has {percent(float(judged[best]))} of its "
        f"documents judged, systems on average {percent(float(np.nanmean(judged)))}"
        f"{with_share if np.isfinite(tau) else ''}. The relative form is less open to this: it "
        "divides what a document loses by the number of judged ones above it."
    )


def _limits(lists: Sequence[Lists]) -> Iterator[str]:
    gains = [np.unique(of_topic.gains[of_topic.gains > 0]) for of_topic in lists]
    if all(len(different) < 2 for different in gains):
        yield (
            "No topic has documents of different gain above 0: rpref is the same as "
            f"{NAMES['bpref_de_beer_moens']} here."
        )
    yield from two_orders.too_few(len(lists))


def title(measure: Measure, systems: Frame, alike: Compared) -> str:
    """Tau with the usual order, and with how many of a system's documents are judged.

    All are computed of the same lists and gains, so that no order is a sample of another.
    """
    if np.isnan(alike.tau.tau):
        return f"No tau by rpref and by {measure.short}: {alike.reason}"
    tau = f"Tau of systems by rpref is {correlation(alike.tau.tau)} with {measure.short}"
    share = tau_b(systems["rpref"], systems["judged"])
    if np.isnan(share):
        return tau
    return f"{tau}, and {correlation(share)} with the share of their documents that is judged"
