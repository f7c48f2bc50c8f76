"""The app of the people who log in."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import auth_log, sessions  # noqa: F401 - once there are models

        auth_log.connect_signals()
