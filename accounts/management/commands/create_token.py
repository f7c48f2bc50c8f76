"""Make an API token for a staff user."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from rest_framework.authtoken.models import Token


class Command(BaseCommand):
    help = "Print a new API token of a staff user, once; an earlier one stops working."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", metavar="USER")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user_model().objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(
                f"There is no user {options['username']}: run createsuperuser first."
            )
        if not user.is_staff:
            raise CommandError(f"User {user} is not staff, and would see nothing.")
        Token.objects.filter(user=user).delete()
        self.stdout.write(Token.objects.create(user=user).key)
