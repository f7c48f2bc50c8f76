"""Personal links: an address for each participant on a study's list, signed by the site.

A link names its participant by a number, as the id on the list is personal data. It is valid as
long as the list has them.
"""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.core import signing

from judging.models import Participant, Study

PARAMETER = "person"


def personal_links(study: Study, entry: str) -> Iterator[tuple[str, str]]:
    signer = _signer(study)
    for listed in sorted(study.participants.all(), key=lambda listed: listed.external_id):
        token = signer.sign(str(listed.pk))
        yield listed.external_id, f"{entry}?{urlencode({PARAMETER: token})}"


def participant_of(study: Study, token: str) -> Participant | None:
    """Whom a personal link of this study names; None: nobody who is on the list."""
    try:
        key = int(_signer(study).unsign(token))
    except (signing.BadSignature, ValueError):
        return None
    return Participant.objects.filter(study=study, pk=key).first()


def _signer(study: Study) -> signing.Signer:
    """Another study's links are not valid in this one."""
    return signing.Signer(salt=f"{PARAMETER}:{study.pk}")
