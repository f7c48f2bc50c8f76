"""Measures by name: 'nDCG@10' and what it stands for.

The grammar is that of ir_measures: a name, options in brackets, a cutoff after @.

    Name(option=value, ...)@cutoff

Values are strings in quotes, whole numbers and decimal numbers. A plain name means what users of
ir_measures expect of it. Every measure has exactly one canonical way to be written, which `str`
gives: options in the order in which the measure declares them, defaults left out. It is the name
under which values are stored and shown, and parses back to an equal measure.

Every measure has two options more, which concern how the gains of a ranking come about:
`unjudged=0`, 'min' or 'n_k', what an unjudged document is worth, and `order='score'` or 'rank',
which of the two columns of a run orders it.

A new measure is a file of its own and one entry in MEASURES. One that must know more than gains
says what its function `needs`, by names of KNOWN; whoever has the rankings gives it.
"""

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.gains.named import NamedGain
from evaluation.measures import preference
from evaluation.measures.average_precision import average_precision
from evaluation.measures.bpref import bpref
from evaluation.measures.err import err
from evaluation.measures.filling import UNJUDGED, fill
from evaluation.measures.gain_at import gain_at
from evaluation.measures.gap import OVER, gap
from evaluation.measures.ndcg import FORMS, ndcg
from evaluation.measures.nerr import nerr
from evaluation.measures.p_plus import p_plus
from evaluation.measures.precision import precision
from evaluation.measures.rbp import rbp
from evaluation.measures.reader import BOUNDS, DUPLICATES, Reader
from evaluation.measures.reciprocal_rank import reciprocal_rank
from evaluation.measures.rpref import rpref
from evaluation.measures.time_biased import NORMS, tbg

Value = str | int | float


class MeasureNameError(ValueError):
    """A measure that is not one: its text as it was written, the fault, and what there is."""

    def __init__(self, text: str, fault: str) -> None:
        super().__init__(text, fault)
        self.text = text
        self.fault = fault

    def __str__(self) -> str:
        return f"measure “{self.text}”: {self.fault}"


