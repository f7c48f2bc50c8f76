"""Crowd workers: a pseudonym for the data and, apart from it, the account to be paid."""

from django.db import models
from django.db.models import Q

from judging.models.collection import id_field
from judging.models.study import Study
from web.encryption import EncryptedField, digest_field


class Worker(models.Model):
    """A random pseudonym in one study. No name, address or browser is stored."""

    study = models.ForeignKey(  # "pseudonym_once" is its index
        Study, on_delete=models.CASCADE, related_name="workers", db_index=False
    )
    pseudonym = id_field()
    simulated = models.BooleanField(default=False)
    consented_at = models.DateTimeField(
        null=True, help_text="When they consented; empty for imported workers and models."
    )
    consent_version = models.CharField(max_length=16, help_text="Digest of the texts agreed to.")
    practised = models.BooleanField(default=False)
    verified = models.BooleanField(
        default=False, help_text="On the study's list, or vouched for by a platform."
    )
    resume_code = models.CharField(
        max_length=10, blank=True, help_text="Proves on another device that it is the same worker."
    )
    excluded_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when no computation takes the worker's scores."
    )
    exclusion_reason = models.TextField(blank=True, db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "pseudonym"], name="pseudonym_once"),
            models.CheckConstraint(
                condition=Q(excluded_at__isnull=True, exclusion_reason="")
                | (Q(excluded_at__isnull=False) & ~Q(exclusion_reason="")),
                name="excluded_for_a_reason",
            ),
            models.UniqueConstraint(
                fields=["study", "resume_code"],
                condition=~Q(resume_code=""),
                name="resume_code_once",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class Comment(models.Model):
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="comments")
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="comment_says_something")]

    def __str__(self) -> str:
        return f"comment of worker {self.worker_id}"


class PlatformAccount(models.Model):
    """A participant platform's ids of a worker: personal data, for payment only.

    `external_id` is that of the person, `ids` are the platform's of study and session.
    """

    worker = models.OneToOneField(Worker, on_delete=models.CASCADE, related_name="account")
    study = models.ForeignKey(Study, on_delete=models.CASCADE)
    platform = models.CharField(max_length=20)
    external_id_hash = digest_field()
    external_id = EncryptedField(row=("worker_id",), digest="external_id_hash")
    ids = EncryptedField(row=("worker_id",), default=dict)
    submission_over = models.BooleanField(
        default=False, help_text="The platform says that it was returned, or has timed out."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "platform", "external_id_hash"], name="account_once"
            ),
            models.CheckConstraint(condition=~Q(external_id_hash=""), name="account_has_an_id"),
        ]

    def __str__(self) -> str:
        return f"{self.platform} account of worker {self.worker_id}"


class Participant(models.Model):
    """Somebody on a study's list of participants, by a platform's id: personal data."""

    study = models.ForeignKey(  # "participant_once" is its index
        Study, on_delete=models.CASCADE, related_name="participants", db_index=False
    )
    external_id_hash = digest_field()
    external_id = EncryptedField(row=("study_id", "external_id_hash"), digest="external_id_hash")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "external_id_hash"], name="participant_once"),
            models.CheckConstraint(condition=~Q(external_id_hash=""), name="participant_has_an_id"),
        ]

    def __str__(self) -> str:
        return f"participant {self.pk} of {self.study_id}"


class WrongResumeCode(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, db_index=False)
    worker = models.ForeignKey(
        Worker, null=True, on_delete=models.CASCADE, help_text="Whose code was guessed, if one's."
    )
    address = models.CharField(
        max_length=64, db_default="", help_text="Of the sender, hashed by a key of the day."
    )
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["at"], name="wrong_codes_lately")]

    def __str__(self) -> str:
        return f"in study {self.study_id} at {self.at:%c}"
