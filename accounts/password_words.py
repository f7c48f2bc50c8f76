from django.conf import settings
from django.core.exceptions import ValidationError

from accounts.models import User

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
