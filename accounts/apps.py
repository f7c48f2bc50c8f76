"""The app of the people who log in."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        """Have it noted when somebody logs in."""
        from accounts import noting, sessions  # noqa: F401 - once there are models

        noting.note_all()
