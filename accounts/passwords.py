from typing import TYPE_CHECKING, Any

from allauth.account import forms as allauth
from django.conf import settings
from django.core.exceptions import ValidationError

from accounts.models import User

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
    "oldpassword": "Current password",
    "password1": "New password",
    "password2": "New password, again",
}

WORDS = (
    *("magnitudes", "magnitude", "relevance", "judgments", "judgment", "judging", "judge"),
    *("retrieval", "rankings", "ranking", "research", "prolific", "study", "crowd"),
)
MIN_OTHER_LENGTH = 6  # characters besides these words
MIN_NAME_LENGTH = 4  # characters of a part of a host name that counts as a word


class SiteWordsValidator:
    """Refuses a password with few characters besides words of the field and the site's name."""

    def validate(self, password: str, user: User | None = None) -> None:
        rest = password.lower()
        for word in sorted({*WORDS, *_names()}, key=len, reverse=True):
            rest = rest.replace(word, "")
        if len(rest) < MIN_OTHER_LENGTH and rest != password.lower():
            raise ValidationError(self.get_help_text(), code="password_of_the_site")

    def get_help_text(self) -> str:
        return "Words of this site and a few characters more are no password."


def _names() -> set[str]:
    parts = {part for host in settings.ALLOWED_HOSTS for part in host.lower().split(".")}
    return {part for part in parts if len(part) >= MIN_NAME_LENGTH}


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
