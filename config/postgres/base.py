"""Django's PostgreSQL backend, which starts the embedded server where it does not run."""

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from config import embedded


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the embedded server."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; should that fail, see to the server and try once more."""
        embedded.hold(settings.VAR_DIR)
        try:
            return super().get_new_connection(conn_params)
        except self.Database.OperationalError:
            embedded.ensure_postgres(settings.VAR_DIR)
            return super().get_new_connection(conn_params)
