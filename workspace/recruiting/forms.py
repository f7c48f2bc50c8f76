from typing import Any

from django import forms

from judging.models import Study
from judging.payments.refusals import MAX_REASON_LENGTH
from judging.platforms import PROLIFIC
from web.bounds import field_options
from workspace.models import ProlificStudy
from workspace.planning.costs import costs
from workspace.recruiting.drafts import MAX_PLACES


class Confirm(forms.Form):
    """cost: the sum that was shown on the page that asks to confirm."""

    cost = forms.DecimalField(required=False, decimal_places=2, widget=forms.HiddenInput)


class Token(forms.Form):
    token = forms.CharField(
        label="API token",
        max_length=400,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Prolific makes it under Settings, “Go to API token page”. It is stored "
        "encrypted, and no page shows more of it than its last four letters.",
    )
    workspace = forms.CharField(
        label="Workspace",
        required=False,
        max_length=200,
        help_text="Its name or id; only where your token opens several.",
    )


class Connection(forms.Form):
    connection = forms.IntegerField(widget=forms.HiddenInput)


class Limit(forms.Form):
    spending_limit = forms.DecimalField(
        label="Spending limit",
        max_digits=10,
        decimal_places=2,
        help_text="With all fees. Nothing is published, and no bonus paid, that goes beyond it.",
        **field_options(ProlificStudy, "spending_limit"),
    )


class Places(Confirm):
    more = forms.IntegerField(label="More places", min_value=1, max_value=MAX_PLACES)


class NewStudy(Confirm):
    title = forms.CharField(label="Title", max_length=120, help_text="Participants see it.")
    description = forms.CharField(
        label="Description",
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="What participants read before they take part.",
    )
    places = forms.IntegerField(label="Places", min_value=1, max_value=MAX_PLACES)
    minutes = forms.IntegerField(
        label="Minutes that a unit takes",
        min_value=1,
        max_value=600,
        help_text="Prolific works out the pay by the hour from it.",
    )
    without = forms.MultipleChoiceField(
        label="Nobody who took part in",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Prolific itself keeps them out, so no ids are needed for it.",
    )

    def __init__(self, *args: Any, others: list[ProlificStudy], **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(each.study.slug, each.study.title) for each in others]
        self.fields["without"].choices = choices  # type: ignore[attr-defined]
        if not choices:
            del self.fields["without"]


class Return(Confirm):
    submission = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(
        label="Why",
        max_length=200,
        initial="You did not complete a set of documents",
        help_text="The participant reads it.",
    )


class Rejection(Confirm):
    submission = forms.IntegerField(widget=forms.HiddenInput)
    category = forms.CharField(
        label="For what",
        required=False,
        widget=forms.Select(choices=list(PROLIFIC.rejections.items())),
    )
    reason = forms.CharField(
        label="Why",
        required=False,
        max_length=MAX_REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=f"At least {PROLIFIC.min_reason_length} characters; the participant reads them.",
    )


class Bonus(Confirm):
    bonus = forms.IntegerField(required=False, widget=forms.HiddenInput)


def form_of_new_study(study: Study, others: list[ProlificStudy], data: Any = None) -> NewStudy:
    excluded = set(study.excluded_studies.values_list("pk", flat=True))
    without = [each.study.slug for each in others if each.study_id in excluded]
    plan = costs(study)
    planned = {"places": min(plan.workers, MAX_PLACES), "minutes": plan.minutes}
    initial = {"title": study.title, "without": without, **planned}
    return NewStudy(data, auto_id="create_%s", initial=initial, others=others)
