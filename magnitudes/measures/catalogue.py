"""The measures that there are, with their options, and what each must know beside gains.

A new measure is a file of its own and one entry in MEASURES. One that must know more than gains
says what its function `needs`, by names of KNOWN; the caller, who has the rankings, gives it.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from magnitudes.measures.by_pairs import preference
from magnitudes.measures.by_pairs.bpref import bpref
from magnitudes.measures.by_pairs.bpref_de_beer_moens import bpref_de_beer_moens
from magnitudes.measures.by_pairs.gap import OVER, gap
from magnitudes.measures.by_pairs.rpref import rpref
from magnitudes.measures.by_rank.average_precision import average_precision
from magnitudes.measures.by_rank.err import err
from magnitudes.measures.by_rank.gain_at import gain_at
from magnitudes.measures.by_rank.ndcg import FORMS, ndcg
from magnitudes.measures.by_rank.nerr import nerr
from magnitudes.measures.by_rank.p_plus import p_plus
from magnitudes.measures.by_rank.precision import precision
from magnitudes.measures.by_rank.r_precision import r_precision
from magnitudes.measures.by_rank.rbp import rbp
from magnitudes.measures.by_rank.recall import recall
from magnitudes.measures.by_rank.reciprocal_rank import reciprocal_rank
from magnitudes.measures.by_rank.share_judged import share_judged
from magnitudes.measures.by_rank.success import success
from magnitudes.measures.in_time.reader import BOUNDS, DUPLICATES, Reader
from magnitudes.measures.in_time.time_biased import NORMS, tbg
from magnitudes.measures.unjudged import UNJUDGED

Value = str | int | float
SMALLEST = float(np.finfo(np.float64).tiny)
LARGEST = float(np.finfo(np.float64).max)
KINDS = {str: "a string in quotes", int: "a whole number", float: "a number"}


class Option(NamedTuple):
    """One option of a measure.

    kind: str, int or float; a float may be written as a whole number. None: see choices.
    default: what the measure does if the option is not given; None for an option that is off.
    choices: the values there are, if they can be listed.
    least, most: bounds of a number, inclusive.
    per_topic: values that name a number which each topic has ('n_k': the gain of its N_k), and
        which `Measure.evaluate` must then be given under that name.
    in_study: what a study of magnitudes takes if the option is not given.
    needs: what the function needs if the option has this value, by names of KNOWN.
    labels: how people read a value, in short and in full: ("JK", "Järvelin & Kekäläinen").
    """

    kind: type[str] | type[int] | type[float] | None = None
    default: Value | None = None
    choices: tuple[Value, ...] = ()
    least: float = -np.inf
    most: float = np.inf
    per_topic: tuple[str, ...] = ()
    in_study: Value | None = None
    needs: Mapping[Value, str] = {}
    labels: Mapping[Value, tuple[str, str]] = {}

    def fault(self, value: Value) -> str | None:
        """What is wrong with a value, if anything."""
        if isinstance(value, str) and value in self.per_topic:
            return None
        if self.kind and not self._is_of_kind(value, self.kind):
            return f"must be {' or '.join([KINDS[self.kind], *map(literal, self.per_topic)])}"
        if self.choices and (isinstance(value, bool) or value not in self.choices):
            return f"must be one of {', '.join(map(literal, self.choices))}"
        if not isinstance(value, str) and not self.least <= value <= self.most:
            return f"must {self._bounds()}"
        return None

    def _bounds(self) -> str:
        if self.most < LARGEST:
            return f"lie from {self.least:g} to {self.most:g}"
        least = "above 0" if self.least == SMALLEST else f"of at least {self.least:g}"
        return f"be a finite number {least}"

    @property
    def values(self) -> str:
        """The values there are, in words."""
        if self.choices:
            return ", ".join(f"`{literal(choice)}`" for choice in self.choices)
        named = [f"`{literal(name)}`" for name in self.per_topic]
        return " or ".join([KINDS[self.kind], *named] if self.kind else named)

    def as_kind(self, value: Value) -> Value:
        """A value without fault, as a measure has it."""
        return float(value) if self.kind is float and not isinstance(value, str) else value

    @staticmethod
    def _is_of_kind(value: Value, kind: type) -> bool:
        return isinstance(value, (int, float) if kind is float else kind) and not isinstance(
            value, bool
        )


class Definition(NamedTuple):
    """A measure: function(ranked, judged, k=cutoff, **options, **needed) -> values.

    needs: what the function must be given beside gains, by names of KNOWN; uses: what it is given
    where it is known; best_for_all: whether it takes the best documents for relevant to everybody.
    """

    function: Callable[..., NDArray[np.float64]]
    options: Mapping[str, Option] = {}
    cutoff: Literal["optional", "required", "none"] = "optional"
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    best_for_all: bool = False


def literal(value: Value) -> str:
    """A value as it is written: numbers without a needless '.0'.

    >>> literal("jk"), literal(4.0), literal(0.8)
    ("'jk'", '4', '0.8')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


