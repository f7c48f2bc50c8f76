"""Django's PostgreSQL backend, which starts the embedded server where it does not run."""

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from config.embedded import sharing
from config.embedded.server import UnavailableError


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the embedded server."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect; should that fail, see to the server and try once more.

        A server that cannot be had is an error of the database's, as from any other server.
        """
        sharing.hold(settings.VAR_DIR)
        try:
            return super().get_new_connection(conn_params)
        except self.Database.OperationalError:
            try:
                sharing.ensure_postgres(settings.VAR_DIR, 3 if settings.PROCESS == "web" else 60)
            except (UnavailableError, OSError) as fault:  # the disk of its locks may be read-only
                raise self.Database.OperationalError(str(fault)) from fault
            return super().get_new_connection(conn_params)
