"""Systems by how well they keep the order of judged documents: rpref and bpref.

De Beer and Moens (SIGIR 2006).
"""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses.analysis import Analysis
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.whole_lists import Lists, whole_lists
from evaluation.analyses.systems import preferences_shown
from evaluation.analyses.systems.preferences_shown import NAMES, PARTITIONS, Found
from evaluation.analyses.telling.parts import Analysed, Tell, number, percent, span
from evaluation.comparison.correlation import tau_b
from evaluation.comparison.ranks import rounded
from evaluation.measures.bpref import bpref
from evaluation.measures.rpref import rpref
from trec.words import count


def analyse(data: StudyData, tell: Tell) -> Analysed:
    """Every system by rpref and bpref, beside the study's first measure."""
    if not data.runs or not data.topics:
        what = "no run" if not data.runs else "no completed unit"
        return Analysed([f"There is {what}: there is no system to rank."])
    lists = whole_lists(data)
    if not any(of.listed.any() for of in lists):
        return Analysed(["No system has a list for a topic: there is no order of documents."])
    found = _found(data, lists, tell)
    return Analysed(
        [*_says(data, found, lists)],
        preferences_shown.parts(found),
        {f"tau_{name}": of.tau.tau for name, of in found.compared.items()},
    )


def _found(data: StudyData, lists: Sequence[Lists], tell: Tell) -> Found:
    by = systems.MEASURES[0]
    first = systems.measure(data.topics, [systems.magnitudes(t) for t in data.topics], by)
    packed = [_of_judged(of) for of in lists]
    values = {
        "rpref": _rpref(packed),
        "relative": _rpref(packed, norm="relative"),
        "bpref": np.stack(
            [
                of.where_listed(bpref(of.ranked, of.judged, places=of.places, rel=of.rel))
                for of in packed
            ]
        ),
    }
    tell(0.3)
    steps = []
    for done, n in enumerate(PARTITIONS, start=1):
        steps.append(_rpref(packed, norm="relative", partitions=n).mean(axis=0))
        tell(0.3 + 0.6 * done / len(PARTITIONS))
    names = {name: (f"by {by}", f"by {said}") for name, said in NAMES.items()}
    return Found(
        data.runs,
        by,
        first.values,
        values,
        {name: systems.compare(first.values, of, names[name]) for name, of in values.items()},
        np.stack(steps),
        _share(lists, None),
        _share(lists, 10),
    )


def _of_judged(of: Lists) -> Lists:
    """The lists without unjudged documents, which do not count here."""
    there = of.places >= 0
    ranks = np.argsort(~there, axis=1, kind="stable")[:, : there.sum(axis=1).max(initial=0)]
    return of._replace(
        places=np.take_along_axis(of.places, ranks, axis=1),
        ranked=np.take_along_axis(of.ranked, ranks, axis=1),
    )


def _rpref(lists: Sequence[Lists], norm: str = "absolute", partitions: int | None = None) -> Floats:
    return np.stack(
        [
            of.where_listed(
                rpref(of.ranked, of.judged, places=of.places, norm=norm, partitions=partitions)
            )
            for of in lists
        ]
    )


def _share(lists: Sequence[Lists], depth: int | None) -> Floats:
    """Of the documents above a depth the share that is judged, (runs,); NaN without any."""
    judged = sum((of.places[:, :depth] >= 0).sum(axis=1) for of in lists)
    every = np.asarray(sum(of.listed[:, :depth].sum(axis=1) for of in lists))
    share = np.full(len(every), np.nan)
    return np.divide(judged, every, out=share, where=every > 0)


def _says(data: StudyData, found: Found, lists: Sequence[Lists]) -> Iterator[str]:
    taus = "; ".join(f"by {NAMES[name]} {_tau(of)}" for name, of in found.compared.items())
    yield (
        f"{count(len(found.runs), 'system')} on {count(len(data.topics), 'topic')}, by how much "
        "better documents stand below worse ones. The order of systems beside that by "
        f"{found.by}: {taus}."
    )
    judged = sum(int((of.places >= 0).sum()) for of in lists)
    yield (
        f"{percent(judged / sum(int(of.listed.sum()) for of in lists), 1)} of the documents in "
        f"rankings are judged, of the first 10 {_ends(found.ten)}, by system. Others are as "
        f"if they were not in the list, where {found.by} takes them for worthless: who finds what "
        "nobody judged loses by that measure, and not by these."
    )
    yield from _beware(found)
    whole = found.values["relative"].mean(axis=0)
    near = np.abs(found.partitions - whole).max(axis=1)
    yield (
        "With two partitions of worth the relative scores are off those of rpref by up to "
        f"{number(near[0])}, with {PARTITIONS[-1]} by {number(near[-1])}; by two partitions the "
        f"order of systems has {_order(found, 0)} with that by rpref."
    )
    unequal = sum(int(len(np.unique(of.judged[of.judged > 0])) > 1) for of in lists)
    if not unequal:
        yield "No topic has documents of different gain above 0: rpref is the same as bpref here."
    yield from systems.too_few(len(data.topics))


def _beware(found: Found) -> Iterator[str]:
    """Who retrieves few judged documents has little to lose."""
    means = found.values["rpref"].mean(axis=0)
    best = int(means.round(12).argmax())
    tau = tau_b(rounded(means), rounded(found.judged))
    said = f", and tau of rpref with that share is {number(tau)} over systems"
    yield (
        "Beware: a document that a system does not retrieve loses only to judged ones that it "
        "does, so that who retrieves few of them has little to lose. "
        f"{found.runs[best]}, first by rpref, has {percent(float(found.judged[best]))} of its "
        f"documents judged, systems in the mean {percent(float(np.nanmean(found.judged)))}"
        f"{said if np.isfinite(tau) else ''}. The relative form is less open to this: it divides "
        "what a document loses by the number of judged ones above it."
    )


def _tau(of: systems.Compared) -> str:
    return systems.with_interval(of.tau) if np.isfinite(of.tau.tau) else f"no tau, as {of.reason}"


def _ends(of: Floats) -> str:
    known = of[~np.isnan(of)]
    return span(known.min(), known.max(), percent)


def _order(found: Found, place: int) -> str:
    tau = tau_b(rounded(found.partitions[place]), rounded(found.values["relative"].mean(axis=0)))
    return f"a tau of {number(tau)}" if np.isfinite(tau) else "no tau"


ANALYSIS = Analysis("preferences", "Do systems keep the order of judged documents?", analyse)