REL = Option(float, least=SMALLEST, most=LARGEST, per_topic=("anchors",), in_study="anchors")
READER = {
    name: Option(float, float(value), least=BOUNDS[name][0], most=BOUNDS[name][1])
    for name, value in Reader()._asdict().items()
}
TOP = Option(float, least=SMALLEST, most=LARGEST)
PREFERENCE = {
    "norm": Option(str, "absolute", choices=preference.NORMS),
    "omit_top": Option(int, 0, choices=(0, 1)),
}

MEASURES: dict[str, Definition] = {
    "nDCG": Definition(
        ndcg,
        {
            "dcg": Option(
                str,
                "log2",
                choices=tuple(FORMS),
                labels={
                    "jk": ("JK", "Järvelin & Kekäläinen"),
                    "exp-log2": ("exp", "exponential gains"),
                    "zipf": ("Zipf", "discounted by rank"),
                    "exp-zipf": ("exp-Zipf", "exponential gains discounted by rank"),
                },
            )
        },
    ),
    "ERR": Definition(
        err,
        {"largest": TOP, "unit": Option(choices=("n_k",), per_topic=("n_k",))},
    ),
    "AP": Definition(average_precision, {"rel": REL}),
    "P": Definition(precision, {"rel": REL}, cutoff="required"),
    "R": Definition(recall, {"rel": REL}, cutoff="required"),
    "Rprec": Definition(r_precision, {"rel": REL}, cutoff="none"),
    "Success": Definition(success, {"rel": REL}, cutoff="required"),
    "RR": Definition(reciprocal_rank, {"rel": REL}),
    "RBP": Definition(
        rbp,
        {"p": Option(float, 0.8, least=0, most=0.999999), "rel": REL._replace(in_study=None)},
    ),
    "nG": Definition(gain_at, cutoff="required"),
    "nERR": Definition(nerr, {"largest": TOP}),
    "P+": Definition(p_plus, {"b": Option(float, 1.0, least=0, most=1e12), "rel": REL}),
    "Judged": Definition(share_judged, needs=("places",)),
    "Bpref": Definition(
        bpref, {"rel": REL}, cutoff="none", needs=("places", "n_judged"), uses=("negative",)
    ),
    "bpref_de_beer_moens": Definition(
        bpref_de_beer_moens, {"rel": REL, **PREFERENCE}, needs=("places", "n_judged")
    ),
    "rpref": Definition(
        rpref,
        {"partitions": Option(int, least=2, most=10**6), "largest": TOP, **PREFERENCE},
        needs=("places", "n_judged"),
    ),
    "GAP": Definition(
        gap, {"over": Option(str, "list", choices=OVER), "largest": TOP}, best_for_all=True
    ),
    "TBG": Definition(
        tbg,
        {
            **READER,
            "norm": Option(str, "none", choices=NORMS, needs={"ideal": "judged_words"}),
            "duplicates": Option(str, "gain", choices=DUPLICATES, needs={"nothing": "repeats"}),
            "rel": REL,
        },
        needs=("words",),
        uses=("repeats", "judged_words", "judged_classes"),
    ),
}
# Names that mean two measures elsewhere, and are none here.
AMBIGUOUS = {
    "bpref": "Bpref is that of Buckley and Voorhees and of trec_eval, bpref_de_beer_moens that of "
    "De Beer and Moens",
}
# What may be known beside gains: numbers of topics, (topics,), and arrays by rank, which have the
# shape of the ranked gains. Options name numbers; functions need either.
KNOWN = {
    "n_k": "n_k of each topic (the gain of its N_k)",
    "anchors": "the anchors of each topic (the gains of its H_k and N_k)",
    "min": "the smallest judged gain of each topic",
    "n_judged": "how many documents of each topic are judged",
    "places": "which judged document stands at each rank",
    "negative": "which judged documents have a label below 0",
    "words": "the lengths of ranked documents, in words",
    "repeats": "which documents are near duplicates of one another",
    "judged_words": "the lengths of judged documents, in words",
}
# How the ranked gains of any measure come about: see `filling`.
OF_ALL = {
    "unjudged": Option(default=0, choices=(0, *UNJUDGED), per_topic=UNJUDGED),
    "order": Option(default="score", choices=("score", "rank")),
}
