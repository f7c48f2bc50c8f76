"""What a consent text has to say."""

from judging.models import Study

PASTING_IS_RECORDED = (
    "We record how many characters you paste into a page, and for how many seconds it is hidden "
    "from view. We do not record keystrokes."
)


def names_pasting(study: Study) -> bool:
    """Whether the consent text of a study has the sentence on pasting; blanks do not matter."""
    return PASTING_IS_RECORDED in " ".join(study.consent.split())


def is_silent_on_pasting(study: Study) -> bool:
    """Whether a study records pasting while nobody has written what workers agree to."""
    return study.record_pasting and not study.consent.strip()
