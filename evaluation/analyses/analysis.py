"""What an analysis is: a question about a study, and the function that answers it."""

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from evaluation import VERSION
from evaluation.analyses import papers
from evaluation.analyses.question import USUAL, Question
from evaluation.presentation.parts import Result, Table, first_sentence
from evaluation.results import no_measure
from evaluation.study.applies_to import AppliesTo, about_people, any_study
from evaluation.study.data import StudyData
from judging.models import Study
from judging.studies.analysis_plan import headed

Each = TypeVar("Each")
OnProgress = Callable[[float], None]  # the share done, now and then
Numbers = Mapping[str, Any]  # those of a computed analysis, by name
PEOPLE_AND_MODEL = "people and model"  # who judged what is computed of both


@dataclass(frozen=True)
class Analysis:
    """A question about a study and its answer.

    asks: the question, which is its heading. analyse: computes the answer from a StudyData, with an
    OnProgress, and with a Question if the analysis takes any.
    """

    name: str
    asks: str
    analyse: Callable[..., Result]
    # Says for a paper how the numbers were drawn at random, or with which parameters.
    methods: Callable[[StudyData, Numbers], str] | None = None
    # Which studies it is for, and why not for others.
    applies_to: AppliesTo = any_study
    # What it can be asked, of question.ASKABLE; then `analyse` takes a Question, too.
    takes: tuple[str, ...] = ()
    # Tables that are not kept, but read from the database whenever somebody looks.
    live: Callable[[Study, str], Iterable[Table]] | None = None
    # It reads other studies of the collection, and is old when they change.
    of_others: bool = False
    # It claims something about systems, which is interim until the planned end.
    of_systems: bool = False
    # It compares with labels by pairs, orders or gains: U counts as 0 where a study has it so.
    counts_unlabelled: bool = False
    # The title of its first figure is its finding; else the first sentence of what it says.
    titled: bool = False
    # By its numbers: it looked for something and did not find it. One without a part has nothing.
    nothing: Callable[[Numbers], bool] | None = None

    @property
    def of_about(self) -> bool:
        """It reads the study of people that a model's run is about, and is old when it changes."""
        return self.applies_to is about_people

    @property
    def explanation(self) -> tuple[str, str]:
        """The docstring of its module: what it is about in a line, and the paragraphs below."""
        text = inspect.cleandoc(sys.modules[self.analyse.__module__].__doc__ or "")
        title, _, paragraphs = text.partition("\n\n")
        return title.replace("\n", " "), paragraphs

    def of(
        self,
        data: StudyData,
        on_progress: OnProgress = lambda share: None,
        asked: Question = USUAL,
    ) -> dict[str, Any]:
        """The analysis of a study, as it is kept, with what it was computed from."""
        interim = data.interim if self.of_systems else ""
        crowd = PEOPLE_AND_MODEL if self.of_about else data.study.mark
        mark = ", ".join(filter(None, (crowd, interim)))
        result = self.answer(data, on_progress, asked).to_json(
            mark, beside_paper=papers.is_comparable(data.study)
        )
        if interim and result["parts"]:
            result = _headed(result, interim)
        if papers.MAGNITUDES in papers.with_analysis(self.name) and result["parts"]:
            result["says"] += papers.why_not_comparable(data.study)
        return result | {
            "units": len(data.units),
            "judgments": len(data.judgments),
            "label_set": data.label_set,
            "seed": data.seed,
            "crowd": crowd or "people",
            "code_version": VERSION,
        }

    def answer(
        self,
        data: StudyData,
        on_progress: OnProgress = lambda share: None,
        asked: Question = USUAL,
    ) -> Result:
        """What it says of a study; with how many unlabelled documents count as 0, where some do."""
        if self.of_systems and data.study.used_cutoff is None and not asked.measure:
            return Result([f"Systems are not compared: {no_measure(data.study)}."])
        answer = self.analyse(data, on_progress, *((asked,) if self.takes else ()))
        if self.counts_unlabelled and answer.parts and data.with_zeros is not data:
            return answer.counting(data.unlabelled, data.has_anchors)
        return answer

    def finding(self, result: dict[str, Any]) -> str:
        """What a result says, in a sentence; without a full stop at its end."""
        figures = (part["says"] for part in result["parts"] if part["kind"] == "figure")
        title = next(figures, "") if self.titled else ""
        return title or first_sentence(result["says"])

    def found_nothing(self, titles: Mapping[str, str], numbers: Numbers) -> bool:
        """Whether a kept result, of which these are known, found nothing to show."""
        return not titles or bool(self.nothing and self.nothing(numbers))

    def with_live(
        self, study: Study, label_set: str, result: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        """A kept result, followed by the tables that are not kept."""
        if result is None or self.live is None:
            return result
        tables = [table.to_json() for table in self.live(study, label_set)]
        return result | {"parts": [*result["parts"], *tables]}


def analysis(asks: str, **about: Any) -> Callable[[Callable[..., Result]], Analysis]:
    """Declares a function `analyse` as the analysis that its module is, and is named after.

    about: further fields.
    """
    return lambda of: Analysis(of.__module__.rpartition(".")[2], asks, of, **about)


def tracked(every: Collection[Each], on_progress: OnProgress) -> Iterator[Each]:
    """One after the other; the share done is reported after each."""
    for done, each in enumerate(every, 1):
        yield each
        on_progress(done / len(every))


def _headed(result: dict[str, Any], interim: str) -> dict[str, Any]:
    """A result whose sentences, figures and tables bear what heads them until the planned end."""
    says = [headed(text, interim) for text in result["says"][:1]] + result["says"][1:]
    parts = [part | {"says": headed(part["says"], interim)} for part in result["parts"]]
    return result | {"says": says, "parts": parts}
