from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "workspace"

    def ready(self) -> None:
        from workspace.recruiting import signals  # noqa: F401 - models are ready now
