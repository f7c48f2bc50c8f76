"""Load the demo: a finished study with its results, and one to judge in, mostly judged."""

import json
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand
from django.db import transaction

from crowd import through_flow, world
from crowd.people import Crowd
from evaluation.analyses import of_study
from evaluation.cache import stored
from evaluation.pages.cards import RESTS_ON
from judging.models import Collection, Study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import create_study, read_config
from judging.studies.unit_plans import plan
from web import clock
from workspace.archive.importing import import_archive

NAME = "demo"
LIVE = "demo-live"
FOLDER: Path = settings.BASE_DIR / "demo"
SEED = 5
SHARE = 2 / 3
CONCURRENCY = 3
# What differs in the study to judge in. A visitor can try everything in a few minutes: a real study
# asks for 20 seconds or more.
OF_LIVE = {"title": "Demo: judge here", "demo": True, "payment": 0, "redundancy": 5}
TOPICS = ("901", "902", "903", "904")
MINIMUM_SECONDS = 5


class Command(BaseCommand):
    help = (
        "Load the demo, a finished study and one to judge in; prints both and a log-in as JSON. "
        "What is there stays, and what was deleted of a collection that is there."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if not Collection.objects.filter(slug=NAME).exists():
            self.stderr.write("loading the finished study")
            import_archive(FOLDER / "finished.zip", by=None)
        live = Study.objects.filter(slug=LIVE).first() or self._make_live()
        self.stderr.write("artificial workers judge two thirds of the study to judge in")
        self.stderr.write(f"{self._fill(live)} units are judged")
        finished = Study.objects.filter(slug=NAME).first()
        if finished:
            self._ask_for_results(finished)
        results = finished or live
        login = {"username": NAME, "password": self._login()}
        self.stdout.write(json.dumps({"study": live.slug, "results": results.slug} | login))

    def _fill(self, study: Study) -> int:
        crowd = Crowd(world.read(study, SEED, "labels"))
        target = round(SHARE * crowd.planned)
        through_flow.run(crowd, CONCURRENCY, clock.now(), lambda done: None, target)
        return crowd.completed()

    @transaction.atomic
    def _make_live(self) -> Study:
        config = read_config(FOLDER / "study.toml") | OF_LIVE
        config |= {"minimum_seconds": MINIMUM_SECONDS}
        config["topics"] = {topic: config["topics"][topic] for topic in TOPICS}
        study = create_study(LIVE, NAME, config)
        plan(study, seed=SEED)
        return open_study(LIVE)

    def _ask_for_results(self, study: Study) -> None:
        """Compute those of the overview now, and have the others computed when the site runs."""
        there = of_study(study)
        first = [name for name in RESTS_ON if name in there]
        stored.get_or_request(study, first, study.labels, clock.now(), findings_alone=True)
        stored.bring_up_to_date()
        stored.get_or_request(study, there, study.labels, clock.now(), findings_alone=True)

    def _login(self) -> str:
        """The password of the demo's user, stored so that it can be shown again."""
        file = Path(settings.VAR_DIR) / "demo-password"
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(9))
        password = file.read_text()
        user, _ = get_user_model().objects.get_or_create(
            username=NAME, defaults={"is_staff": True, "is_superuser": True}
        )
        if not user.check_password(password):
            user.set_password(password)
            user.save()
        return password
