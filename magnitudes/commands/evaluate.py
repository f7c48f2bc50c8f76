"""Measure runs by labels, both from files: no database, no study."""

import json
import math
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from magnitudes.commands import Say, UsageError, progress_of
from magnitudes.evaluation import (
    Evaluated,
    Judged,
    evaluate,
    in_levels,
    judged,
    judged_by_several,
)
from magnitudes.files.containers.archives import open_members, total_size
from magnitudes.files.duplicates import Classes, read_classes
from magnitudes.files.labels.opinions import FIELDS, Opinions, read_opinions
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.files.labels.scales import MISSING, BadScale, PositiveNumbers, Scale, WholeNumbers
from magnitudes.files.lengths import all_lengths, all_texts
from magnitudes.files.words import count
from magnitudes.gains.named import forms
from magnitudes.measures.names import Measure, parse
from magnitudes.reading_time.lengths import Lengths, lengths

Row = Mapping[str, Any]
COLUMNS = ("run", "topic", "measure", "value")
ALL = "all"


HELP = "Measure runs by labels, both from files. Prints run, topic, measure, value."
NAMELESS = "files"  # arguments without an option: QRELS RUN..., or RUN... where labels are named


def add_arguments(parser: ArgumentParser, nameless: bool = False) -> None:
    """All options; with `nameless`, labels and runs may stand without one."""
    if nameless:
        parser.add_argument(NAMELESS, metavar="FILE", nargs="*", help="QRELS RUN...")
    _add_labels(parser, required=not nameless)
    parser.add_argument("--runs", metavar="PATH", nargs="+", required=not nameless)
    parser.add_argument("--measures", metavar="MEASURE", nargs="+", required=True)
    parser.add_argument(
        "--gains", metavar="NAME", default="linear", help=f"what labels are worth: {forms()}"
    )
    _add_documents(parser)
    parser.add_argument("--per-topic", action="store_true", help=f"topics too, before {ALL}")
    parser.add_argument("--format", choices=["tsv", "json"], default="tsv")


def run(options: Mapping[str, Any], say: Say) -> Iterator[str]:
    """The lines of the output; what is out of the ordinary is said.

    Raises:
        One of FAULTS, before any line.
    """
    given = _with_nameless(options)
    measures = list(dict.fromkeys(map(parse, given["measures"])))
    known = _judged(given, say)
    if given["documents"]:
        known = known.with_lengths(_lengths(given, known.query_ids, say))
    elif given["duplicates"] or given["near_duplicates"] is not None:
        raise UsageError("duplicates are of no use without --documents")
    else:
        _want_no_lengths(measures)
    runs = _evaluated(known, given["runs"], measures)
    if known.negative:
        unjudged = ", as unjudged by Bpref" if any(m.name == "Bpref" for m in measures) else ""
        labels = count(known.negative, "negative label")
        say(f"{labels}: counted as gain 0{unjudged}")
    if known.lengths and known.lengths.classes is None:
        needing = ", ".join(str(measure) for measure in measures if "words" in measure.needs)
        if needing:
            say(f"{needing}: no duplicates are known, every document is new")
    if given["format"] == "tsv":
        for remark in _remarks(runs, measures):
            say(remark)
    rows = (
        row for run in runs for row in _rows(run, known.query_ids, measures, given["per_topic"])
    )
    return FORMATS[given["format"]](rows)


