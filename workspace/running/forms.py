from typing import Any

from django import forms

from judging.models import Batch, Study
from judging.studies.conduct.batches import Chosen
from judging.studies.conduct.exclusion import MAX_REASON_LENGTH
from web.bounds import field_options


class Empty(forms.Form):
    """A button alone."""


class Payment(forms.Form):
    payment = forms.DecimalField(
        label="Payment for a unit that is begun from now on",
        help_text="Without the platform’s fee. Pay is never lowered while people come.",
        **field_options(Study, "payment"),
    )


class Code(forms.Form):
    code = forms.CharField(
        label="Completion code",
        max_length=40,
        help_text="The worker has it from the end of the unit.",
    )


class ReleasedUnit(forms.Form):
    unit = forms.CharField(widget=forms.HiddenInput)


class Excluded(forms.Form):
    worker = forms.CharField(label="Worker", help_text="The pseudonym, as the monitor has it.")
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        label="Why",
        help_text="Kept in the trail. The worker does not see it.",
    )


class Readmitted(forms.Form):
    worker = forms.CharField(widget=forms.HiddenInput)


class Counting(forms.Form):
    """Whether the judgments of batches count beyond the redundancy."""

    all_judgments = forms.BooleanField(required=False, widget=forms.HiddenInput)


class NewBatch(forms.Form):
    documents = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label="Topics and documents",
        help_text="A line for each topic: its number, and behind it documents if only some are to "
        "be judged more often, as in <code>402 FT911-1 FT911-7</code>. Empty: all topics.",
    )
    redundancy = forms.IntegerField(
        label="More judgments of each document", initial=1, **field_options(Batch, "redundancy")
    )
    all_judgments = forms.BooleanField(
        required=False,
        initial=True,
        label="All judgments count",
        help_text="Also those beyond the redundancy, at once.",
    )
    number = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def clean_documents(self) -> Chosen | None:
        chosen: dict[str, list[str]] = {}
        for line in self.cleaned_data["documents"].splitlines():
            if names := line.split():
                chosen.setdefault(names[0], []).extend(names[1:])
        return chosen or None


def lines_of(chosen: Chosen) -> str:
    """What `NewBatch` reads as these documents."""
    return "\n".join(" ".join((topic, *documents)) for topic, documents in chosen.items())


def add_faults(form: forms.Form, faults: list[Any]) -> None:
    for fault in faults:
        name = fault.where[0] if fault.where else ""
        form.add_error(name if name in form.fields else None, fault.what)
