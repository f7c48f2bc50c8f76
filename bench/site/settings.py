"""The product's settings, on a scratch database, and what it is compared with beside it."""

from config.settings import *  # noqa: F403
from config.settings import DATABASES, REDIS_URL

DATABASES["default"]["NAME"] = "bench"
DATABASES["default"]["TEST"] = {"NAME": "bench"}
ROOT_URLCONF = "bench.site.urls"

CELERY_TASK_DEFAULT_QUEUE = "bench"  # whatever else uses this Redis leaves these tasks alone
CELERY_IMPORTS = ["bench.site.tasks"]
CELERY_RESULT_BACKEND = REDIS_URL.replace("embedded+", "redis+")