def _with_nameless(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options, with the files that stand without one in their places."""
    given, files = dict(options), list(options.get(NAMELESS) or ())
    if files and not given["qrels"] and not given["opinions"]:
        given["qrels"] = [files.pop(0)]
    given["runs"] = [*(given["runs"] or ()), *files]
    if not given["runs"] or not (given["qrels"] or given["opinions"]):
        raise UsageError("expected QRELS RUN..., or labels by --qrels or --opinions, and --runs")
    return given


def _judged(given: Mapping[str, Any], say: Say) -> Judged:
    """What files say of documents; what of it is out of the ordinary is said."""
    if given["qrels"]:
        for option in ("levels", "cuts", "aspect", "ratings"):
            if given[option] is not None:
                raise UsageError(f"--{option} is of use with --opinions only")
        return judged(read_qrels(open_members(given["qrels"])), given["gains"])
    if given["ratings"] is not None and given["ratings"] < 1:
        raise UsageError(f"--ratings {given['ratings']}: expected a whole number from 1")
    scale, levels = _scale(given)
    read = _of_aspect(read_opinions(open_members(given["opinions"]), scale), given["aspect"])
    if isinstance(scale, PositiveNumbers):
        read = in_levels(read, scale.values, given["cuts"])
    for line in _unusual(read, levels):
        say(line)
    size = len(levels) or max(scale.size, 2)
    known = judged_by_several(read, size, given["gains"], given["ratings"], levels)
    if known.remark:
        say(f"{known.name}: {known.remark}")
    return known


def _scale(given: Mapping[str, Any]) -> tuple[Scale, list[str]]:
    """How labels are to be read, and what their levels are called if that is known."""
    if cuts := given["cuts"]:
        shown = f"--cuts {' '.join(f'{cut:g}' for cut in cuts)}"
        if not all(0 < cut < math.inf for cut in cuts):
            raise UsageError(f"{shown}: expected positive numbers")
        if any(cut >= after for cut, after in pairwise(cuts)):
            raise UsageError(f"{shown}: expected numbers that ascend")
        return PositiveNumbers(), [str(level) for level in range(len(cuts) + 1)]
    names = given["levels"]
    if names is None:
        return WholeNumbers(), []
    try:
        if len(names) < 2:
            raise BadScale("a single name; expected two or more, lowest first")
        if not all(map(str.strip, names)):
            raise BadScale("an empty name; expected a text for every level")
        return Scale(names), names
    except BadScale as fault:
        raise UsageError(f"--levels: {fault}") from fault


def _of_aspect(read: Opinions, asked: str | None) -> Opinions:
    aspects = ", ".join(map(repr, read.aspects))
    if asked is None and len(read.aspects) > 1:
        raise UsageError(f"opinions are on several aspects: choose one by --aspect, {aspects}")
    if asked is None:
        return read
    if asked not in read.aspects:
        raise UsageError(f"--aspect {asked}: the opinions have {aspects}")
    return read.of_aspect(asked)


def _unusual(read: Opinions, levels: Sequence[str]) -> Iterator[str]:
    if missing := int((read.levels == MISSING).sum()):
        yield f"{count(missing, 'label')}: no level, and left out"
    for level, name in enumerate(levels):
        if not (read.levels == level).any():
            yield f"warning: nobody gave the level {name}"


def _lengths(given: Mapping[str, Any], query_ids: list[str], say: Say) -> Lengths:
    words = all_lengths(open_members(given["documents"]))
    classes: Classes | None = None
    if given["duplicates"]:
        classes = read_classes(open_members(given["duplicates"]))
        if said := _strangers(classes, words, query_ids):
            say(said)
    elif given["near_duplicates"] is not None:
        # Takes most of a second to import, and is seldom asked for.
        from magnitudes.reading_time.near_duplicates import near_duplicates

        texts = all_texts(open_members(given["documents"]))
        try:
            found = near_duplicates(texts, given["near_duplicates"]).classes
        except ValueError as fault:
            raise UsageError(f"--near-duplicates: {fault}") from fault
        except ModuleNotFoundError as fault:
            needs = "needs datasketch: pip install 'magnitudes[near-duplicates]'"
            raise UsageError(f"--near-duplicates {needs}") from fault
        classes = {"": found}
        groups = count(len(set(found.values())), "group")
        say(f"near duplicates: {count(len(found), 'document')} in {groups}")
    return lengths(words, classes, query_ids)


def _strangers(classes: Classes, words: Mapping[str, int], query_ids: list[str]) -> str:
    """Which of the documents with a class no run can have: a run without lengths is refused."""
    topics = {"", *query_ids}
    of = sum(map(len, classes.values()))
    here = [doc_id for topic in topics & classes.keys() for doc_id in classes[topic]]
    unknown = of - sum(doc_id in words for doc_id in here)
    if not unknown:
        return ""
    end = ": no duplicates are known" if unknown == of else ""
    return (
        f"warning: {unknown:,} of {count(of, 'document')} of --duplicates are not among "
        f"--documents, or on a topic without labels{end}"
    )


def _want_no_lengths(measures: Sequence[Measure]) -> None:
    for measure in measures:
        if "words" in measure.needs:
            raise UsageError(f"{measure} needs the lengths of documents: name --documents")


def _evaluated(known: Judged, paths: list[str], measures: Sequence[Measure]) -> list[Evaluated]:
    """All runs, before anything is printed: a fault in the last file leaves no half of a table."""
    with progress_of(total_size(paths)) as advance:
        return list(evaluate(known, open_members(paths, advance), measures))


def _rows(
    run: Evaluated, query_ids: list[str], measures: Sequence[Measure], per_topic: bool
) -> Iterator[Row]:
    for measure, values, shares in zip(measures, run.values, run.judged, strict=True):
        named = {"run": run.run, "measure": str(measure)}
        if per_topic:
            for query_id, value, share in zip(
                query_ids, values.tolist(), shares.tolist(), strict=True
            ):
                yield named | {"topic": query_id, "value": value, "judged": _or_none(share)}
        yield named | {
            "topic": ALL,
            "value": float(values.mean()),
            "judged": _or_none(_mean(shares)),
            "missing_topics": run.missing,
            "unlabelled_topics": run.unlabelled,
        }


def _mean(shares: np.ndarray[Any, Any]) -> float:
    """The mean share judged over the topics that the run has."""
    listed = shares[~np.isnan(shares)]
    return float(listed.mean()) if listed.size else math.nan


def _or_none(share: float) -> float | None:
    return None if math.isnan(share) else share


def _remarks(runs: list[Evaluated], measures: Sequence[Measure]) -> Iterator[str]:
    """One line for each run of which there is something to say."""
    for run in runs:
        said = []
        if run.missing:
            said.append(f"{count(run.missing, 'topic')} missing (value 0)")
        if run.unlabelled:
            said.append(f"{count(run.unlabelled, 'topic')} without labels (left out)")
        by_share: dict[float, list[str]] = {}
        for measure, shares in zip(measures, run.judged, strict=True):
            by_share.setdefault(_mean(shares), []).append(str(measure))
        for share, names in by_share.items():
            if share < 1:
                percent = math.floor(share * 1000) / 10
                said.append(f"{percent}% judged ({', '.join(names)})")
        if said:
            yield f"{run.run}: {', '.join(said)}"


def _tsv(rows: Iterator[Row]) -> Iterator[str]:
    for row in rows:
        yield "\t".join(map(str, (row[name] for name in COLUMNS))) + "\n"


def _json(rows: Iterator[Row]) -> Iterator[str]:
    """An array, one row a line."""
    before = "[\n"
    for row in rows:
        ordered = {name: row[name] for name in COLUMNS} | dict(row)
        yield before + json.dumps(ordered, ensure_ascii=False, allow_nan=False)
        before = ",\n"
    yield "\n]\n"


FORMATS = {"tsv": _tsv, "json": _json}


def _add_labels(parser: ArgumentParser, required: bool) -> None:
    """Options for labels: one for each pair, or the opinions of several judges."""
    labels = parser.add_mutually_exclusive_group(required=required)
    labels.add_argument("--qrels", metavar="FILE", nargs="+", help="one label for each pair")
    labels.add_argument(
        "--opinions",
        metavar="FILE",
        nargs="+",
        help=f"labels of several judges: tables with {', '.join(FIELDS)}",
    )
    levels = parser.add_mutually_exclusive_group()
    levels.add_argument(
        "--levels",
        metavar="TEXT",
        nargs="+",
        help="of opinions, the names of their levels, lowest first, all other labels being "
        "none; whole numbers up to the highest label if not given",
    )
    levels.add_argument(
        "--cuts",
        metavar="NUMBER",
        nargs="+",
        type=float,
        help="opinions are positive numbers, such as normalised scores: where to cut them into "
        "levels, ascending; what lies on a cut has the higher level",
    )
    parser.add_argument(
        "--ratings",
        metavar="N",
        type=int,
        help="of opinions, how many of a pair raw, weighted and unanimity count; as many as "
        "most pairs have, if not given",
    )
    parser.add_argument("--aspect", metavar="TEXT", help="of opinions, which one counts")


def _add_documents(parser: ArgumentParser) -> None:
    """Options for what time-biased gain needs of documents."""
    parser.add_argument(
        "--documents",
        metavar="PATH",
        nargs="+",
        help="texts, or a table of doc_id and words: lengths for time-biased gain",
    )
    duplicates = parser.add_mutually_exclusive_group()
    duplicates.add_argument(
        "--duplicates", metavar="FILE", nargs="+", help="(topic,) document, class of duplicates"
    )
    duplicates.add_argument(
        "--near-duplicates",
        metavar="JACCARD",
        type=float,
        nargs="?",
        const=0.9,
        help="find duplicates among the texts of --documents, from this resemblance on (0.9)",
    )
