"""Runs in which a language model judges a study, and what it answered."""

import secrets
from decimal import Decimal
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models import Study, Unit
from judging.models.study import MAX_SEED
from web.bounds import between, bounded, whole_between
from web.encryption import EncryptedField

MAX_SEED_SENT = 2**31 - 1  # endpoints read seeds as integers of 32 bits


def draw_seed() -> int:
    return secrets.randbelow(MAX_SEED_SENT)


def _price(name: str) -> models.DecimalField:
    return models.DecimalField(
        name, max_digits=10, decimal_places=4, validators=between(0, 100_000)
    )


def _amount() -> models.DecimalField:
    return models.DecimalField(
        max_digits=20, decimal_places=8, default=0, validators=between(0, 10**11)
    )


@bounded
class ModelRun(models.Model):
    """A language model that judges the units of its study. Money is in the study's currency.

    reserved: what requests under way may cost at most, beside `cost`. why: why it was paused, where
    nobody did so.
    """

    # What answers depend on, and what may change while it judges, as may the key.
    ASKED = ("endpoint", "model", "temperature", "seed", "max_answer_tokens")
    LIMITS = ("price_in", "price_out", "max_cost", "requests_per_minute", "parallel")

    class State(models.TextChoices):
        DRAFT = "draft"
        RUNNING = "running"
        PAUSED = "paused"
        STOPPED = "stopped", "Stopped for good"
        DONE = "done"

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="model_run")
    endpoint = models.CharField(max_length=50, help_text="One of the operator's list, by its name.")
    model = models.CharField(max_length=200, help_text="As the endpoint calls it.")
    temperature = models.FloatField(
        default=0, validators=between(0, 2), help_text="0: as little by chance as possible."
    )
    seed = models.PositiveBigIntegerField(
        default=draw_seed,
        validators=whole_between(0, MAX_SEED),
        help_text="Of the units, the orders of documents and the conversations.",
    )
    max_answer_tokens = models.PositiveIntegerField(
        "maximum tokens of an answer",
        default=1_000,
        validators=whole_between(16, 100_000),
        help_text="Those of its reasoning included.",
    )
    key = EncryptedField(row=("study_id",), blank=True)
    price_in = _price("price of a million tokens sent")
    price_out = _price("price of a million tokens answered")
    max_cost = models.DecimalField(
        "maximum cost",
        max_digits=10,
        decimal_places=2,
        validators=between(Decimal("0.01"), 1_000_000),
        help_text="Before a request could exceed it, the run is paused.",
    )
    requests_per_minute = models.PositiveIntegerField(
        default=60, validators=whole_between(1, 6_000)
    )
    parallel = models.PositiveSmallIntegerField(
        "units at a time", default=4, validators=whole_between(1, 16)
    )
    may_send_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    may_send_at = models.DateTimeField(
        null=True, blank=True, help_text="When somebody confirmed that texts may be sent."
    )
    state = models.CharField(max_length=7, choices=State, default=State.DRAFT)
    why = models.TextField(blank=True)
    requests = models.PositiveBigIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost = _amount()
    reserved = _amount()
    began_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "running", "paused", "stopped", "done"]),
                name="model_run_state_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="running") | Q(may_send_at__isnull=False, why=""),
                name="model_run_may_send",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} in {self.study}"

    @property
    def address(self) -> str:
        """Of its endpoint; empty: the operator no longer lists it."""
        listed: dict[str, str] = settings.MODEL_ENDPOINTS
        return listed.get(self.endpoint, "")

    def settings_sent(self, unit: Unit) -> dict[str, Any]:
        """What answers depend on beside the messages. Each unit has a seed of its own, the same in
        another run of the same seed.
        """
        digest = sha256(f"{self.seed} {unit}".encode()).digest()
        return {
            "model": self.model,
            "temperature": self.temperature,
            "max_completion_tokens": self.max_answer_tokens,
            "seed": int.from_bytes(digest[:8]) % MAX_SEED_SENT,
        }

    def price(self, tokens_in: float, tokens_out: float) -> Decimal:
        exact = Decimal(tokens_in) * self.price_in + Decimal(tokens_out) * self.price_out
        return (exact / 1_000_000).quantize(Decimal("1e-8"))


class StoredAnswer(models.Model):
    """One answer of the endpoint, stored before anything is read from it.

    A unit's answers, in their order, are its conversation; added: the messages before this answer
    that come after the one before.
    """

    run = models.ForeignKey(  # "answer_once_a_run" is its index
        ModelRun, on_delete=models.CASCADE, related_name="answers", db_index=False
    )
    unit = models.ForeignKey(Unit, on_delete=models.CASCADE, related_name="model_answers")
    digest = models.CharField(
        max_length=64, db_index=True, help_text="Of address, settings and all messages."
    )
    added = models.JSONField()
    text = models.TextField(blank=True, help_text="What it answered.")
    tokens_in = models.PositiveIntegerField()
    tokens_out = models.PositiveIntegerField()
    is_estimated = models.BooleanField(help_text="The endpoint did not say how many tokens.")
    cost = models.DecimalField(
        max_digits=20, decimal_places=8, help_text="0 if another run had paid for the answer."
    )
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "digest"], name="answer_once_a_run"),
        ]

    def __str__(self) -> str:
        return f"{self.digest[:8]} in {self.run_id}"
