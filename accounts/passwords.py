"""Forms that ask for a new password, in the words of our other forms."""

from typing import TYPE_CHECKING, Any

from allauth.account import forms as allauth

if TYPE_CHECKING:
    from django.forms import Form as Asks
else:
    Asks = object

# What the validators of the settings ask for, in one sentence.
RULES = (
    "At least 8 characters, not digits alone, no password that many people use, nothing like your "
    "name, and more than words of this site."
)
LABELS = {
    "oldpassword": "Your password as it is now",
    "password1": "New password",
    "password2": "The new password once more",
}


class Worded(Asks):
    """A form whose fields of passwords say once what is asked, and show nothing in its place."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, label in LABELS.items():
            if name in self.fields:
                self.fields[name].label = label
                self.fields[name].widget.attrs.pop("placeholder", None)
        self.fields["password1"].help_text = RULES
        self.fields["password2"].help_text = ""


class ChangedPassword(Worded, allauth.ChangePasswordForm):
    """Somebody's own password, changed by the old one."""


class FirstPassword(Worded, allauth.SetPasswordForm):
    """The password of somebody who has none."""


class ForgottenPassword(Worded, allauth.ResetPasswordKeyForm):
    """A new password, by the link of a letter or of an admin."""
