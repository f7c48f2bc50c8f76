from collections.abc import Iterator
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.mail import get_connection

from operations.backup import keys
from web.findings import Finding, degraded, down, ok

MIN_DISTINCT_CHARACTERS = 10  # of a random key
MIN_LENGTH = 32
OTHERS_RIGHTS = 0o077  # rights of a file


def variables() -> Iterator[Finding]:
    public = [host for host in settings.ALLOWED_HOSTS if is_public(host)]
    if "*" in settings.ALLOWED_HOSTS:
        yield down(
            "ALLOWED_HOSTS is *: links to new passwords may be made to lead to another site.",
            "Set ALLOWED_HOSTS=judge.example.org, the names that people type.",
        )
    if settings.DEBUG:
        yield down(
            "DEBUG is on: pages of errors show settings and data.", "Unset DEBUG, and start again."
        )
    if public and not settings.HTTPS:
        yield down(
            f"{public[0]} is served with HTTPS off: passwords and answers can be read on the way.",
            "Put a proxy with TLS before it, as deploy/Caddyfile says, and set HTTPS=on.",
        )
    if settings.HTTPS:
        yield from _behind_tls(public)
    if settings.IR_DATASETS and find_spec("ir_datasets") is None:
        yield down(
            "IR_DATASETS offers data sets, but the library ir_datasets is not installed.",
            "Install it from requirements.txt, or build the image with "
            "--build-arg REQUIREMENTS=requirements.txt.",
        )


def _behind_tls(public: list[str]) -> Iterator[Finding]:
    if not public:
        yield down(
            "HTTPS is on, but ALLOWED_HOSTS has no name that others can reach.",
            "Set ALLOWED_HOSTS=judge.example.org, the names that people type.",
        )
    for origin in settings.CSRF_TRUSTED_ORIGINS:
        if not origin.startswith("https://"):
            yield down(
                f"CSRF_TRUSTED_ORIGINS has {origin}, from which nobody comes with HTTPS on.",
                f"Write it as https://{origin.partition('://')[2] or origin}",
            )


def is_public(host: str) -> bool:
    """Whether other machines can reach the site by a name of ALLOWED_HOSTS.

    >>> [is_public(host) for host in ("localhost", "127.0.0.1", "[::1]", "10.0.0.7", ".uni.edu")]
    [False, False, False, True, True]
    """
    bare = host.strip("[]").lstrip(".")
    try:
        return not ip_address(bare).is_loopback
    except ValueError:
        return bare not in ("localhost", "*", "testserver") and not bare.endswith(".localhost")


def secrets() -> Iterator[Finding]:
    """Whether the secret key can be guessed, or read by others on this machine."""
    key = settings.SECRET_KEY
    if len(key) < MIN_LENGTH or len(set(key)) < MIN_DISTINCT_CHARACTERS or "insecure" in key:
        yield down(
            "SECRET_KEY can be guessed: whoever does so is logged in as anybody.",
            "Set SECRET_KEY to what `openssl rand -hex 32` prints, and the old one as "
            "SECRET_KEY_FALLBACKS.",
        )
    for file in sorted(Path(settings.VAR_DIR).glob("*-key")):
        if file.stat().st_mode & OTHERS_RIGHTS:
            yield down(f"{file} can be read by others on this machine.", f"chmod 600 {file}")
    yield from _keys_beside_code()


def _keys_beside_code() -> Iterator[Finding]:
    """Keys in the folder of the code, where the next release would not find them."""
    code, data = Path(settings.BASE_DIR).resolve(), Path(settings.VAR_DIR).resolve()
    if settings.DATABASE_URL and data.is_relative_to(code):
        lost = [name for name in keys.KEYS if Path(keys.where(name)).is_relative_to(data)]
        if lost:
            yield degraded(
                f"{', '.join(lost)} of this site: kept in {data}, in the folder of the code; the "
                "next release would make others, and know nobody who comes from a platform.",
                f"Move {data} out of {code}, and set VAR_DIR to where it is then.",
            )


def unsaved_keys() -> Iterator[Finding]:
    """Keys that are in no backup; whether they are stored elsewhere cannot be checked."""
    named = [f"{name} {key} ({keys.where(name)})" for name, key in keys.names().items()]
    named += [f"the secret half of {key}" for key in settings.BACKUP_KEY.split(",") if key]
    yield ok(
        "No backup has these; keep a copy of each away from this machine and from its backups, "
        f"with its name: {', '.join(named)}."
    )


def static_files() -> Iterator[Finding]:
    """Whether browsers can cache static files for ever; it is no fault if not."""
    storage: Any = staticfiles_storage  # web.static_names.StaticStorage, lazily
    if settings.HTTPS and not storage.are_hashed:
        yield ok(
            "Those of this release were not collected: browsers ask for them again each minute. "
            "After `manage.py collectstatic --no-input`, and a start of the web processes, they "
            "keep them for good."
        )


def mail() -> Iterator[Finding]:
    if not settings.EMAIL_URL:
        return
    server = get_connection(timeout=5)
    try:
        server.open()
        server.close()
    except OSError as fault:  # smtplib's errors are OSErrors as well
        yield down(
            f"The mail server of EMAIL_URL does not let us in: {type(fault).__name__}.",
            "Check host, port, user and password of EMAIL_URL, and smtp+tls or smtp+ssl.",
        )
