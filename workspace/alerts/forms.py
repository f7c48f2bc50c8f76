"""What is typed about alerts."""

from typing import Any

from django import forms

from judging.models import Study
from workspace.alerts.channels import mail_recipients, settings_of
from workspace.models import AlertSettings

MAX_URL_LENGTH: int = AlertSettings._meta.get_field("webhook_url").max_length  # type: ignore[assignment]


class Channels(forms.Form):
    """Whom alerts go to."""

    webhook_url = forms.CharField(
        required=False,
        max_length=MAX_URL_LENGTH,
        label="Webhook",
        help_text="An address that begins with https:// and is on the public internet. Each "
        "request to it is signed. Empty: none.",
        widget=forms.URLInput(attrs={"spellcheck": "false"}),
    )
    field_order = ("mail_to", "webhook_url")

    def __init__(self, study: Study, data: Any = None) -> None:
        row = settings_of(study)
        chosen = {"mail_to": row.mail_to.all(), "webhook_url": row.webhook_url} if row else {}
        super().__init__(data, initial=chosen)
        recipients = mail_recipients(study)
        self.fields["mail_to"] = forms.ModelMultipleChoiceField(
            recipients,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            label="E-mail",
            help_text="Those of the team who have an e-mail address."
            if recipients.exists()
            else "Nobody of the team has an e-mail address yet.",
        )
        self.order_fields(self.field_order)
