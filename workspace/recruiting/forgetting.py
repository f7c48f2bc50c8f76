"""Whose id is deleted on request is forgotten here as well, and not learned again by reading."""

from contextlib import suppress
from typing import Any

from django.db.models.signals import post_delete
from django.dispatch import receiver

from judging.models import PlatformAccount
from web.sealed_ids import CannotOpen, lookups
from workspace.models import ProlificStudy, ProlificSubmission


@receiver(post_delete, sender=PlatformAccount)
def forget_participant(instance: PlatformAccount, **_: Any) -> None:
    """Empty the participant's id in what is known of their submissions: reading never fills it.

    Both rows are found by the same, but while keys are rotated; and an id that no key opens any
    more can still be forgotten.
    """
    names = {instance.found_by}
    with suppress(CannotOpen):
        names |= set(lookups(instance.external_id))
    recruiting = ProlificStudy.objects.filter(study=instance.study_id).values("pk")
    of_study = ProlificSubmission.objects.filter(recruiting__in=recruiting)
    of_study.filter(found_by__in=names).update(found_by="", sealed="")
