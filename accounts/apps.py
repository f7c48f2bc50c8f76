from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import auth_log, factor_secrets, sessions  # noqa: F401 - models are ready

        auth_log.connect_signals()
