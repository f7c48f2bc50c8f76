"""The forms of setting up a study. The rules are in judging; here text becomes values."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from decimal import Decimal
from textwrap import shorten
from typing import Any, NamedTuple

from django import forms
from django.forms import BoundField
from django.utils.text import slugify

from judging.currencies import currency_choices
from judging.models import Collection, Study, StudyTopic
from judging.models.study import MAX_SEED, MAX_SENTENCE_LENGTH
from judging.platforms import platforms_taking
from judging.settings import BY_NAME, SETTINGS, Step, name_of
from judging.studies.configuration.changing import fixed_settings, plain
from judging.studies.configuration.form_fields import Lines, Paragraphs
from judging.studies.configuration.topic_settings import OPTIONS
from judging.studies.configuration.versions import EditConflict
from judging.studies.faults import BadStudy, Fault
from web.bounds import set_bounds_messages
from workspace.setup.opening import DIGEST, MAX_REASON, Terms
from workspace.setup.readiness import Doubt

# The texts of several paragraphs, each with the lines that its field shows.
WORDS = {"introduction": 6, "practice_instructions": 14, "instructions": 14, "consent": 14}
MAX_LIST_BYTES = 8_000_000  # bytes of a file of ids


class Group(NamedTuple):
    """Fields below one heading.

    platforms: names of those that take them, if only some do; is_usual: they can be left alone.
    """

    heading: str
    fields: list[BoundField]
    platforms: str
    is_usual: bool


class ErrorReportingForm(forms.Form):
    def add_faults(self, refusal: BadStudy) -> None:
        for fault in refusal.faults:
            name = fault.where[-1] if fault.where else ""
            own = name in self.fields
            self.add_error(name if own else None, fault.what if own else self.message_of(fault))

    @contextmanager
    def faults_added(self) -> Iterator[None]:
        try:
            yield
        except BadStudy as refusal:
            self.add_faults(refusal)

    def message_of(self, fault: Fault) -> str:
        return fault.line


class DrawnTopics(ErrorReportingForm):
    number = forms.IntegerField(min_value=1, label="How many")
    seed = forms.IntegerField(
        required=False, min_value=0, max_value=MAX_SEED, help_text="Leave blank for any."
    )


class Versioned(ErrorReportingForm):
    """Remembers the version of the study on which it was opened."""

    version = forms.IntegerField(widget=forms.HiddenInput)


class Percent(forms.DecimalField):
    """A share, which people write in percent; 0.20 is shown as 20%."""

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, Decimal):
            return value
        return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override]
        percent = forms.DecimalField().to_python(str(value or "").strip().removesuffix("%"))
        if percent is None:
            return None
        if 0 < percent < 1 or percent != round(percent, 2):
            raise forms.ValidationError(f"{value}; expected percent, as in 20% or 33.33%.")
        return percent / 100


class SettingsForm(forms.ModelForm, Versioned):
    def __init__(self, data: Any, study: Study, overrides: Mapping[str, Any] | None = None) -> None:
        """overrides: initial values in the place of the study's."""
        initial = {"version": study.version, **(overrides or {})}
        super().__init__(data, instance=copy(study), initial=initial)
        fixed = fixed_settings(study)
        if "pool_by" in self.fields:
            self.fields["pool_by"] = forms.ChoiceField(choices=Study.PooledBy.choices)
            self.initial["pool_by"] = self.initial["pool_by"] or Study.PooledBy.RANK
        if "labels" in self.fields:
            sets = study.collection.label_sets.values_list("name", flat=True)
            names = sorted({*sets, study.labels})
            self.fields["labels"] = forms.ChoiceField(choices=[(name, name) for name in names])
        if "currency" in self.fields and not study.pay_is_chosen:
            self._propose_no_pay(overrides or {})
        for name, field in self.fields.items():
            if setting := BY_NAME.get(name):
                field.label, field.help_text = setting.label, setting.hint
                field.disabled = name in fixed
                set_bounds_messages(field, setting.field)
            if isinstance(field.widget, forms.NumberInput):
                # A browser sends nothing of a number that it cannot read; of a text field it does.
                field.widget = forms.TextInput({"inputmode": "decimal"})
                field.widget.is_required = field.required
                self.initial[name] = _without_decimals(self.initial.get(name))

    def _propose_no_pay(self, overrides: Mapping[str, Any]) -> None:
        choices = [("", "Choose one"), *currency_choices()]
        self.fields["currency"] = forms.ChoiceField(choices=choices)
        self.initial.update({name: overrides.get(name, "") for name in ("payment", "currency")})

    def values(self) -> dict[str, Any]:
        """What may be changed, by its names in a study.toml."""
        return {
            name: self.cleaned_data[name]
            for name, field in self.fields.items()
            if name in BY_NAME and not field.disabled
        }

    @property
    def is_fixed(self) -> bool:
        return all(field.field.disabled for field in self.visible_fields())

    def message_of(self, fault: Fault) -> str:
        """Under the label of the setting, which is on another page."""
        return f"{name_of(fault.where[0])}: {fault.what}" if fault.where else fault.line

    def after_consent(self) -> list[BoundField]:
        return [field for field in self.visible_fields() if field.name != "consent"]

    def groups(self) -> list[Group]:
        """The fields by heading; those of the first have to be chosen, as of one's platform."""
        by_heading: dict[str, list[str]] = {}
        for name in self._meta.fields or ():
            by_heading.setdefault(BY_NAME[name].heading, []).append(name)
        groups: list[Group] = []
        for heading, names in by_heading.items():
            platforms = " ".join(platform.name for platform in platforms_taking(names[0]))
            is_usual = bool(groups) and not platforms
            groups.append(Group(heading, [self[name] for name in names], platforms, is_usual))
        return groups

    @property
    def usual_is_wrong(self) -> bool:
        return any(
            field.errors for group in self.groups() if group.is_usual for field in group.fields
        )

    def own_changes(self, changed: EditConflict, study: Study) -> dict[str, Any]:
        """Values changed in this form, without those that only somebody else changed."""
        before = {name: getattr(study, name) for name in self.values()}
        for entry in reversed(changed.entries):
            before |= {n: old for n, (old, _) in entry.details.get("changes", {}).items()}
        return {n: v for n, v in self.values().items() if plain(v) != plain(before[n])}


