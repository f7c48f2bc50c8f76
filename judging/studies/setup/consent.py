"""What a consent text has to contain."""

from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from judging.models import Study

PASTING_IS_RECORDED = gettext_noop(
    "We record how many characters you paste into a page, and for how many seconds it is hidden "
    "from view. We do not record keystrokes."
)


def sentence_on_pasting(study: Study) -> str:
    """The sentence on pasting of a consent text, in the study's language."""
    with translation.override(study.language):
        return gettext(PASTING_IS_RECORDED)


def names_pasting(study: Study) -> bool:
    """Whether the consent text of a study has the sentence on pasting; blanks do not matter."""
    return sentence_on_pasting(study) in " ".join(study.consent.split())


def is_silent_on_pasting(study: Study) -> bool:
    """Whether a study records pasting while nobody has written what workers agree to."""
    return study.record_pasting and not study.consent.strip()
