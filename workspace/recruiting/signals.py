"""An id that is deleted on request is deleted here as well, and not read again."""

from contextlib import suppress
from typing import Any

from django.db.models.signals import post_delete
from django.dispatch import receiver

from judging.models import PlatformAccount
from web.encryption import CannotDecrypt, digests
from workspace.models import ProlificStudy, ProlificSubmission


@receiver(post_delete, sender=PlatformAccount)
def purge_participant_id(instance: PlatformAccount, **_: Any) -> None:
    """Empty the participant's id in the rows of their submissions; a sync never fills it again.

    Both rows have the same digest, except while keys are rotated; an id that no key decrypts can
    still be deleted.
    """
    hashes = {instance.external_id_hash}
    with suppress(CannotDecrypt):
        hashes |= set(digests(instance.external_id))
    recruiting = ProlificStudy.objects.filter(study=instance.study_id).values("pk")
    of_study = ProlificSubmission.objects.filter(recruiting__in=recruiting)
    of_participant = of_study.filter(participant_id_hash__in=hashes)
    of_participant.update(participant_id_hash="", participant_id="")
