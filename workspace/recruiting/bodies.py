"""What requests about recruiting on Prolific bring, and what is answered."""

from typing import Any

from rest_framework import serializers

from judging.payments.refusals import MAX_REASON_LENGTH
from web.bounds import field_options
from web.rest.bodies import Body, Decimal
from workspace.models import ProlificStudy
from workspace.recruiting.drafts import MAX_PLACES


class Key(serializers.IntegerField):
    """The id of something."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=2**63 - 1, **options)


class Sure(Body):
    """That it is to be done, of what is asked about first."""

    sure = serializers.BooleanField(
        default=False, help_text="true: do it. Otherwise it is only said what it would do."
    )


class Sum(Body):
    """That it is to be done at this sum."""

    cost = Decimal(
        required=False,
        max_digits=12,
        decimal_places=2,
        min_value=0,
        help_text="The sum that was told: it is done if it is the same still. Left out: nothing is "
        "done, and the answer says what it would cost.",
    )


class DoneSerializer(serializers.Serializer[Any]):
    """What was done, or would be."""

    done = serializers.BooleanField(help_text="false: nothing was; send `cost` or `sure` along.")
    says = serializers.ListField(child=serializers.CharField())
    cost = serializers.DecimalField(
        max_digits=12, decimal_places=2, allow_null=True, help_text="What it would cost."
    )
    bonus = serializers.IntegerField(allow_null=True, help_text="The bonuses that are set up.")


class NothingOnProlific(Body):
    """Nothing has to be said."""


class Token(Body):
    """Whose workspace it is."""

    token = serializers.CharField(
        max_length=400, required=False, help_text="Of Prolific's API; it is stored encrypted."
    )
    workspace = serializers.CharField(
        max_length=200, required=False, help_text="Its name or id, where a token opens several."
    )
    connection = Key(
        required=False, help_text="In the place of a token: a connection that is there."
    )


class Limit(Body):
    """How much recruiting may cost."""

    spending_limit = Decimal(
        max_digits=10,
        decimal_places=2,
        help_text="With all fees.",
        **field_options(ProlificStudy, "spending_limit"),
    )


class StudyOnProlific(Sum):
    """What a study on Prolific is made of."""

    title = serializers.CharField(max_length=120)
    description = serializers.CharField(help_text="What participants read before.")
    places = serializers.IntegerField(min_value=1, max_value=MAX_PLACES)
    minutes = serializers.IntegerField(min_value=1, max_value=600, help_text="Of a unit.")
    without = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Studies, by their names here, whose participants Prolific does not let in.",
    )


class Places(Sum):
    """How many places there are to be."""

    places = serializers.IntegerField(
        min_value=1, max_value=2 * MAX_PLACES, help_text="All together, more than there are."
    )


class Return(Sure):
    """Whom to ask for a return, and why."""

    submission = Key(help_text="Its id in the list here.")
    reason = serializers.CharField(max_length=200, help_text="The participant reads it.")


class Rejection(Sure):
    """Which submission is rejected, and why."""

    submission = Key(help_text="Its id in the list here.")
    category = serializers.CharField(
        max_length=30, required=False, help_text="Left out: as its payment was refused."
    )
    reason = serializers.CharField(
        max_length=MAX_REASON_LENGTH, required=False, help_text="100 characters; they read it."
    )


class Bonuses(Sum):
    """Which bonuses are paid."""

    bonus = Key(required=False, help_text="That the answer named which told the sum.")


class Settled(Body):
    """What became of bonuses of which Prolific did not say so."""

    bonus = Key()
    paid = serializers.BooleanField()
