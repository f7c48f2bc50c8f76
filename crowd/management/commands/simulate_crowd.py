"""Let artificial workers judge a study, to try it out before anyone is paid."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crowd import through_flow, world
from crowd.people import CannotSimulate, Crowd, check_takes_artificial_workers
from judging.flow.ending import AlreadyRunning
from judging.management.studies import study_of
from judging.models import Study
from web import clock

MAX_WORKERS_PER_UNIT = 2  # artificial workers who come, where anchors may be the wrong way round


class Command(BaseCommand):
    help = (
        "Let artificial workers judge a study until every unit is complete. They come through the "
        "product's own flow, by a clock of their own, or over HTTP, as browsers would. The study "
        "then takes no people, and everything that leaves it says that it was simulated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="SLUG")
        parser.add_argument("--workers", type=_positive, required=True, metavar="N", help="at once")
        parser.add_argument(
            "--seed", type=int, required=True, metavar="S", help="the same worker gives the same"
        )
        parser.add_argument("--limit", type=_positive, metavar="M", help="how many may come in all")
        parser.add_argument("--over-http", metavar="URL", help="of the site: http://localhost:8000")
        parser.add_argument(
            "--speedup",
            type=_positive_number,
            default=1.0,
            metavar="X",
            help="over HTTP: how much faster than people they are. The study's minimum_seconds has "
            "to be 20 / X.",
        )
        parser.add_argument(
            "--anchors",
            choices=["role", "labels"],
            default="role",
            help="what anchors are to them: what their role says (the default), or what their "
            "labels say, as in a rehearsal that is to find anchors that were mistaken",
        )
        parser.add_argument(
            "--labels",
            nargs="+",
            default=[""],
            metavar="NAME",
            help="what is true to them, instead of the study's labels; of several sets everybody "
            "holds with one, so that they differ where the sets do",
        )
        parser.add_argument("--truth", type=Path, metavar="F", help="write what is true, as JSONL")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["study"])
        if options["speedup"] != 1 and not options["over_http"]:
            raise CommandError("--speedup goes with --over-http: through flow nobody waits.")
        worlds = [
            world.read(study, options["seed"], options["anchors"], self._label_set(study, name))
            for name in options["labels"]
        ]
        crowd = Crowd(worlds[0], options["limit"], worlds[1:])
        if options["anchors"] == "labels" and crowd.max_people is None:
            # Where anchors are the wrong way round, units may never be completed.
            crowd.max_people = MAX_WORKERS_PER_UNIT * crowd.planned
        try:
            check_takes_artificial_workers(crowd.world)
            self._run(crowd, options)
        except (CannotSimulate, AlreadyRunning) as fault:
            raise CommandError(str(fault)) from fault
        finally:
            if options["truth"]:
                world.write(crowd.world, crowd.came, options["truth"])
        self._report(crowd)

    def _label_set(self, study: Study, name: str) -> str:
        sets = study.collection.label_sets
        if name and not sets.filter(name=name).exists():
            names = ", ".join(sets.order_by("name").values_list("name", flat=True))
            raise CommandError(f"--labels {name}: expected one of {names}")
        return name

    def _run(self, crowd: Crowd, options: dict[str, Any]) -> None:
        before = crowd.completed()
        with tqdm(total=crowd.planned, initial=before, unit="unit", file=self.stderr) as bar:
            progress = lambda done: bar.update(done - bar.n)  # noqa: E731
            if options["over_http"]:
                try:
                    from crowd import over_http
                except ModuleNotFoundError as fault:
                    raise CommandError(
                        f"--over-http needs {fault.name}, which the image does not have: call it "
                        "where requirements.txt is installed."
                    ) from fault
                over_http.run(
                    crowd, options["workers"], options["over_http"], options["speedup"], progress
                )
            else:
                through_flow.run(crowd, options["workers"], clock.now(), progress)

    def _report(self, crowd: Crowd) -> None:
        done, planned, came = crowd.completed(), crowd.planned, len(crowd.came)
        self.stdout.write(f"{done} of {planned} units are complete; {came} artificial workers came")
        max_people = crowd.world.study.most_workers
        if done < planned:
            raise CommandError(
                f"The plan is not complete: {planned - done} units are left. "
                + (f"The study takes {max_people} people at most. " if max_people else "")
                + (f"--limit {crowd.max_people} ended it." if crowd.max_people is not None else "")
            )


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


def _positive_number(text: str) -> float:
    if not 0 < (number := float(text)) < float("inf"):
        raise ValueError
    return number
