"""Log-ins and changes of credentials are logged by user id, never by name or address."""

import logging
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as second_factor
from allauth.socialaccount import signals as institution
from django.contrib.auth import signals
from django.dispatch import Signal, receiver

log = logging.getLogger(__name__)
EVENTS: dict[Signal, str] = {
    signals.user_logged_in: "logged in",
    signals.user_logged_out: "logged out",
    account.password_set: "set a password",
    account.password_changed: "changed their password",
    account.password_reset: "made a new password by a link",
    second_factor.authenticator_added: "set up a second factor",
    second_factor.authenticator_removed: "took a second factor away",
    second_factor.authenticator_reset: "made new recovery codes",
}


@receiver(list(EVENTS))
def _log_event(signal: Signal, user: Any = None, **_: Any) -> None:
    if user is not None:
        log.info("user %d %s", user.pk, EVENTS[signal])


@receiver(signals.user_login_failed)
def _log_failure(**_: Any) -> None:
    log.warning("a log-in failed")


@receiver(second_factor.authentication_failed)
def _log_wrong_code(user: Any, **_: Any) -> None:
    log.warning("user %d entered a wrong code", user.pk)


@receiver(institution.social_account_added)
def _log_link(sociallogin: Any, **_: Any) -> None:
    log.info("user %d linked a log-in at the institution", sociallogin.user.pk)


@receiver(institution.social_account_removed)
def _log_unlink(socialaccount: Any, **_: Any) -> None:
    log.info("user %d unlinked a log-in at the institution", socialaccount.user_id)
