"""Make an API token."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Token, User
from accounts.tokens import MAX_DAYS, NameTaken, make_token


class Command(BaseCommand):
    help = "Print a new API token of a person, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", metavar="USER")
        parser.add_argument("--name", default="command line", help="what it is for")
        parser.add_argument("--scope", choices=Token.Scope.values, default=Token.Scope.WRITE.value)
        parser.add_argument(
            "--days", type=int, default=MAX_DAYS, help="until it ends, %(default)s if not given"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(
                f"There is no user {options['username']}: run createsuperuser first."
            )
        if not 1 <= options["days"] <= MAX_DAYS:
            raise CommandError(f"--days {options['days']}: expected 1 to {MAX_DAYS}.")
        try:
            secret = make_token(user, options["name"], options["scope"], options["days"])
        except NameTaken as fault:
            raise CommandError(
                f"User {user} has a token named {options['name']}: give it another --name."
            ) from fault
        self.stdout.write(secret)
