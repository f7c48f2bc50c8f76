from typing import Any

from django import forms

from judging.models import Payment
from judging.payments.pay_lists import LAYOUTS
from judging.payments.refusals import MAX_REASON_LENGTH, platform_of_payment

DECISIONS = {"approve": "Approve them", "paid": "Mark them as paid"}


class PlatformPayments(forms.Form):
    """All payments of a platform, up to the newest when the page was shown."""

    platform = forms.CharField(required=False, widget=forms.HiddenInput)
    newest = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)


class PaymentList(forms.Form):
    names = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label="Codes or ids",
        help_text="Completion codes, or ids of submissions or participants.",
    )
    file = forms.FileField(
        required=False,
        label="Or a file",
        help_text="Of codes or ids, or a platform’s CSV file: its rows whose status is not "
        "approved or paid are passed over.",
    )
    decision = forms.ChoiceField(
        choices=list(DECISIONS.items()), label="What to do", initial="paid"
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if file := cleaned.pop("file", None):
            try:
                cleaned["names"] = f"{file.read().decode('utf-8-sig')}\n{cleaned['names']}"
            except UnicodeDecodeError:
                self.add_error("file", "This is no text in UTF-8: save it as CSV.")
        if not (self.errors or cleaned.get("names", "").strip()):
            self.add_error("names", "Enter codes or ids, or choose a file.")
        return cleaned


class Refusal(forms.Form):
    category = forms.ChoiceField(label="For what")
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 4}), label="Why"
    )

    def __init__(self, payment: Payment, *args: Any) -> None:
        super().__init__(*args)
        platform = platform_of_payment(payment)
        kinds = [(name, f"{name}: {words}") for name, words in platform.refusals.items()]
        self.fields["category"].choices = kinds  # type: ignore[attr-defined]
        limit = platform.min_reason_length
        length = f"At least {limit} characters: the platform asks for them. " if limit > 1 else ""
        self.fields["reason"].help_text = f"{length}Write it as the worker may read it."


class PaymentFilter(forms.Form):
    layout = forms.ChoiceField(choices=[(name, name) for name in LAYOUTS], required=False)
    platform = forms.CharField(required=False)
    state = forms.ChoiceField(choices=[("", "any"), *Payment.State.choices], required=False)

    def filters(self) -> dict[str, str]:
        named = {name: self.cleaned_data[name] for name in ("platform", "state")}
        return {name: value for name, value in named.items() if value or name in self.data}
