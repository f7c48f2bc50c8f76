from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        from web.database import connections  # noqa: F401 - its receivers
