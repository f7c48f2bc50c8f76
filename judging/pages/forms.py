"""The forms of a worker's pages, one form a page.

`judging.flow` decides how a document's form, complete or not, is stored. Every form also sends its
button (`action`) and the name of its page (`page`), so that a late or repeated one is recognised.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.http import HttpRequest
from django.utils.formats import get_format
from django.utils.translation import gettext_lazy

from judging.flow.submission_checks import Submission, error_message
from judging.models import DocumentNote, Visit
from judging.numbers import InvalidScore, displayed_reading, parse_score
from web.bounds import field_options
from web.text import storable
from web.words import Words

MAX_LEVEL_KEYS = 9
TICK_TO_AGREE = gettext_lazy(
    "Tick the box if you agree to take part; without it the study does not begin."
)
CHOOSE_ANSWER = gettext_lazy("Choose one of the four answers.")
MAX_CODE_LENGTH = 50  # characters, blanks among them
TYPE_COMPLETION_CODE = gettext_lazy("Enter the completion code of the set.")
ENTER_CODE = gettext_lazy("Enter the code that stands at the foot of the pages.")
HOW_CODES_ARE_READ = gettext_lazy("Spaces do not matter, nor whether letters are large or small.")
LENGTH = gettext_lazy("Your number for the length of this line")
LONGER_LINE = gettext_lazy(
    "The longer the line, the larger its number. Any number above zero will do."
)
RELEVANCE = gettext_lazy("How relevant is this document to the topic?")
MORE_RELEVANT = gettext_lazy(
    "The more relevant, the larger the number: twice as relevant, twice the number. "
    "Any number above zero will do."
)
REASON = gettext_lazy("One sentence is enough: name what made the difference.")
ANY_LEVEL = gettext_lazy("Choose a level. The first is the lowest, the last the highest.")


class DescribedField(BoundField):
    form: "AnswerForm"

    @property
    def aria_describedby(self) -> str:
        previous = self.form.previous if self.name == "score" else ""
        parts = {"error": self.errors, "helptext": self.help_text, "previous": previous}
        return " ".join(f"{self.auto_id}_{part}" for part, present in parts.items() if present)


class TypedTextField(forms.CharField):
    """Text as it was typed: blanks stay, and every line end is one character."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False, "strip": False, **options})

    def to_python(self, value: Any) -> str:
        return storable(super().to_python(value) or "").replace("\r\n", "\n")

    def bound_data(self, data: Any, initial: Any) -> str:
        return self.to_python(data)


class BrowserCountField(forms.IntegerField):
    """A number that the browser counts; None: it does not say, or is not within the bounds."""

    def __init__(self, **limits: Any) -> None:
        super().__init__(required=False, **limits)

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except ValidationError:
            return None


class BrowserSecondsField(BrowserCountField, forms.FloatField):
    """How long the page could be seen, or not."""


def numbered(texts: Sequence[str]) -> list[tuple[str, str]]:
    return [(str(number), text) for number, text in enumerate(texts)]


class AnswerForm(forms.Form):
    """previous: the score given before, as it was typed."""

    bound_field_class = DescribedField

    def __init__(self, *sent: Any, previous: str = "", **options: Any) -> None:
        super().__init__(*sent, **{"auto_id": "%s", **options})
        self.previous = previous

    @property
    def previous_reading(self) -> str:
        return reading_of(self.previous)


def reading_of(score: str) -> str:
    """How a score was read, with the mark of the page's language; empty if as it was typed."""
    mark = get_format("DECIMAL_SEPARATOR")
    return displayed_reading(score, mark).replace(".", mark)


class ConsentForm(AnswerForm):
    agreed = forms.BooleanField(
        label=gettext_lazy("I have read this page, and I agree to take part."),
        error_messages={"required": TICK_TO_AGREE},
    )


class LineForm(AnswerForm):
    confirmed = TypedTextField()
    score = TypedTextField(label=LENGTH, help_text=LONGER_LINE)

    def clean_score(self) -> float:
        try:
            return parse_score(self.cleaned_data["score"], self.cleaned_data["confirmed"])
        except InvalidScore as refusal:
            raise ValidationError(error_message(refusal)) from refusal


