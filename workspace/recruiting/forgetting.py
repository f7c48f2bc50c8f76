"""Whose id is deleted on request is forgotten here as well, and not learned again by reading."""

from typing import Any

from django.db.models.signals import post_delete
from django.dispatch import receiver

from judging.models import PlatformAccount
from workspace.models import ProlificSubmission


@receiver(post_delete, sender=PlatformAccount)
def forget_participant(instance: PlatformAccount, **_: Any) -> None:
    """Empty the participant's id in what is known of their submissions: reading never fills it."""
    of_study = ProlificSubmission.objects.filter(recruiting__study=instance.study_id)
    of_study.known_as(instance.external_id).update(found_by="", sealed="")
