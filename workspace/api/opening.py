from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from judging.api.creation import MissingSerializer
from judging.api.verbs import Verb, translate_errors
from judging.models import Study
from judging.studies.access import study_for
from web.bodies import Body
from workspace.api.forecasts import CostsSerializer
from workspace.setup.opening import DIGEST, MAX_REASON, open_confirmed, terms_of


class TermsSerializer(CostsSerializer):
    """What whoever opens a study confirms."""

    terms = serializers.DictField(child=serializers.CharField(), help_text="The same in words.")
    too_low = serializers.CharField(help_text="That an hour pays less than the minimum; or empty.")
    missing = MissingSerializer(many=True, help_text="What keeps the study from being opened.")
    confirm = serializers.CharField(help_text="What stands for all this when it is opened.")


class Confirmed(Body):
    """That somebody has seen what it takes."""

    confirm = serializers.RegexField(
        rf"\A{DIGEST}\Z", max_length=200, help_text="As GET of this address gives it."
    )
    low_pay_reason = serializers.CharField(
        required=False,
        max_length=MAX_REASON,
        help_text="Why an hour pays less than the minimum, where it does; kept in the trail.",
    )


class Open(Verb):
    """Let workers in. From now on settings, pool and texts stay as they are.

    If anything that was seen has changed meanwhile, nothing is done (409).
    """

    request_serializer = Confirmed

    @extend_schema(responses=TermsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Units, people, money and time, what is missing, and what to send to confirm it."""
        study = study_for(request.user, slug)
        with translate_errors():
            terms = terms_of(study)
        names = {**CostsSerializer(terms.costs).data}
        more = {"terms": terms.parts, "too_low": terms.too_low, "confirm": terms.digest}
        missing = MissingSerializer(terms.missing, many=True).data
        return Response({**names, **more, "missing": missing})

    def perform(self, study: Study, by: User, **data: Any) -> Study:
        reason = data.get("low_pay_reason", "")
        return open_confirmed(study.slug, by, data["confirm"], reason)
