"""A site that soon gives up to wait for PostgreSQL."""

from config.deadlines import database_options
from config.settings import *  # noqa: F403
from config.settings import DATABASES

ROOT_URLCONF = "tests.config.stalled_urls"
MIDDLEWARE = [
    "config.deadlines.request_middleware",
    "web.probes.probes_middleware",
    "allauth.account.middleware.AccountMiddleware",  # without it nothing starts
]
DATABASE_SECONDS = {
    "connect": 2,  # libpq waits no less
    "lock": 1,
    "statement": 1,
    "idle in a transaction": 1,
    "answer": 1.5,
    "start": 1,
}
DATABASES["default"]["OPTIONS"] = database_options(DATABASE_SECONDS)
