import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rest_framework import serializers

from judging.api.creation import MissingSerializer
from judging.api.views import ListOfStudy, OfStudy
from judging.models import Study
from judging.studies.access import topic_of
from judging.studies.configuration import removal
from judging.studies.configuration.anchors import (
    contradictions,
    levels_of,
    propose_anchors,
)
from judging.studies.configuration.pooling import Unjudged
from web.bounds import bounds
from web.parameters import OneOf, Parameters
from web.problems import BadParameter
from workspace.setup import readiness
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