def _without_decimals(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _settings_form(step: Step) -> type[SettingsForm]:
    return forms.modelform_factory(  # type: ignore[return-value]
        Study,
        form=SettingsForm,
        fields=[setting.name for setting in SETTINGS if setting.step == step],
        field_classes={"levels": Lines, "level_descriptions": Lines, "platform_fee": Percent}
        | dict.fromkeys(WORDS, Paragraphs),
        widgets={name: forms.Textarea(attrs={"rows": rows}) for name, rows in WORDS.items()},
    )


FORMS: dict[str, type[SettingsForm]] = {
    step: _settings_form(step) for step in {setting.step for setting in SETTINGS}
}


class TitleAndName(ErrorReportingForm):
    title = forms.CharField(max_length=200, help_text="What workers read on top of every page.")
    slug = forms.SlugField(
        max_length=50,
        label="Name in addresses",
        help_text="Letters, digits, hyphens: it stands in the link that workers follow.",
    )


class NewStudy(TitleAndName):
    collection = forms.ModelChoiceField(
        Collection.objects.none(),
        to_field_name="slug",
        help_text="The topics, documents, runs and labels that it is about.",
    )
    file = forms.FileField(
        required=False,
        label="A study.toml",
        help_text="If you have one: its settings, topics and questions are taken from it.",
    )

    def __init__(self, *arguments: Any, collections: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields["collection"].queryset = collections  # type: ignore[attr-defined]
        self.fields["slug"].required = False
        hint = self.fields["slug"].help_text
        self.fields["slug"].help_text = f"{hint} Leave blank to take it from the title."

    def clean_slug(self) -> str:
        """By default made of the title."""
        slug = self.cleaned_data["slug"] or self._of_title()
        if not slug:
            raise forms.ValidationError("Enter a name, or a title with such letters.")
        return slug

    def _of_title(self) -> str:
        max_length = self.fields["slug"].max_length  # type: ignore[attr-defined]
        title = slugify(self.cleaned_data.get("title", ""))
        return shorten(title, max_length, placeholder="").strip("-")


class Opening(ErrorReportingForm):
    confirm = forms.RegexField(rf"\A{DIGEST}\Z", widget=forms.HiddenInput)
    low_pay_reason = forms.CharField(
        required=False, max_length=MAX_REASON, label="Why an hour pays less than the minimum"
    )
    read = forms.MultipleChoiceField(
        required=False,
        label="Read before it opens",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "This has changed meanwhile: read it again."},
    )

    def __init__(self, data: Any, terms: Terms, doubts: Sequence[Doubt]) -> None:
        super().__init__(data, initial={"confirm": terms.digest})
        self.doubts = {doubt.key: doubt for doubt in doubts}
        choices = [(key, doubt.what) for key, doubt in self.doubts.items()]
        self.fields["read"].choices = choices  # type: ignore[attr-defined]
        if not terms.too_low:
            self.fields["low_pay_reason"].widget = forms.HiddenInput()

    @property
    def pay_fields(self) -> list[BoundField]:
        return [self["low_pay_reason"]]

    def ticks(self) -> Iterator[tuple[Doubt, Any]]:
        return zip(self.doubts.values(), self["read"], strict=True)

    def clean_read(self) -> list[str]:
        """The warnings in words."""
        ticked = self.cleaned_data["read"]
        if unread := [doubt for key, doubt in self.doubts.items() if key not in ticked]:
            more = f", and {len(unread) - 1} more" if len(unread) > 1 else ""
            raise forms.ValidationError(f"Read and tick this first: {unread[0].what}{more}")
        return [self.doubts[key].what for key in ticked]


class RenamedStudy(TitleAndName, Versioned):
    """Another title and name for a study."""


class TypedName(ErrorReportingForm):
    typed = forms.CharField(required=False, label="Type its name in addresses")


class Question(Versioned):
    question = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Workers answer it after reading the topic, before the documents.",
    )
    right = forms.ChoiceField(
        choices=[(str(n), f"Option {n}") for n in range(1, OPTIONS + 1)],
        label="The right one",
        help_text="Workers see the options in random order.",
    )
    answer_sentence = forms.CharField(
        required=False,
        max_length=MAX_SENTENCE_LENGTH,
        label="The sentence of the topic that answers it",
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Shown after a wrong answer has ended the unit, never before; may stay empty.",
    )
    field_order = [
        "question",
        *(f"option_{n}" for n in range(1, OPTIONS + 1)),
        *("right", "answer_sentence", "version"),
    ]

    def __init__(self, data: Any, topic: StudyTopic, version: int) -> None:
        options = [*topic.options, "", "", "", ""][:OPTIONS]
        right = topic.options.index(topic.answer) + 1 if topic.answer else 1
        initial = {f"option_{n}": option for n, option in enumerate(options, 1)}
        super().__init__(
            data,
            initial={
                "question": topic.question,
                "answer_sentence": topic.answer_sentence,
                "right": right,
                "version": version,
                **initial,
            },
        )
        for number in range(1, OPTIONS + 1):
            self.fields[f"option_{number}"] = forms.CharField(label=f"Option {number}")
        self.order_fields(self.field_order)

    def values(self) -> dict[str, Any]:
        """As a table of a study.toml."""
        options = [self.cleaned_data[f"option_{n}"] for n in range(1, OPTIONS + 1)]
        answer = options[int(self.cleaned_data["right"]) - 1]
        texts = {name: self.cleaned_data[name] for name in ("question", "answer_sentence")}
        return {**texts, "options": options, "answer": answer}


