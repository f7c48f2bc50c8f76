"""What systems give readers for their time: time-biased gain, and rankings in time.

Smucker and Clarke (SIGIR 2012), sections 3 to 5.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.analyses.analysis import Analysis, Numbers
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.study import comparing as systems
from evaluation.analyses.study.data import Floats, StudyData
from evaluation.analyses.study.whole_lists import Lists, whole_lists
from evaluation.analyses.telling.parts import Analysed, Tell, listed, number, percent
from evaluation.analyses.time import reader_shown, views
from evaluation.analyses.time.reader_shown import EACH, OWN, PAPER, THE_PAPER, Found, Readers
from evaluation.measures.names import parse
from evaluation.measures.reader import Reader, path
from evaluation.measures.time_biased import tbg
from evaluation.measures.time_curves import expected_saved
from evaluation.reading.line import Lines, reading_lines
from trec.words import count


def analyse(data: StudyData, tell: Tell, asked: Question = USUAL) -> Analysed:
    """TBG beside the study's first measure, gain and ranks in time, documents saved."""
    if not data.runs or not data.topics:
        what = "no run" if not data.runs else "no completed unit"
        return Analysed([f"There is {what}: there is no system to measure."])
    lists = whole_lists(data)
    words = [
        np.where(of.listed, lengths[of.codes], 0.0)
        for of, lengths in zip(lists, data.lengths, strict=True)
    ]
    if all(np.isnan(of[topic.listed]).all() for of, topic in zip(words, lists, strict=True)):
        return Analysed(
            [
                "No ranking has a document with a text here, so that nobody knows how long one "
                "takes to read: systems cannot be measured in time."
            ]
        )
    tell(0.3)
    lines = _lines(data)
    by_name = _reader(asked)
    readers = _readers(by_name, lines, len(data.topics))
    values = {name: _tbg(lists, words, each) for name, each in readers.items()}
    tell(0.6)
    by = systems.MEASURES[0]
    usual = systems.measure(data.topics, [systems.magnitudes(t) for t in data.topics], by).values
    runs = np.flatnonzero(~np.isnan(np.stack(list(values.values()))).any(axis=(0, 1)))
    if not runs.size:
        return Analysed(
            ["Every system has a document of unknown length above a relevant one: none has a TBG."]
        )
    found = Found(
        [data.runs[run] for run in runs],
        by,
        usual[:, runs],
        readers,
        by_name[0],
        {name: of[:, runs] for name, of in values.items()},
        _expected(lists, words, by_name[1])[:, runs],
        _reached(lists, words, by_name[1])[runs],
        [of._replace(**{name: getattr(of, name)[runs] for name in _BY_RUN}) for of in lists],
        [of[runs] for of in words],
    )
    parts = reader_shown.parts(found)
    tell(0.9)
    left_out = [run for run in range(len(data.runs)) if run not in runs]
    return Analysed([*_says(data, found, lines, left_out)], parts, _taus(found))


def _taus(found: Found) -> dict[str, float]:
    """Tau of each reader's order with that of the study's first measure, by the reader's key."""
    keys = ((found.main, "paper"), (OWN, "own"), (EACH, "each_topic"))
    return {
        f"tau_{key}": found.compared[name].tau.tau for name, key in keys if name in found.values
    }


_BY_RUN = ("codes", "listed", "places", "ranked")


def _lines(data: StudyData) -> tuple[Lines, Lines] | None:
    """T_D of all first views, and by topic; None where nobody was timed."""
    if data.study.is_imported:
        return None
    seen = views.seen(data).views
    first = seen.where(~seen.again)
    of = first.words, first.seconds, first.workers
    return reading_lines(*of), reading_lines(*of, first.topics, len(data.topics))


def _reader(asked: Question) -> tuple[str, Reader]:
    """The one that is asked for, or the paper's, by name."""
    if not asked.reader:
        return THE_PAPER, Reader()
    numbers = {name: float(value) for name, value in parse(asked.reader).options.items()}
    return f"the reader of {asked.reader}", Reader()._replace(**numbers)


