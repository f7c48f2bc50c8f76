from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.models import logged_in
from judging.api.views import OfStudy, RowParameters, StudyListView
from judging.models import Payment
from judging.payments.pay_lists import payments, submission_of
from judging.payments.sums import PlatformSums, sums
from judging.studies.access import sees_platform_ids
from judging.studies.table_one import pay
from web.rest.parameters import OneOf, Text


class ShareSerializer(serializers.Serializer[Any]):
    """Some payments together."""

    state = serializers.CharField()
    number = serializers.IntegerField()
    amount = serializers.DecimalField(max_digits=12, decimal_places=2)


class SumsSerializer(serializers.Serializer[Any]):
    """The payments of people of one platform."""

    platform = serializers.CharField(help_text="Empty: none, or its ids are deleted.")
    currency = serializers.CharField()
    states = serializers.SerializerMethodField()

    @extend_schema_field(ShareSerializer(many=True))
    def get_states(self, row: PlatformSums) -> Any:
        shares = [{"state": state, **share._asdict()} for state, share in row.by_state.items()]
        return ShareSerializer(shares, many=True).data


class PaySerializer(serializers.Serializer[Any]):
    """What a study pays."""

    sums = SumsSerializer(many=True)
    per_hour = serializers.FloatField(
        source="hour.per_hour", allow_null=True, help_text="At the median; null: nothing is done."
    )
    minimum_hourly_pay = serializers.DecimalField(
        source="hour.minimum", max_digits=8, decimal_places=2, allow_null=True
    )
    too_low = serializers.BooleanField(source="hour.too_low")
    with_fee = serializers.FloatField(
        source="hour.total", help_text="All units, the platform's fee included."
    )


class Pay(OfStudy):
    """Sums by platform and state, and the pay an hour at the median."""

    serializer_class = PaySerializer

    def get_object(self) -> Any:
        hour = pay(study := self.study())
        if hour.per_hour != hour.per_hour:
            hour = hour._replace(per_hour=None)  # type: ignore[arg-type]
        return {"sums": sums(study), "hour": hour}


class PaymentSerializer(serializers.ModelSerializer[Payment]):
    """One payment. Codes and platforms' ids are null for those who may not see these ids."""

    unit = serializers.CharField(source="unit_name")
    worker = serializers.CharField(source="assignment.worker.pseudonym")
    platform = serializers.CharField(help_text="Empty: none, or its ids are deleted.")
    state = serializers.CharField(help_text="owed, approved, paid or refused.")
    decided_by = serializers.SlugRelatedField[Any](
        slug_field="username", read_only=True, allow_null=True
    )
    code = serializers.CharField(source="assignment.completion_code", allow_null=True)
    external_id = serializers.CharField(source="account.external_id", allow_null=True)
    submission = serializers.SerializerMethodField(allow_null=True)

    class Meta:
        model = Payment
        fields = (
            *("id", "worker", "unit", "platform", "kind", "amount", "currency", "state"),
            *("state_at", "category", "reason", "question", "decided_by"),
            *("code", "external_id", "submission"),
        )

    def get_submission(self, payment: Payment) -> str | None:
        account = payment.account
        return submission_of(account.platform, account.ids) or None if account else None

    def to_representation(self, payment: Payment) -> dict[str, Any]:
        data = super().to_representation(payment)
        hidden = () if self.context.get("sees_ids") else ("code", "external_id", "submission")
        return data | dict.fromkeys(hidden)


class PaymentsParameters(RowParameters):
    """Which payments; `since` and `until`: by their last change."""

    platform = Text("Of people of one platform; empty: of none.")
    state = OneOf(Payment.State.values, help_text="Those in one state.")
    kind = OneOf(Payment.Kind.values, help_text="Those of one kind.")


class Payments(StudyListView):
    """What people are owed, and what has become of it."""

    parameters = PaymentsParameters
    serializer_class = PaymentSerializer

    def get_queryset(self) -> QuerySet[Payment]:
        filters = self.filters(
            self.study(),
            query_id="assignment__study_topic__topic__query_id",
            worker="assignment__worker__pseudonym",
            at="state_at",
            **{name: name for name in ("platform", "state", "kind")},
        )
        return payments(self.study(), **filters)

    def get_serializer_context(self) -> dict[str, Any]:
        is_schema = getattr(self, "swagger_fake_view", False)
        sees_ids = not is_schema and sees_platform_ids(logged_in(self.request), self.study())
        return {**super().get_serializer_context(), "sees_ids": sees_ids}
