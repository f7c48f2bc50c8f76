"""What can be asked of an analysis: another measure than the usual ones, other gains, a reader."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from evaluation.publishing import named_gains
from evaluation.study.applies_to import scores_of
from judging.models import Study
from magnitudes.gains import named
from magnitudes.measures.in_time.reader import Reader
from magnitudes.measures.names import Measure, MeasureNameError, parse

ASKABLE = ("measure", "gains", "reader", "first", "tries")
EVERY = ("tries",)  # what every analysis of a study that was judged here takes
MOST_TRIES = 999
ALL = "all"
FIRST = 10  # scores of a document that the paper counts
LONGEST = 60  # name of gains


class BadQuestion(ValueError):
    """It cannot be asked so; `option` is what is wrong."""

    def __init__(self, option: str, why: str) -> None:
        super().__init__(why)
        self.option = option


class Question(NamedTuple):
    """What an analysis is asked; empty: the usual. In the spelling in which it is kept."""

    measure: str = ""
    gains: str = ""
    reader: str = ""  # TBG, with a reader's numbers
    first: str = ""  # how many scores of a document count, the first; or "all"
    tries: str = ""  # only units that were completed within so many presses of Finish

    def __str__(self) -> str:
        """As in an address; empty for the usual question.

        >>> str(Question("AP@10", "udm:1/3")), str(Question())
        ('measure=AP%4010&gains=udm%3A1%2F3', '')
        """
        return urlencode({name: value for name, value in self._asdict().items() if value})

    @classmethod
    def read(cls, text: str) -> "Question":
        """What `str` has written.

        >>> Question.read(str(Question("AP@10", "udm:1/3")))
        Question(measure='AP@10', gains='udm:1/3', reader='', first='', tries='')
        """
        return cls(**dict(parse_qsl(text)))

    def of(self, study: Study) -> str:
        """What the gains are, in a sentence."""
        return f"the gains {self.gains}" if self.gains else scores_of(study)


USUAL = Question()


def question(study: Study, takes: Sequence[str], given: Mapping[str, str]) -> Question:
    """What an address asks of an analysis that takes some of ASKABLE.

    Raises:
        BadQuestion: there is no such measure, reader, or gains of this study; or measure and gains
            do not go together; or the analysis takes nothing of the kind.
    """
    takes = askable(study, takes)
    for name in ASKABLE:
        if given.get(name) and name not in takes:
            expected = f"only {' and '.join(takes)}" if takes else "no question"
            raise BadQuestion(name, f"{given[name]}: this analysis takes {expected}")
    asked = {name: given[name].strip() for name in takes if given.get(name, "").strip()}
    if "gains" in asked:
        asked["gains"] = _gains(study, asked["gains"])
    if "measure" in asked:
        asked["measure"] = str(_measure("measure", asked["measure"], asked.get("gains")))
    if "reader" in asked:
        asked["reader"] = _reader(asked["reader"])
    if "first" in asked:
        asked["first"] = _first(study, asked["first"])
    if "tries" in asked:
        asked["tries"] = _tries(asked["tries"])
    return Question(**asked)


def askable(study: Study, takes: Sequence[str]) -> tuple[str, ...]:
    """What an analysis that takes some of ASKABLE can be asked of a study."""
    return tuple(takes) if study.is_imported else (*takes, *EVERY)


def _tries(text: str) -> str:
    """Within how many presses of Finish units were completed."""
    if not (text.isdecimal() and len(text) < 10 and 1 <= int(text) <= MOST_TRIES):
        raise BadQuestion("tries", f"{text}: expected a whole number from 1 to {MOST_TRIES}")
    return str(int(text))


def _gains(study: Study, name: str) -> str:
    """Their name; none for the usual ones."""
    if len(name) > LONGEST:
        raise BadQuestion("gains", f"{len(name)} characters; expected at most {LONGEST}")
    try:
        gains = named_gains.named(study, name).name
    except named_gains.NoSuchGains as fault:
        raise BadQuestion("gains", str(fault)) from fault
    return "" if gains == named_gains.usual(study) else gains


def _measure(option: str, name: str, gains: str | None = None) -> Measure:
    try:
        measure = parse(name)
        if gains:
            measure.goes_with(named.parse(gains))
    except MeasureNameError as fault:
        raise BadQuestion(option, str(fault)) from fault
    return measure


def _reader(name: str) -> str:
    """TBG with a reader's numbers; none for those of the paper."""
    measure = _measure("reader", name)
    if measure.name != "TBG" or measure.cutoff or measure.options.keys() - Reader._fields:
        numbers = ", ".join(Reader._fields)
        raise BadQuestion("reader", f"{name}: expected TBG with some of {numbers}")
    return str(measure) if measure.options else ""


def _first(study: Study, text: str) -> str:
    """How many scores of a document count; none for as many as usual."""
    if text != ALL and not (text.isdecimal() and len(text) < 5 and int(text) > 1):
        raise BadQuestion("first", f"{text}: expected a whole number from 2 to 9999, or {ALL}")
    counted = text if text == ALL else str(int(text))
    return "" if counted == _usual_first(study) else counted


def _usual_first(study: Study) -> str:
    return ALL if study.is_imported else str(FIRST)


def first_counted(study: Study, asked: Question = USUAL) -> int | None:
    """How many scores of a document count, the first; None: all of them.

    The first ten, as in the paper, of a study that was judged here; all of labels given elsewhere.
    """
    counted = asked.first or _usual_first(study)
    return None if counted == ALL else int(counted)
