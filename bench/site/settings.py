"""The product's settings, on a scratch database, and what it is compared with beside it."""

import os

from config.settings import *  # noqa: F403
from config.settings import DATABASES, REDIS_URL, TASKS_OF_QUEUES

# Another name is that of a site at work (bench.peers).
DATABASES["default"]["NAME"] = os.environ.get("BENCH_DATABASE", "bench")
DATABASES["default"]["TEST"] = {"NAME": DATABASES["default"]["NAME"]}
ROOT_URLCONF = "bench.site.urls"

TASKS_OF_QUEUES["compute"].append("bench.site.tasks")
CELERY_RESULT_BACKEND = REDIS_URL
