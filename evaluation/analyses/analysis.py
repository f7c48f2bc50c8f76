"""What an analysis is: a question about a study, and the function that answers it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation import VERSION
from evaluation.analyses.question import USUAL, Question
from evaluation.analyses.study.data import StudyData
from evaluation.analyses.study.fits import Fitting, any_study
from evaluation.analyses.telling.parts import Analysed, Table, Tell, first_sentence
from judging.models import Study

Numbers = Mapping[str, Any]  # those of a computed analysis, by name


@dataclass(frozen=True)
class Analysis:
    """A question about a study and its answer. It goes by the name of its module.

    asks: the question, which is its heading. analyse: computes the answer from a StudyData, with a
    Tell for progress, and with a Question if the analysis takes any.
    """

    name: str
    asks: str
    analyse: Callable[..., Analysed]
    # Says for a paper how the numbers were drawn at random, or with which parameters.
    methods: Callable[[StudyData, Numbers], str] | None = None
    # Which studies it is for, and why not for others.
    fits: Fitting = any_study
    # What it can be asked, of question.ASKABLE; then `analyse` takes a Question, too.
    takes: tuple[str, ...] = ()
    # Tables that are not kept, but read from the database whenever somebody looks.
    live: Callable[[Study, str], Iterable[Table]] | None = None
    # It reads other studies of the collection, and is old when they change.
    of_others: bool = False
    # The title of its first figure is its finding; else the first sentence of what it says.
    titled: bool = False
    # By its numbers: it looked for something and did not find it. One without a part has nothing.
    nothing: Callable[[Numbers], bool] | None = None

    def of(
        self,
        data: StudyData,
        tell: Tell = lambda share: None,
        asked: Question = USUAL,
    ) -> dict[str, Any]:
        """The analysis of a study, as it is kept, with what it was computed from."""
        question = (asked,) if self.takes else ()
        return self.analyse(data, tell, *question).kept(data.study.mark) | {
            "units": len(data.units),
            "judgments": len(data.judgments),
            "label_set": data.label_set,
            "seed": data.seed,
            "crowd": data.study.mark or "people",
            "code_version": VERSION,
        }

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
        tables = [table.kept() for table in self.live(study, label_set)]
        return result | {"parts": [*result["parts"], *tables]}
