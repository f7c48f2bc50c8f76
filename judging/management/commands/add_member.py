"""Let somebody work on a study."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from judging.models import Membership, Role, Study


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
        study = Study.objects.filter(slug=options["slug"]).first()
        user = User.objects.filter(username=options["username"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['slug']}.")
        if user is None:
            raise CommandError(f"There is no user {options['username']}.")
        Membership.objects.update_or_create(
            study=study,
            user=user,
            defaults={"role": options["role"], "sees_platform_ids": options["platform_ids"]},
        )
        self.stdout.write(f"{user} is {options['role']} of study {study}.")
