"""Let somebody work on a study."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from judging.management.studies import study_of
from judging.models import Role
from judging.studies import team


class Command(BaseCommand):
    help = "Give somebody a role in a study; the first of a study made by command is its owner."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("username", metavar="USER")
        parser.add_argument("--role", choices=Role.values, default=Role.OWNER.value)
        parser.add_argument(
            "--platform-ids", action="store_true", help="they see platforms' ids of workers"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_of(options["slug"])
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['username']}.")
        sees_ids = options["platform_ids"]
        try:
            team.add(study, user, options["role"], by=None, sees_platform_ids=sees_ids)
        except team.CannotChange as fault:
            raise CommandError(f"{fault}\nNothing was changed.") from fault
        self.stdout.write(f"{user} is {options['role']} of study {study}.")
