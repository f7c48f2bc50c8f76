"""What can be asked of an analysis: another measure than the usual ones, other gains, a reader."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from evaluation import named_gains, results
from evaluation.analyses import systems
from evaluation.analyses.data import Floats, StudyData
from evaluation.analyses.fitting import scores_of
from evaluation.measures.names import Measure, MeasureNameError, parse
from evaluation.measures.reader import Reader
from judging.models import Study

ASKABLE = ("measure", "gains", "reader")
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
        Question(measure='AP@10', gains='udm:1/3', reader='')
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
    return Question(**asked)


def _gains(study: Study, name: str) -> str:
    """Their name; none for the usual ones."""
    if len(name) > LONGEST:
        raise BadQuestion("gains", f"{len(name)} characters; expected at most {LONGEST}")
    try:
        found = named_gains.named(study, name).name
    except named_gains.NoSuchGains as fault:
        raise BadQuestion("gains", str(fault)) from fault
    return "" if found == named_gains.usual(study) else found


def _measure(option: str, name: str, gains: str | None = None) -> Measure:
    try:
        found = parse(name)
        if gains:
            found.goes_with(gains)
    except MeasureNameError as fault:
        raise BadQuestion(option, str(fault)) from fault
    return found


def _reader(name: str) -> str:
    """TBG with a reader's numbers; none for those of the paper."""
    found = _measure("reader", name)
    if found.name != "TBG" or found.cutoff or found.options.keys() - Reader._fields:
        numbers = ", ".join(Reader._fields)
        raise BadQuestion("reader", f"{name}: expected TBG with some of {numbers}")
    return str(found) if found.options else ""


class Measured(NamedTuple):
    """All systems by one measure: (topics, runs)."""

    measure: Measure
    runs: list[str]
    values: Floats


def measured(data: StudyData, asked: Question, by: Measure) -> Measured:
    """Systems by a measure, one of ranks up to 10 or that which is asked for, and by the gains.

    Raises:
        NoSuchGains: nothing can be computed from these judgments.
        MeasureNameError: the measure needs what is not known.
    """
    if not asked.gains and str(by) != asked.measure:
        sources = map(systems.magnitudes, data.topics)
        return Measured(by, data.runs, systems.measure(data.topics, sources, by).values)
    found = results.table(data.study, by, asked.gains or None)
    return Measured(parse(found.measure), found.runs, found.values)
