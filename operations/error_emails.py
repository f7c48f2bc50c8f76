import logging
import threading
import time

from django.conf import settings
from django.core.mail import send_mail

from web.logs.lines import LineFormatter
from web.logs.redaction import redacted_message

SILENT_SECONDS = 600.0  # between two e-mails about the same error
MAX_EMAILS = 20  # of a process within that time


class ErrorMailHandler(logging.Handler):
    """Sends an e-mail for each error, in a thread, so that nobody waits for the mail server."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.setFormatter(LineFormatter())
        self._sent: dict[str, float] = {}
        self.sending = threading.Thread()

    def emit(self, record: logging.LogRecord) -> None:
        """Not if the same error was sent within SILENT_SECONDS."""
        now, message = time.monotonic(), redacted_message(record)
        self._sent = {about: at for about, at in self._sent.items() if now - at < SILENT_SECONDS}
        if f"{record.name} {message}" in self._sent or len(self._sent) >= MAX_EMAILS:
            return
        self._sent[f"{record.name} {message}"] = now
        subject = f"{record.levelname}: {message}".replace("\n", " ")[:200]
        self.sending = threading.Thread(
            target=_send, args=(subject, self.format(record)), name="email", daemon=True
        )
        self.sending.start()


def _send(subject: str, text: str) -> None:
    try:
        send_mail(f"[Magnitudes] {subject}", text, None, settings.ERRORS_TO)
    except OSError as fault:  # smtplib's errors are OSErrors as well
        logging.getLogger(__name__).warning("A letter about an error was not sent: %s", fault)
