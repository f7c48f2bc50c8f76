"""What people do to get in is logged: who by their number, never by a name or an address."""

import logging
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as second_factor
from django.contrib.auth import signals
from django.dispatch import Signal

log = logging.getLogger(__name__)
DONE: dict[Signal, str] = {
    signals.user_logged_in: "logged in",
    signals.user_logged_out: "logged out",
    account.password_set: "set a password",
    account.password_changed: "changed their password",
    account.password_reset: "made a new password by a link",
    second_factor.authenticator_added: "set up a second factor",
    second_factor.authenticator_removed: "took a second factor away",
    second_factor.authenticator_reset: "made new recovery codes",
}


def note_all() -> None:
    """Have each of these logged from now on."""
    for signal in DONE:
        signal.connect(_note, dispatch_uid="noting")
    signals.user_login_failed.connect(_note_failure, dispatch_uid="noting")
    second_factor.authentication_failed.connect(_note_wrong_code, dispatch_uid="noting")


def _note(signal: Signal, user: Any = None, **_: Any) -> None:
    if user is not None:
        log.info("user %d %s", user.pk, DONE[signal])


def _note_failure(**_: Any) -> None:
    """A name or a password was wrong; whose it was meant for is not told."""
    log.warning("a log-in failed")


def _note_wrong_code(user: Any, **_: Any) -> None:
    log.warning("user %d entered a wrong code", user.pk)
