from typing import TYPE_CHECKING, Any

from allauth.account import forms as allauth

if TYPE_CHECKING:
    from django.forms import Form as FormBase
else:
    FormBase = object

# The rules of AUTH_PASSWORD_VALIDATORS in one sentence.
RULES = (
    "At least 8 characters, not digits alone, no password that many people use, nothing like your "
    "name, and more than words of this site."
)
LABELS = {
    "oldpassword": "Your password as it is now",
    "password1": "New password",
    "password2": "The new password once more",
}


class PasswordFieldTexts(FormBase):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, label in LABELS.items():
            if name in self.fields:
                self.fields[name].label = label
                self.fields[name].widget.attrs.pop("placeholder", None)
        self.fields["password1"].help_text = RULES
        self.fields["password2"].help_text = ""


class ChangePasswordForm(PasswordFieldTexts, allauth.ChangePasswordForm):
    """Changes the user's own password."""


class SetPasswordForm(PasswordFieldTexts, allauth.SetPasswordForm):
    """For a user who has none."""


class ResetPasswordForm(PasswordFieldTexts, allauth.ResetPasswordKeyForm):
    """By a link from an e-mail or an admin."""
