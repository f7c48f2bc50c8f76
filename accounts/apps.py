from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import auth_log, factor_secrets, sessions  # noqa: F401 - they have receivers
