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
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from magnitudes.gains.catalogue import NamedGain
from magnitudes.measures.catalogue import (
    AMBIGUOUS,
    KNOWN,
    MEASURES,
    OF_ALL,
    Definition,
    Option,
    Value,
    literal,
)


class MeasureNameError(ValueError):
    """A text that names no measure: the text, its fault, and what there is instead."""

    def __init__(self, text: str, fault: str) -> None:
        super().__init__(text, fault)
        self.text = text
        self.fault = fault

    def __str__(self) -> str:
        return f"measure “{self.text}”: {self.fault}"


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
        options = {
            name: option.as_kind(self.options[name])
            for name, option in self._declared.items()
            if name in self.options and self.options[name] != option.default
        }
        object.__setattr__(self, "options", options)

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
        options = [(declared[name], value) for name, value in self.options.items()]
        numbers = (str(value) for option, value in options if value in option.per_topic)
        others = (option.needs[value] for option, value in options if value in option.needs)
        return (*self._definition.needs, *numbers, *others)

    @property
    def short(self) -> str:
        """Its name for people, in tables and sentences; `parse` reads it back.

        What a study of magnitudes takes in any case is left out.

        >>> parse("nDCG(dcg='jk')@10").short, parse("P(rel='anchors')@5").short
        ('nDCG-JK@10', 'P@5')
        >>> parse("P(rel=2)@5").short
        'P(rel=2)@5'
        """
        suffix = "".join(f"-{brief}" for brief, _ in self._labels)
        return _written(Measure(self.name, self._unlabelled_options, self.cutoff), suffix)

    @property
    def title(self) -> str:
        """Its name for people, in headings.

        >>> [parse(text).title for text in ("nDCG(dcg='jk')@10", "RBP(p=0.9)", "ERR@10")]
        ['nDCG (Järvelin & Kekäläinen) at 10', 'RBP (p=0.9)', 'ERR at 10']
        """
        options = [f"{name}={literal(value)}" for name, value in self._unlabelled_options.items()]
        details = ", ".join([*(full for _, full in self._labels), *options])
        at = "" if self.cutoff is None else f" at {self.cutoff}"
        return self.name + (f" ({details})" if details else "") + at

    @property
    def _labels(self) -> list[tuple[str, str]]:
        """In short and in full, of the options that have a name for people."""
        declared = ((self._declared[name].labels, value) for name, value in self.options.items())
        return [labels[value] for labels, value in declared if value in labels]

    @property
    def _unlabelled_options(self) -> dict[str, Value]:
        """The options that no name says, and that are not what every study of magnitudes takes."""
        return {
            name: value
            for name, value in self.options.items()
            if value != self._declared[name].in_study and value not in self._declared[name].labels
        }

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

    def evaluate(
        self, ranked: ArrayLike, judged: ArrayLike, **known: ArrayLike
    ) -> NDArray[np.float64]:
        """The measure's values; shapes and conventions are those of `magnitudes.measures`.

        `ranked` is as `filling.fill` gives it. `known` has at least what `needs` lists; more does
        no harm.

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
        wanted = (*definition.needs, *definition.uses)
        options |= {name: known[name] for name in wanted if name in known}
        if definition.cutoff != "none":
            options["k"] = self.cutoff
        return definition.function(ranked, judged, **options)

    def ask_for(self, known: Container[str]) -> None:
        """MeasureNameError if not all that this measure `needs` is known."""
        if missing := {name for name in self.needs if name not in known}:
            what = ", ".join(KNOWN.get(name, name) for name in sorted(missing))
            raise MeasureNameError(str(self), f"needs {what}; not known here")

    def goes_with(self, gains: NamedGain) -> None:
        """MeasureNameError if this measure cannot be computed with such gains.

        GAP takes the best documents for relevant to everybody. With weights of user disagreement
        that at least M of N users find a document best, and M above 1, they are not: Demeester and
        others (WSDM 2014), section 4.4.

        >>> from magnitudes.gains import named
        >>> parse("GAP@10").goes_with(named.parse("udm:1/3"))
        >>> parse("GAP@10").goes_with(named.parse("udm:2/3"))
        Traceback (most recent call last):
            ...
        magnitudes.measures.names.MeasureNameError: measure “GAP@10”: needs M = 1 in udm:M/N
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
        if self.name in AMBIGUOUS:
            return f"there is no {self.name}: {AMBIGUOUS[self.name]}"
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
SUFFIX = r"-[A-Za-z]+(?:-[A-Za-z]+)*"
NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
VALUE = rf"'[^'\\]*'|\"[^\"\\]*\"|{NUMBER}"
OPTION = rf"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*({VALUE})\s*"
WHOLE = re.compile(
    rf"\s*(?P<name>{NAME})(?P<suffix>{SUFFIX})?\s*(?:\((?P<options>(?:{OPTION})(?:,{OPTION})*|\s*)\))?"
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
    >>> str(parse("nDCG-JK@10"))
    "nDCG(dcg='jk')@10"
    >>> str(parse(' nDCG( dcg = "log2" ) @ 10'))
    'nDCG@10'
    >>> parse("NDCG@10")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    magnitudes.measures.names.MeasureNameError: measure “NDCG@10”: there is no NDCG; there are ...
    """
    parts = WHOLE.fullmatch(text) if len(text) <= LONGEST else None
    if not parts:
        shown = text if len(text) <= LONGEST else text[:LONGEST] + "..."
        fault = "not of the form Name(option=value)@cutoff, as in nDCG@10 or nDCG(dcg='jk')@10"
        raise MeasureNameError(shown, fault)
    pairs = [
        (name, _value(written)) for name, written in re.findall(OPTION, parts["options"] or "")
    ]
    pairs += _option_of_suffix(text, parts["name"], parts["suffix"])
    options = dict(pairs)
    if len(options) < len(pairs):
        raise MeasureNameError(text, "an option is given twice")
    cutoff = int(parts["cutoff"]) if parts["cutoff"] else None
    try:
        return Measure(parts["name"], options, cutoff)
    except MeasureNameError as error:
        raise MeasureNameError(text, error.fault) from None


def _option_of_suffix(text: str, name: str, suffix: str | None) -> list[tuple[str, Value]]:
    """The option that the end of a short name says, as -JK in nDCG-JK."""
    if not suffix:
        return []
    declared = MEASURES[name].options if name in MEASURES else {}
    for option, about in declared.items():
        for value, (brief, _) in about.labels.items():
            if suffix == f"-{brief}":
                return [(option, value)]
    raise MeasureNameError(text, f"there is no {name}{suffix}")


def short(text: str) -> str:
    """The short name of a measure by its canonical one; any other text as it is.

    It raises no error.

    >>> short("nDCG(dcg='jk')@10"), short("topic (all)")
    ('nDCG-JK@10', 'topic (all)')
    """
    if "(" not in text:
        return text
    try:
        return parse(text).short
    except MeasureNameError:
        return text


def _value(written: str) -> Value:
    if written[0] in "'\"":
        return written[1:-1]
    return int(written) if re.fullmatch(r"[-+]?[0-9]+", written) else float(written)


def _written(measure: Measure, suffix: str = "") -> str:
    options = ",".join(f"{name}={literal(value)}" for name, value in measure.options.items())
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff}"
    return measure.name + suffix + (f"({options})" if options else "") + cutoff