class QuestionForm(AnswerForm):
    """Options are numbered in the order in which they are shown."""

    def __init__(self, question: str, options: Sequence[str], *sent: Any, **more: Any) -> None:
        super().__init__(*sent, **more)
        self.options = options
        self.choices = numbered(options)
        self.fields["answer"] = forms.ChoiceField(
            label=question,
            choices=self.choices,
            error_messages=dict.fromkeys(("required", "invalid_choice"), CHOOSE_ANSWER),
        )

    @property
    def chosen(self) -> str:
        return self.options[int(self.cleaned_data["answer"])]


def typed_text(request: HttpRequest) -> dict[str, str]:
    """For a form that is shown again as it is, neither checked nor stored."""
    form = TypedForm(request.POST)
    form.full_clean()
    return {name: text for name, text in form.cleaned_data.items() if name in request.POST}


class TypedForm(forms.Form):
    score = TypedTextField()
    justification = TypedTextField()
    answer = TypedTextField()
    comment = TypedTextField()
    kind = TypedTextField()
    note = TypedTextField()


class NoteForm(forms.Form):
    kind = forms.ChoiceField(choices=DocumentNote.Kind.choices)
    note = TypedTextField()

    def unsent_note(self) -> tuple[str, str] | None:
        """Kind, by default `other`, and text of a note that was not sent by its own button."""
        self.full_clean()
        kind, words = self.cleaned_data.get("kind", ""), self.cleaned_data["note"].strip()
        return (kind or DocumentNote.Kind.OTHER, words) if kind or words else None


class CodeField(TypedTextField):
    """In capitals, without blanks and without the characters in `ignored`."""

    def __init__(self, label: Words, missing: Words, ignored: str = "") -> None:
        super().__init__(
            label=label,
            help_text=HOW_CODES_ARE_READ,
            max_length=MAX_CODE_LENGTH,
            error_messages=dict.fromkeys(("required", "max_length"), missing),
        )
        self.ignored = str.maketrans("", "", ignored)

    def clean(self, value: Any) -> str:
        code = "".join(super().clean(value).split()).translate(self.ignored).upper()
        if not code:
            raise ValidationError(self.error_messages["required"])
        return code


class ResumeForm(AnswerForm):
    code = CodeField(gettext_lazy("Your resume code"), ENTER_CODE, ignored="-")


class WithdrawForm(AnswerForm):
    code = CodeField(gettext_lazy("The completion code of the set"), TYPE_COMPLETION_CODE)


class DocumentForm(AnswerForm):
    """As a page shows it; errors come from flow.

    levels: the names of a graded study's levels; none: the score is a magnitude. meanings: a
    sentence for each of them, or none.
    """

    hidden_seconds = BrowserSecondsField(**field_options(Visit, "hidden_seconds"))
    pasted_characters = BrowserCountField(**field_options(Visit, "pasted_characters"))
    score = TypedTextField(label=RELEVANCE, help_text=MORE_RELEVANT)
    justification = TypedTextField(label=gettext_lazy("Why this number?"), help_text=REASON)

    def __init__(
        self, levels: Sequence[str], *sent: Any, meanings: Sequence[str] = (), **options: Any
    ) -> None:
        super().__init__(*sent, **options)
        self.choices = numbered(levels)
        self.meanings = meanings or [""] * len(levels)
        if levels:
            self.fields["score"].help_text = ANY_LEVEL
            self.fields["justification"].label = gettext_lazy("Why this level?")

    @property
    def levels(self) -> list[tuple[str, str, str]]:
        """Number, name and meaning, which is empty where nobody wrote it."""
        return [(*choice, text) for choice, text in zip(self.choices, self.meanings, strict=True)]

    @property
    def last_key(self) -> int:
        return min(len(self.choices), MAX_LEVEL_KEYS)

    def add_errors(self, errors: Mapping[str, Words]) -> None:
        for field, message in errors.items():
            self.add_error(field, message)


SENT_FIELDS = DocumentForm.base_fields | {
    "visible_seconds": BrowserSecondsField(**field_options(Visit, "visible_seconds")),
    "since": BrowserCountField(min_value=0),  # the version of the assignment that the page showed
    "confirmed": TypedTextField(),
}


def read_submission(sent: Mapping[str, str], position: int) -> Submission:
    """Whatever is typed: none of the fields refuses it, as Back stores what is not complete."""
    values = {name: field.clean(sent.get(name)) for name, field in SENT_FIELDS.items()}
    score, since = values.pop("score"), values.pop("since")
    return Submission(position=position, score_text=score, shown_version=since or 0, **values)
