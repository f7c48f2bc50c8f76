"""Load the demo collection and make a study of it, mostly judged; what is there is kept."""

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
from judging.collections.importing import import_collection
from judging.models import Study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import create_study, read_config
from judging.studies.unit_plans import plan
from web import clock

NAME = "demo"
FOLDER: Path = settings.BASE_DIR / "demo"
SEED = 5
SHARE = 2 / 3
CONCURRENCY = 3


class Command(BaseCommand):
    help = "Load the demonstration; prints its study and log-in as JSON."

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=NAME).first()
        if study is None:
            study = self._make()
        self.stderr.write("artificial workers judge two thirds of the units")
        self.stderr.write(f"{self._fill(study)} units are judged")
        password = self._login()
        self.stdout.write(json.dumps({"study": study.slug, "username": NAME, "password": password}))

    def _fill(self, study: Study) -> int:
        crowd = Crowd(world.read(study, SEED, "labels"))
        target = round(SHARE * crowd.planned)
        through_flow.run(crowd, CONCURRENCY, clock.now(), lambda done: None, target)
        return crowd.completed()

    @transaction.atomic
    def _make(self) -> Study:
        self.stderr.write("loading the demo collection")
        import_collection(
            NAME,
            topics=[FOLDER / "topics.trec"],
            documents=[FOLDER / "documents.trec"],
            qrels={"reference": [FOLDER / "qrels.txt"]},
            runs=[FOLDER / "runs"],
        )
        study = create_study(NAME, NAME, read_config(FOLDER / "study.toml"))
        plan(study, seed=SEED)
        return open_study(NAME)

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