class OwnPool(Versioned):
    documents = Lines(
        required=False,
        label="Documents, one id a line",
        help_text="They take the place of what runs bring in; leave blank for the runs' first "
        "documents.",
        widget=forms.Textarea(attrs={"rows": 16}),
    )


class Anchors(Versioned):
    h_k = forms.CharField(label="Relevant anchor", required=False)
    n_k = forms.CharField(label="Irrelevant anchor", required=False)


class AcceptedAnchors(ErrorReportingForm):
    anchors_reason = forms.CharField(
        label="Why these anchors are right",
        max_length=MAX_SENTENCE_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Who has read them, and what makes the one relevant and the other not.",
    )


class File(Versioned):
    file = forms.FileField(label="File")
    encoding = forms.CharField(
        required=False, help_text="If it is not UTF-8: as windows-1252, which many spreadsheets "
        "write.",
    )  # fmt: skip


class Ids(ErrorReportingForm):
    ids = forms.CharField(
        required=False,
        strip=False,
        label="Platforms’ ids, one a line",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    file = forms.FileField(required=False, label="Or a file of them", help_text="A text in UTF-8.")

    def lines_of_file(self) -> list[str]:
        """BadStudy: the file is too large, or not UTF-8."""
        file = self.cleaned_data["file"]
        if file is None:
            return []
        if file.size > MAX_LIST_BYTES:
            raise BadStudy(Fault(("file",), f"{file.size:,} bytes; expected at most 8 MB."))
        try:
            return file.read().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as fault:
            expected = "This is not UTF-8 text; expected one id a line."
            raise BadStudy(Fault(("file",), expected)) from fault