KINDS = {str: "a string in quotes", int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Option:
    """One option of a measure.

    kind: str, int or float; a float may be written as a whole number. None: see choices.
    default: what the measure does if the option is not given; None for an option that is off.
    choices: the values there are, if they can be listed.
    least, most: bounds of a number, inclusive.
    per_topic: values that name a number which each topic has ('n_k': the gain of its N_k), and
        which `Measure.evaluate` must then be given under that name.
    in_study: what a study of magnitudes takes if the option is not given.
    needs: what the function needs if the option has this value, by names of KNOWN.
    """

    kind: type[str] | type[int] | type[float] | None = None
    default: Value | None = None
    choices: tuple[Value, ...] = ()
    least: float = -np.inf
    most: float = np.inf
    per_topic: tuple[str, ...] = ()
    in_study: Value | None = None
    needs: Mapping[Value, str] = field(default_factory=dict)

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
        """A value without fault, as it is kept."""
        return float(value) if self.kind is float and not isinstance(value, str) else value

    @staticmethod
    def _is_of_kind(value: Value, kind: type) -> bool:
        return isinstance(value, (int, float) if kind is float else kind) and not isinstance(
            value, bool
        )


@dataclass(frozen=True)
class Definition:
    """A measure: function(ranked, judged, k=cutoff, **options, **needed) -> values.

    needs: what the function must be given beside gains, by names of KNOWN; uses: what it is given
    where it is known; best_for_all: whether it takes the best documents for relevant to everybody.
    """

    function: Callable[..., NDArray[np.float64]]
    options: Mapping[str, Option] = field(default_factory=dict)
    cutoff: Literal["optional", "required", "none"] = "optional"
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    best_for_all: bool = False


SMALLEST = float(np.finfo(np.float64).tiny)
LARGEST = float(np.finfo(np.float64).max)
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
    "nDCG": Definition(ndcg, {"dcg": Option(str, "log2", choices=tuple(FORMS))}),
    "ERR": Definition(
        err,
        {"largest": TOP, "unit": Option(choices=("n_k",), per_topic=("n_k",))},
    ),
    "AP": Definition(average_precision, {"rel": REL}),
    "P": Definition(precision, {"rel": REL}, cutoff="required"),
    "RR": Definition(reciprocal_rank, {"rel": REL}),
    "RBP": Definition(
        rbp,
        {"p": Option(float, 0.8, least=0, most=0.999999), "rel": replace(REL, in_study=None)},
    ),
    "nG": Definition(gain_at, cutoff="required"),
    "nERR": Definition(nerr, {"largest": TOP}),
    "P+": Definition(p_plus, {"b": Option(float, 1.0, least=0, most=1e12), "rel": REL}),
    "bpref": Definition(bpref, {"rel": REL, **PREFERENCE}, needs=("places", "n_judged")),
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
# What may be known beside gains: numbers of topics, (topics,), and arrays by rank, which have the
# shape of the ranked gains. Options name numbers; functions need either.
KNOWN = {
    "n_k": "n_k of each topic (the gain of its N_k)",
    "anchors": "the anchors of each topic (the gains of its H_k and N_k)",
    "min": "the smallest judged gain of each topic",
    "n_judged": "how many documents of each topic are judged",
    "places": "which judged document stands at each rank",
    "words": "the lengths of ranked documents, in words",
    "repeats": "which documents are near duplicates of one another",
    "judged_words": "the lengths of judged documents, in words",
}
# How the ranked gains of any measure come about: see `filling`.
OF_ALL = {
    "unjudged": Option(default=0, choices=(0, *UNJUDGED), per_topic=UNJUDGED),
    "order": Option(default="score", choices=("score", "rank")),
}


@dataclass(frozen=True)
class Measure:
    """A measure with its options and cutoff, checked and in canonical form.

    Equal measures have equal strings, whatever way they were written.

    >>> Measure("nDCG", {"dcg": "log2"}, 10) == parse("nDCG@10")
    True
    """

    name: str
    options: Mapping[str, Value] = field(default_factory=dict)
    cutoff: int | None = None

    def __post_init__(self) -> None:
        fault = self._fault()
        if fault:
            raise MeasureNameError(_written(self), fault)
        kept = {
            name: option.as_kind(self.options[name])
            for name, option in self._declared.items()
            if name in self.options and self.options[name] != option.default
        }
        object.__setattr__(self, "options", kept)

    def __str__(self) -> str:
        return _written(self)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def needs(self) -> tuple[str, ...]:
        """What must be given beside the gains, by names of KNOWN.

        >>> parse("ERR(unit='n_k')@10").needs
        ('n_k',)
        """
        declared = self._declared
        named = (str(v) for n, v in self.options.items() if v in declared[n].per_topic)
        more = (declared[n].needs[v] for n, v in self.options.items() if v in declared[n].needs)
        return (*self._definition.needs, *named, *more)

    @property
    def by_rank(self) -> bool:
        """Whether documents come in the order of the rank field, rather than of their scores."""
        return self.options.get("order") == "rank"

    def in_study(self) -> "Measure":
        """What this measure means in a study of magnitudes, where no gain is 0.

        >>> str(parse("P@10").in_study()), str(parse("P(rel=2)@10").in_study())
        ("P(rel='anchors')@10", 'P(rel=2)@10')
        """
        settled = {
            name: option.in_study
            for name, option in self._declared.items()
            if option.in_study is not None
        }
        return Measure(self.name, {**settled, **self.options}, self.cutoff)

    def filled(
        self, found: NDArray[np.float64], listed: NDArray[np.bool_], **per_topic: ArrayLike
    ) -> NDArray[np.float64]:
        """The gains of ranked documents, unjudged ones as the option `unjudged` says.

        Shapes and conventions are those of `filling.fill`; `per_topic` has the number that
        `unjudged` names.
        """
        unjudged = self.options.get("unjudged", 0)
        if not isinstance(unjudged, str):
            return fill(found, listed, 0.0)
        self._refuse({unjudged} - per_topic.keys())
        return fill(found, listed, per_topic[unjudged])

    def evaluate(
        self, ranked: ArrayLike, judged: ArrayLike, **known: ArrayLike
    ) -> NDArray[np.float64]:
        """The measure's values; shapes and conventions are those of `evaluation.measures`.

        `ranked` is as `filled` gives it. `known` has at least what `needs` lists; more does no
        harm.

        >>> parse("nDCG@2").evaluate(ranked=[[2, 1], [1, 2]], judged=[1, 2, 0]).round(3)
        array([1.  , 0.86])
        """
        self.ask_for(known)
        definition = self._definition
        declared = definition.options
        options: dict[str, ArrayLike | None] = {
            name: known[str(value)] if value in declared[name].per_topic else value
            for name, value in self.options.items()
            if name in declared
        }
        asked = (*definition.needs, *definition.uses)
        options |= {name: known[name] for name in asked if name in known}
        if definition.cutoff != "none":
            options["k"] = self.cutoff
        return definition.function(ranked, judged, **options)

    def ask_for(self, known: Container[str]) -> None:
        """MeasureNameError if not all that this measure `needs` is known."""
        self._refuse({name for name in self.needs if name not in known})

    def _refuse(self, missing: set[str]) -> None:
        if missing:
            what = ", ".join(KNOWN.get(name, name) for name in sorted(missing))
            raise MeasureNameError(str(self), f"needs {what}; not known here")

    def goes_with(self, gains: NamedGain) -> None:
        """MeasureNameError if this measure says nothing with such gains.

        GAP takes the best documents for relevant to everybody. With weights of user disagreement
        that at least M of N users find a document best, and M above 1, they are not: Demeester and
        others (WSDM 2014), section 4.4.

        >>> from evaluation.gains import named
        >>> parse("GAP@10").goes_with(named.parse("udm:1/3"))
        >>> parse("GAP@10").goes_with(named.parse("udm:2/3"))
        Traceback (most recent call last):
            ...
        evaluation.measures.names.MeasureNameError: measure “GAP@10”: needs M = 1 in udm:M/N
        """
        if self._definition.best_for_all and gains.wants:
            raise MeasureNameError(str(self), f"needs {gains.wants}")

    @property
    def _definition(self) -> Definition:
        return MEASURES[self.name]

    @property
    def _declared(self) -> Mapping[str, Option]:
        return {**self._definition.options, **OF_ALL}

    def _fault(self) -> str | None:
        """What is wrong with this measure, if anything, and what there is instead."""
        if self.name not in MEASURES:
            return f"there is no {self.name}; there are {', '.join(sorted(MEASURES))}"
        for name, value in self.options.items():
            if name not in self._declared:
                own = ", ".join(self._definition.options) or "none of its own"
                return (
                    f"{self.name} has no option {name}; it has {own}; "
                    f"all measures have {', '.join(OF_ALL)}"
                )
            fault = self._declared[name].fault(value)
            if fault:
                return f"{name} {fault}"
        return self._cutoff_fault()

    def _cutoff_fault(self) -> str | None:
        rule = self._definition.cutoff
        if self.cutoff is None:
            return f"needs a cutoff, as in {self.name}@10" if rule == "required" else None
        if rule == "none":
            return f"{self.name} takes no cutoff"
        if isinstance(self.cutoff, bool) or not isinstance(self.cutoff, int) or self.cutoff < 1:
            return "a cutoff is a rank, from 1"
        return None


NAME = r"[A-Za-z][A-Za-z0-9_]*\+?"
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
VALUE = rf"'[^'\\]*'|\"[^\"\\]*\"|{NUMBER}"
OPTION = rf"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*({VALUE})\s*"
WHOLE = re.compile(
    rf"\s*(?P<name>{NAME})\s*(?:\((?P<options>(?:{OPTION})(?:,{OPTION})*|\s*)\))?"
    r"\s*(?:@\s*(?P<cutoff>[0-9]+))?\s*"
)
LONGEST = 200


def parse(text: str) -> Measure:
    """The measure that a text names.

    Raises:
        MeasureNameError: the text does not follow the grammar; the measure, one of its options or
            the option's value does not exist; a cutoff is missing, not taken, or below 1.

    >>> parse("nDCG(dcg='jk')@10")
    Measure(name='nDCG', options={'dcg': 'jk'}, cutoff=10)
    >>> str(parse(' nDCG( dcg = "log2" ) @ 10'))
    'nDCG@10'
    >>> parse("NDCG@10")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    evaluation.measures.names.MeasureNameError: measure “NDCG@10”: there is no NDCG; there are ...
    """
    found = WHOLE.fullmatch(text) if len(text) <= LONGEST else None
    if not found:
        shown = text if len(text) <= LONGEST else text[:LONGEST] + "..."
        fault = "not of the form Name(option=value)@cutoff, as in nDCG@10 or nDCG(dcg='jk')@10"
        raise MeasureNameError(shown, fault)
    pairs = re.findall(OPTION, found["options"] or "")
    options = {name: _value(literal) for name, literal in pairs}
    if len(options) < len(pairs):
        raise MeasureNameError(text, "an option is given twice")
    cutoff = int(found["cutoff"]) if found["cutoff"] else None
    try:
        return Measure(found["name"], options, cutoff)
    except MeasureNameError as error:
        raise MeasureNameError(text, error.fault) from None


def _value(literal: str) -> Value:
    if literal[0] in "'\"":
        return literal[1:-1]
    return int(literal) if re.fullmatch(r"[-+]?[0-9]+", literal) else float(literal)


def literal(value: Value) -> str:
    """A value as it is written: numbers without a needless '.0'.

    >>> literal("jk"), literal(4.0), literal(0.8)
    ("'jk'", '4', '0.8')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _written(measure: Measure) -> str:
    options = ",".join(f"{name}={literal(value)}" for name, value in measure.options.items())
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff}"
    return measure.name + (f"({options})" if options else "") + cutoff
