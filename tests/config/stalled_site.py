"""A site that asks PostgreSQL, and few at once."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.config.stalled_urls"
MIDDLEWARE = [
    "web.middleware.probes.probes_middleware",
    "web.middleware.overload.overload_middleware",
    "allauth.account.middleware.AccountMiddleware",  # without it nothing starts
]
MAX_REQUESTS = 2