def _readers(main: tuple[str, Reader], lines: tuple[Lines, Lines] | None, topics: int) -> Readers:
    """Of each kind of reader one for each topic; only those whose T_D can be of a reader."""
    name, by = main
    found = {name: [by] * topics}
    if lines is None:
        return found
    for name, of in zip((OWN, EACH), lines, strict=True):
        if (of.slope >= 0).all() and (of.intercept >= 0).all():
            each = [
                by._replace(slope=float(a), intercept=float(b))
                for a, b in zip(of.slope, of.intercept, strict=True)
            ]
            found[name] = each * (topics // len(each))
    return found


def _tbg(lists: list[Lists], words: list[Floats], each: Sequence[Reader]) -> Floats:
    """(topics, runs); NaN where a length that matters is not known."""
    return np.stack(
        [
            of.where_listed(tbg(of.ranked, of.judged, rel=of.rel, words=length, **by._asdict()))
            for of, length, by in zip(lists, words, each, strict=True)
        ]
    )


def _expected(lists: list[Lists], words: list[Floats], by: Reader) -> Floats:
    """Documents that a reader is expected to save, (topics, runs)."""
    return np.stack(
        [
            of.where_listed(
                expected_saved(of.ranked, of.judged, rel=of.rel, words=length, **by._asdict())
            )
            for of, length in zip(lists, words, strict=True)
        ]
    )


def _reached(lists: list[Lists], words: list[Floats], by: Reader) -> Floats:
    """Of the documents that a reader comes to, the share that is judged: (runs,)."""
    judged, every = np.zeros(len(words[0])), np.zeros(len(words[0]))
    for of, length in zip(lists, words, strict=True):
        stays = by.staying(path(of.ranked, of.judged, length, None, by, rel=of.rel).begins)
        stays = np.where(of.listed, np.nan_to_num(stays), 0.0)
        judged += np.where(of.places >= 0, stays, 0.0).sum(axis=1)
        every += stays.sum(axis=1)
    share = np.full(len(every), np.nan)
    return np.divide(judged, every, out=share, where=every > 0)


def _says(
    data: StudyData, found: Found, lines: tuple[Lines, Lines] | None, left_out: list[int]
) -> Iterator[str]:
    names = (*found.readers,)
    first = found.readers[found.main][0]
    best = found.best(found.main)
    of = f" ({PAPER})" if found.main == THE_PAPER else ""
    yield (
        f"{count(len(found.runs), 'system')} on {count(len(data.topics), 'topic')}. TBG is how "
        "many relevant documents a reader saves before they stop, at the least. "
        f"{found.main[0].upper()}{found.main[1:]}{of} saves most with {found.runs[best]}, "
        f"{number(found.values[found.main].mean(axis=0)[best])} a topic. "
        + " ".join(_compared(found, name) for name in names)
    )
    yield (
        f"That reader takes {first.summary:g} s for a summary, opens {percent(float(first.click))} "
        f"of the relevant documents and {percent(float(first.click_nonrel))} of the others, saves "
        f"{percent(float(first.save))} of the relevant ones opened, and half of all readers have "
        f"stopped after {first.half_life:g} s. None of this can come from a study whose workers "
        "judge one document after the other: manage.py calibrate_time computes it from the log of "
        "readers at a result list. Only T_D, the time for a document, can be that of this study, "
        "which is the time of judging."
    )
    yield from _own(data, found, lines)
    more = found.expected.mean(axis=0) / found.values[found.main].mean(axis=0, keepdims=True).clip(
        1e-300
    )
    more = more[(found.values[found.main].mean(axis=0) > 0)[np.newaxis]]
    if more.size:
        yield (
            "TBG is a lower bound: by equation (10) readers are expected to save from "
            f"{percent(more.min() - 1, 1)} to {percent(more.max() - 1, 1)} more, by system."
        )
    yield (
        "A document is relevant if its gain is "
        + (
            "midway between those of the topic's H_k and N_k, by ratio, or above. "
            if found.lists[0].rel is not None
            else "above 0. "
        )
        + "Documents that nobody judged cost time and gain nothing: of those that this reader "
        f"comes to, {_shares(found.reached)} are judged, by system. Near duplicates count like any."
    )
    if left_out:
        yield (
            f"Left out: {count(len(left_out), 'system')} with a document of unknown length above a "
            f"relevant one ({listed(data.runs[run] for run in left_out)})."
        )
    yield from systems.too_few(len(data.topics))


def _shares(of: Floats) -> str:
    known = of[~np.isnan(of)]
    return f"{percent(known.min())} to {percent(known.max())}" if known.size else "none"


def _compared(found: Found, name: str) -> str:
    of = found.compared[name]
    tau = systems.with_interval(of.tau) if np.isfinite(of.tau.tau) else f"no tau, as {of.reason}"
    return f"With {name}, the order of systems and that by {found.by}: {tau}."


def _own(data: StudyData, found: Found, lines: tuple[Lines, Lines] | None) -> Iterator[str]:
    if lines is None:
        yield "Nobody was timed, as the study was judged elsewhere: there is no T_D of its own."
        return
    for name, of in zip((OWN, EACH), lines, strict=True):
        if name not in found.readers:
            odd = np.isnan(of.slope) | np.isnan(of.intercept) | (of.slope < 0) | (of.intercept < 0)
            where = f" on {count(int(odd.sum()), 'topic')}" if name == EACH else ""
            yield f"{name[0].upper()}{name[1:]} is not used: it has no line, or one below 0{where}."


def methods(data: StudyData, numbers: Numbers) -> str:
    reader = Reader()
    own = "tau_own" in numbers or "tau_each_topic" in numbers
    return (
        f"The reader of time-biased gain is that of {reader_shown.PAPER}: {reader.summary:g} "
        f"seconds for a summary, {reader.slope:g} l + {reader.intercept:g} for a document of l "
        f"words; of the relevant documents {reader.click:g} are opened and {reader.save:g} of "
        f"these saved, of others {reader.click_nonrel:g} are opened; half of all readers have "
        f"stopped after {reader.half_life:g} seconds."
        + (
            " Beside this one stand readers who take as long for a document as the study's workers."
            if own
            else ""
        )
    )


ANALYSIS = Analysis(
    "reader", "What do readers save before they stop?", analyse, methods=methods, takes=("reader",)
)
