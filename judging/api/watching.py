from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.models import Study
from judging.monitoring.figures.bins import LAST
from judging.monitoring.figures.monitor import FIGURES
from judging.monitoring.signals import by_worker, workers_page
from judging.monitoring.status import machine
from judging.monitoring.tries import Check, Tally
from judging.monitoring.watch import Lights, Watch
from judging.studies.access import study_for
from web import clock
from web.findings import LAMPS, Finding
from web.rest.parameters import OneOf, Parameters, WithParameters
from web.snapshots import snapshot


class MonitorParameters(Parameters):
    last = OneOf(list(LAST), help_text="Figures over time: of so long; of all, unless it is said.")


class FigureSerializer(serializers.Serializer[Any]):
    """The data of a figure."""

    name = serializers.CharField()
    says = serializers.CharField(source="sentence")
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(), help_text="null: not defined.")


class CheckSerializer(serializers.Serializer[Any]):
    """Failures of a check, and how often it was made."""

    check = serializers.ChoiceField(Check.choices)
    failures = serializers.IntegerField()
    tries = serializers.IntegerField()


class TallySerializer(serializers.Serializer[Any]):
    """The checks of a topic, or of a worker."""

    name = serializers.CharField(help_text="The topic's number, or the worker's pseudonym.")
    attempts = serializers.IntegerField()
    completed = serializers.IntegerField()
    excluded = serializers.BooleanField(help_text="Of a worker: no computation takes the scores.")
    checks = serializers.SerializerMethodField()

    @extend_schema_field(CheckSerializer(many=True))
    def get_checks(self, tally: Tally) -> list[dict[str, Any]]:
        return [
            {"check": check.value, "failures": rate.failures, "tries": rate.tries}
            for check, rate in zip(Check, tally.rates, strict=True)
        ]


class ReasonSerializer(serializers.Serializer[Any]):
    """Why a worker stands out."""

    rule = serializers.CharField()
    words = serializers.CharField()
    chance = serializers.FloatField(
        allow_null=True,
        help_text="Of as much, were this worker like the others; null: a plain flag, by no chance.",
    )


class StandOutSerializer(serializers.Serializer[Any]):
    """A worker who stands out. Never a verdict."""

    worker = serializers.CharField(source="worker.name")
    reasons = ReasonSerializer(many=True)
    often = serializers.CharField(help_text="A justification that they repeat, and how often.")


class LightSerializer(serializers.Serializer[Any]):
    """A light of the monitor: its colour, and the sentence that says why."""

    light = serializers.SerializerMethodField(help_text="flow, checks, workers, anchors ...")
    colour = serializers.ChoiceField([colour for colour, _ in LAMPS.values()])
    word = serializers.CharField(help_text="What the colour means.")
    sentence = serializers.CharField()

    def get_light(self, light: Finding) -> str:
        return light.name.lower()


class MonitorSerializer(serializers.Serializer[Any]):
    """How work on a study goes."""

    now = serializers.DateTimeField()
    lights = LightSerializer(many=True, help_text="Of the study.")
    machine = LightSerializer(many=True, help_text="Of the machine that it runs on.")
    figures = FigureSerializer(many=True)
    topics = TallySerializer(many=True)
    workers = TallySerializer(many=True, help_text="Who has made an attempt.")
    standouts = StandOutSerializer(many=True)


class TriesSerializer(serializers.Serializer[Any]):
    """Presses of Finish."""

    units = serializers.IntegerField(help_text="Completed.")
    failed = serializers.IntegerField(help_text="Presses that failed before.")
    most = serializers.IntegerField(source="max_failed", help_text="Of these, of one unit.")


class AgreementSerializer(serializers.Serializer[Any]):
    """A worker's numbers beside those of others, and beside random ones."""

    units = serializers.IntegerField(help_text="Compared.")
    mean = serializers.FloatField(help_text="Rank correlation with the medians of others.")
    low = serializers.FloatField(help_text="From here …")
    high = serializers.FloatField(help_text="… to here lie 90% of those who give random numbers.")
    verdict = serializers.CharField()


class SignalsSerializer(serializers.Serializer[Any]):
    """The signals of one worker: evidence for a person, never a verdict."""

    worker = serializers.CharField()
    stands_out = serializers.ListField(child=serializers.CharField(), help_text="By which of them.")
    tries = TriesSerializer(source="own.tries")
    numbers = AgreementSerializer(source="own.agreement", allow_null=True)
    reasons_alike = serializers.IntegerField(help_text="Nearly another's.")
    reasons = serializers.IntegerField(help_text="Of five words or more.")
    pasted = serializers.FloatField(
        source="own.browser.pasted", allow_null=True, help_text="Characters for each document."
    )
    hidden = serializers.FloatField(
        source="own.browser.hidden", allow_null=True, help_text="Seconds for each document."
    )


class SpreadSerializer(serializers.Serializer[Any]):
    """How a signal is spread over workers."""

    signal = serializers.CharField()
    low = serializers.FloatField(help_text="The 5% quantile.")
    median = serializers.FloatField()
    high = serializers.FloatField(help_text="The 95% quantile.")


class AllSignalsSerializer(serializers.Serializer[Any]):
    """The signals of all workers with a completed unit who are not excluded."""

    workers = SignalsSerializer(many=True)
    spread = SpreadSerializer(many=True)
    by_chance = serializers.CharField(help_text="How many stand out by their numbers by chance.")


def _judged_here(request: Request, slug: str) -> Study:
    study = study_for(request.user, slug)
    if not study.takes_people:
        raise Http404(f"Study {study} takes no people: there is no work to watch.")
    return study


class AllSignals(WithParameters):
    """Signals of careless or machine work."""

    @extend_schema(responses=AllSignalsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Each worker's signals beside those of all: evidence for a person, never a verdict."""
        return Response(_signals(_judged_here(request, slug)))


@snapshot()
def _signals(study: Study) -> Any:
    everybody = by_worker.signals(study)
    names = dict(study.workers.values_list("pk", "pseudonym"))
    rows = [
        {
            "worker": names[key],
            "own": own,
            "stands_out": sorted(own.stands_out),
            **dict(zip(("reasons_alike", "reasons"), own.alike, strict=True)),
        }
        for key, own in everybody.workers.items()
    ]
    ends = ("low", "median", "high")
    spread = [
        {"signal": name, **dict(zip(ends, quantiles, strict=True))}
        for name, quantiles in everybody.spread.items()
    ]
    by_chance = workers_page.by_chance_alone(everybody)
    data = {"workers": rows, "spread": spread, "by_chance": by_chance}
    return AllSignalsSerializer(data).data


class Monitor(WithParameters):
    """A study at work."""

    parameters = MonitorParameters

    @extend_schema(responses=MonitorSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Lights, figures over time, failed checks by topic and worker, who stands out."""
        study = _judged_here(request, slug)
        return Response(_monitored(study, self.params.get("last", "")))


@snapshot()
def _monitored(study: Study, last: str) -> Any:
    watch = Watch(study, clock.now(), last)
    figures = [make(watch) for make in FIGURES.values()]
    data = {
        "now": watch.now,
        "lights": list(Lights(watch)),
        "machine": list(machine.findings(watch.now)),
        "figures": [figure for figure in figures if figure],
        "topics": watch.topics,
        "workers": watch.workers,
        "standouts": watch.standouts if watch.lifetime else [],
    }
    return MonitorSerializer(data).data
