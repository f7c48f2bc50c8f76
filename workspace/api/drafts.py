import re
from typing import Any

import numpy as np
from drf_spectacular.utils import extend_schema
from numpy.typing import NDArray
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User, logged_in
from judging.api.creation import MissingSerializer
from judging.api.verbs import Verb, translate_errors
from judging.api.views import ListOfStudy, OfStudy
from judging.models import Role, Study
from judging.studies.access import sees_platform_ids, study_for, topic_of
from judging.studies.configuration import removal
from judging.studies.configuration.anchors import (
    contradictions,
    levels_of,
    propose_anchors,
)
from judging.studies.configuration.pooling import Unjudged
from judging.studies.personal_links import personal_links
from web.bounds import bounds
from web.rest.bodies import Body
from web.rest.parameters import OneOf, Parameters
from web.rest.problems import BadParameter
from workspace.api.forecasts import CostsSerializer
from workspace.setup import readiness
from workspace.setup.opening import DIGEST, MAX_REASON, open_confirmed, terms_of
from workspace.setup.setting_pages import entry_of
from workspace.setup.topic_pages import DEPTHS, pools_of

MAX_DEPTHS = 10
DEPTH = bounds(Study, "pool_depth")
WHOLE = re.compile("[1-9][0-9]{0,9}")


class PoolParameters(Parameters):
    """Which pools."""

    pool_by = OneOf(["rank", "order"], help_text="As the study has it, unless it is said.")
    depths = serializers.CharField(
        required=False,
        help_text=f"Documents of each run, at most {MAX_DEPTHS} numbers with commas between them; "
        f"{', '.join(map(str, DEPTHS))} and that of the study unless it is said.",
    )


class SharesSerializer(serializers.Serializer[Any]):
    """What a pool leaves unjudged of one run, in the mean over its topics."""

    run = serializers.CharField()
    shares = serializers.ListField(child=serializers.FloatField(), help_text="At each cutoff.")


class PoolSerializer(serializers.Serializer[Any]):
    """What pools of one depth hold, over all topics of a study, and what they leave."""

    depth = serializers.IntegerField()
    documents = serializers.IntegerField()
    units = serializers.IntegerField()
    cutoffs = serializers.ListField(child=serializers.IntegerField())
    unjudged = serializers.ListField(
        child=serializers.FloatField(),
        help_text="At each cutoff the share of documents, a mean over runs; empty without runs.",
    )
    runs = SharesSerializer(many=True)


class PoolDepths(ListOfStudy):
    """The documents and units that pools of several depths take, and what they leave."""

    parameters = PoolParameters
    serializer_class = PoolSerializer

    def get_queryset(self) -> Any:
        study = self.study()
        pools = pools_of(study, self._depths(study), self.params.get("pool_by", study.pool_by))
        cutoffs = list(pools.cutoffs)
        return [_as_dict(unjudged, cutoffs, pools.runs) for unjudged in pools.unjudged]

    def _depths(self, study: Study) -> list[int]:
        if "depths" not in self.params:
            return sorted({*DEPTHS, study.pool_depth})
        words = [word.strip() for word in self.params["depths"].split(",")]
        depths = {int(word) for word in words if WHOLE.fullmatch(word)}
        if not len(depths) == len(words) <= MAX_DEPTHS or max(depths) not in DEPTH:
            expected = f"expected 1 to {MAX_DEPTHS} different numbers, as 10,20, each {DEPTH}"
            raise BadParameter({"depths": [expected]})
        return sorted(depths)


def _as_dict(unjudged: Unjudged, cutoffs: list[int], runs: Any) -> dict[str, Any]:
    shares: NDArray[np.float64] = unjudged.share
    return {
        "depth": unjudged.depth,
        "documents": unjudged.documents,
        "units": unjudged.units,
        "cutoffs": cutoffs,
        "unjudged": unjudged.means.tolist() if len(shares) else [],
        "runs": [
            {"run": run, "shares": row} for run, row in zip(runs, shares.tolist(), strict=True)
        ],
    }


class CandidateSerializer(serializers.Serializer[Any]):
    """A document that could be an anchor."""

    doc_id = serializers.CharField()
    level = serializers.FloatField(allow_null=True, help_text="Its label.")
    runs = serializers.IntegerField(help_text="That have it in their part of the pool.")
    title = serializers.CharField()
    words = serializers.IntegerField(allow_null=True, help_text="null: there is no text here.")


class ProposalsSerializer(serializers.Serializer[Any]):
    """Candidates for both anchors of a topic, the fittest first."""

    h_k = CandidateSerializer(many=True)
    n_k = CandidateSerializer(many=True)
    against = serializers.ListField(
        child=serializers.CharField(), help_text="What labels say against the anchors it has."
    )


class Proposals(OfStudy):
    """The documents that labels propose as anchors; PATCH the topic with those you choose."""

    serializer_class = ProposalsSerializer

    def get_object(self) -> Any:
        study, query_id = self.study(), self.kwargs["query_id"]
        topic = topic_of(study, query_id)
        proposals = propose_anchors(study, query_id)
        against = contradictions(topic, levels_of(study, topic))
        return {**vars(proposals), "against": against}


class Warnings(ListOfStudy):
    """What does not keep the study from opening, and may be wrong all the same."""

    serializer_class = MissingSerializer

    def get_queryset(self) -> Any:
        return readiness.warnings(self.study())


class HangingSerializer(serializers.Serializer[Any]):
    """What would go with something."""

    hanging = serializers.DictField(child=serializers.IntegerField(), help_text="Counts, by kind.")


class Hanging(OfStudy):
    """How much would go with the study, were it deleted."""

    serializer_class = HangingSerializer

    def get_object(self) -> Any:
        return {"hanging": removal.related_counts(self.study())}


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


class LinksSerializer(serializers.Serializer[Any]):
    """How people get to a study."""

    platform = serializers.CharField(help_text="Where they come from; empty: none, or several.")
    entry = serializers.CharField(
        help_text="To be entered there, with what it fills in; without a platform to be handed out."
    )


class Links(OfStudy):
    """The link to be entered on the platform, with the places where it fills in ids."""

    serializer_class = LinksSerializer

    def get_object(self) -> Any:
        study = self.study()
        entry = study.from_platform.entry_address(entry_of(self.request, study))
        return {"platform": study.platform, "entry": entry}


class PersonalLinkSerializer(serializers.Serializer[Any]):
    """The link of one participant on the list."""

    participant = serializers.CharField()
    link = serializers.CharField()


class PersonalLinks(ListOfStudy):
    """Personal links, for editors who may see ids of participants."""

    serializer_class = PersonalLinkSerializer

    def get_queryset(self) -> Any:
        study = self.study(Role.EDITOR)
        if not sees_platform_ids(logged_in(self.request), study):
            raise PermissionDenied("You may not see ids of participants of this study.")
        links = personal_links(study, entry_of(self.request, study))
        return [{"participant": name, "link": link} for name, link in links]
