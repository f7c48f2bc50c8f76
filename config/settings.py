"""Everything that differs between machines comes from the environment; see docs/operations.md."""

import os
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import background, secret
from config.hsts import validate_steps
from config.oidc import provider_settings, validate_issuer
from web.cookie_names import CSRF, SESSION, host_cookie

# Threads of several processes would compete for the processors, and make products of small matrices
# ten times slower. Read when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Secrets are read by env.secret: X from the environment, or from the file that X_FILE names.
env = secret.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var"))).resolve()

# What this process is for: config/gunicorn.py and manage.py say so.
PROCESS = os.environ.get("PROCESS", "tasks and commands")
DEBUG = env.bool("DEBUG", default=False)
HTTPS = env.bool("HTTPS", default=False)
# Where the web server listens. A slow client keeps one of its threads, so it is for this machine
# alone, unless a proxy stands before it, which reads requests whole.
HOST = env.str("HOST", default="127.0.0.1")
PORT = env.int("PORT", default=8000)
if HOST not in {"127.0.0.1", "[::1]", "localhost"} and not env.bool("PROXY", default=False):
    raise ImproperlyConfigured(
        f"HOST={HOST} lets other machines reach the web server, which leaves slow clients to a "
        "proxy. Put one before it, as docs/operations/deployment.md says, and set PROXY=yes."
    )
SECRET_KEY = env.secret("SECRET_KEY") or secret.load_or_create(VAR_DIR / "secret-key")
if HTTPS:
    secret.validate_length(SECRET_KEY)
# Former keys: what they signed, such as the cookies of workers, stays valid.
SECRET_KEY_FALLBACKS = env.secrets("SECRET_KEY_FALLBACKS")
# Ids of people, tokens and secrets in the database are encrypted by the first of these keys
# (web.encryption); the others are former ones.
ENCRYPTION_KEYS = (
    env.secrets("ENCRYPTION_KEY") or secret.load_or_create(VAR_DIR / "encryption-key").splitlines()
)
if HTTPS:
    for key in ENCRYPTION_KEYS:
        secret.validate_length(key, "A key in ENCRYPTION_KEY")
NAMES = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
ALLOWED_HOSTS = [name.strip() for name in NAMES]
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# Addresses and networks of the proxies whose X-Forwarded-... headers are believed.
TRUSTED_PROXIES = [
    ip_network(place) for place in env.list("TRUSTED_PROXIES", default=["127.0.0.0/8", "::1"])
]

# --- PostgreSQL and Redis -------------------------------------------------------------------
# Unset: the embedded servers, which the first connection to PostgreSQL starts. The image does not
# have them.
DATABASE_URL = env.secret("DATABASE_URL")
DATABASE_PASSWORD = env.secret("DATABASE_PASSWORD")
REDIS_URL = env.secret("REDIS_URL")
EMBEDDED_SERVERS = []
if not (DATABASE_URL and REDIS_URL):
    from embedded import sharing

    EMBEDDED_SERVERS = sharing.servers(VAR_DIR, postgres=not DATABASE_URL, valkey=not REDIS_URL)
DATABASES = {
    "default": env.db_url_config(DATABASE_URL) if DATABASE_URL else sharing.database(VAR_DIR)
}
# A separate password needs no URL encoding.
if DATABASE_URL and DATABASE_PASSWORD:
    DATABASES["default"]["PASSWORD"] = DATABASE_PASSWORD
# Connections are persistent, and checked before they are used: PostgreSQL may have restarted.
DATABASES["default"]["CONN_MAX_AGE"] = None
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# A server that has gone, and a network that is cut, are noticed within 15 seconds.
DATABASES["default"].setdefault("OPTIONS", {}).update(
    connect_timeout=2 if PROCESS == "web" else 10,
    keepalives_idle=5,
    keepalives_interval=5,
    keepalives_count=2,
    tcp_user_timeout=15_000,
)
# Milliseconds after which PostgreSQL ends a statement, and the like. Those of web are the role's:
# `migrate` sets them, so that a pooler keeps them. While `migrate` waits for a lock, all wait
# behind it.
HOUR = 3_600_000
LOCK, STATEMENT = "lock_timeout", "statement_timeout"
IDLE = "idle_in_transaction_session_timeout"
DATABASE_LIMITS_OF = {
    "web": {LOCK: 5_000, STATEMENT: 15_000, IDLE: 30_000},
    "tasks and commands": {LOCK: 300_000, STATEMENT: HOUR, IDLE: HOUR},
    "io": {LOCK: 20_000, STATEMENT: 50_000, IDLE: 60_000},
    "migrate": {LOCK: 2_000, STATEMENT: HOUR, IDLE: HOUR},
}
DATABASE_LIMITS = DATABASE_LIMITS_OF[PROCESS]
if PROCESS != "web":
    DATABASES["default"]["OPTIONS"]["options"] = " ".join(
        f"-c {name}={milliseconds}" for name, milliseconds in DATABASE_LIMITS.items()
    )
if not DATABASE_URL:
    DATABASES["default"]["OPTIONS"]["connection_factory"] = sharing.starting(
        EMBEDDED_SERVERS, 3 if PROCESS == "web" else 60
    )
REDIS_URL = REDIS_URL or sharing.redis_url(VAR_DIR)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Applications ---------------------------------------------------------------------------
INSTALLED_APPS = [
    "web",
    "accounts",
    "judging",
    "evaluation",
    "crowd",
    "workspace",
    "operations",
    "rest_framework",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "web.logs.requests.requests_middleware",
    "web.middleware.probes.probes_middleware",
    "web.middleware.proxies.proxies_middleware",
    "operations.health.views.watching_middleware",
    "web.middleware.overload.overload_middleware",
    "operations.request_metrics.counting_middleware",
    "web.middleware.https_only.https_only_middleware",
    "web.middleware.compressing.CompressingMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "web.middleware.policy.policy_middleware",
    "web.static_names.StaticFilesMiddleware",
    "web.middleware.limits.limits_middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.sessions.sessions_middleware",
    "accounts.second_factor.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "config.urls"
CSRF_FAILURE_VIEW = "judging.pages.unknown.csrf_failure"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "web.help.fitting",
                "web.display.display",
            ],
            "builtins": ["web.templatetags.times"],
        },
    },
]

# --- Static files ---------------------------------------------------------------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "var" / "static"  # of `collectstatic`: a part of the image, of no volume
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "web.static_names.StaticStorage"},
}
WHITENOISE_USE_FINDERS = True

# --- Limits of a request --------------------------------------------------------------------
# The maximum length of a body, by the longest matching prefix of its path. The proxy reads bodies
# whole, and none that is longer than the longest here.
KIB = 1024
BODY_LIMITS = {
    "/": 64 * KIB,  # workers' pages, the log-in, REST's JSON
    "/admin/": 1024 * KIB,  # the form of a study, with hundreds of topics
    "/api/v1/uploads/": 1024 * KIB,  # a piece of a file
    "/hooks/": 8 * KIB,  # an event of a participant platform
    "/uploads/": 1024 * KIB,  # files whole, of those who have no scripts
    "/studies/": 1024 * KIB,  # a study.toml, questions, the pool of a topic
    "/new-study/": 1024 * KIB,
}
ANONYMOUS_BODY_LIMIT = 64 * KIB  # anywhere, without a session cookie and without a token
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_LIMITS["/admin/"]  # of a body but for its files
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
FILE_UPLOAD_HANDLERS = ["web.middleware.limits.NoFiles"]
# Requests that a web process answers at once. Two more threads are for probes and for who
# waits (web.middleware.overload).
MAX_REQUESTS = 5
WEB_CONCURRENCY = env.int("WEB_CONCURRENCY", default=2)  # web processes
if not 1 <= WEB_CONCURRENCY <= 100:
    raise ImproperlyConfigured(
        f"WEB_CONCURRENCY={WEB_CONCURRENCY}: a number of web processes from 1 to 100 is expected."
    )
# A web process that is asked to stop serves requests for so long, but reports that it is not ready.
# After that no proxy is about to use a connection that it closes.
DRAIN_SECONDS = env.int("DRAIN_SECONDS", default=0)

# --- Files that people upload ---------------------------------------------------------------
# A folder that the web server and the worker `compute` share.
UPLOAD_DIR = env.str("UPLOAD_DIR", default="") or str(VAR_DIR / "uploads")
MAX_UPLOAD_BYTES = env.int("MAX_UPLOAD_BYTES", default=4 * KIB**3)  # of one file
MAX_UPLOAD_BYTES_OF_A_PERSON = env.int("MAX_UPLOAD_BYTES_OF_A_PERSON", default=16 * KIB**3)
# Data sets of the ir_datasets library that may be imported, with their maximum of documents.
IR_DATASETS = env.dict("IR_DATASETS", default={})
UPLOAD_DAYS = 7  # until a file is deleted that is neither completed nor imported
IMPORT_DAYS = 90  # for which a finished import is listed

# --- Backups --------------------------------------------------------------------------------
# Where backups and the record are stored: file:///FOLDER or s3://BUCKET/PREFIX.
BACKUP_URL = env.str("BACKUP_URL", default="") or (VAR_DIR / "backups").as_uri()
BACKUP_HOURS = env.float("BACKUP_HOURS", default=0)  # between two; 0: no schedule
BACKUP_KEY = env.secret("BACKUP_KEY")  # the public half, for encryption
# PostgreSQL itself, if DATABASE_URL is a connection pool: pg_dump needs a session.
BACKUP_DATABASE_URL = env.secret("BACKUP_DATABASE_URL")
AWS_SECRET_ACCESS_KEY = env.secret("AWS_SECRET_ACCESS_KEY")  # of a bucket
BACKUP_DATABASE = env.db_url_config(BACKUP_DATABASE_URL) if BACKUP_DATABASE_URL else None
if BACKUP_DATABASE and DATABASE_PASSWORD:
    BACKUP_DATABASE["PASSWORD"] = DATABASE_PASSWORD

# --- Security -------------------------------------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = (host_cookie(name, https=HTTPS) for name in (SESSION, CSRF))
MESSAGE_STORAGE = "web.messages.Storage"
# Browsers remember it for so long, and it cannot be revoked: an hour until it is known to work.
HSTS_SECONDS = env.int("HSTS_SECONDS", default=3600)
HSTS_SUBDOMAINS = env.bool("HSTS_SUBDOMAINS", default=False)
HSTS_PRELOAD = env.bool("HSTS_PRELOAD", default=False)
validate_steps(HSTS_SECONDS, subdomains=HSTS_SUBDOMAINS, preload=HSTS_PRELOAD)
SECURE_HSTS_SECONDS = HSTS_SECONDS if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and HSTS_SUBDOMAINS
SECURE_HSTS_PRELOAD = HTTPS and HSTS_PRELOAD
# Other hosts of the domain are up to their operators.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# For access to /status and /metrics; without it they are for this machine alone.
STATUS_TOKEN = env.secret("STATUS_TOKEN")
METRICS = env.bool("METRICS", default=False)  # /metrics, for Prometheus
# Where errors are reported to: e-mail addresses, and a project of a service like Sentry.
ERRORS_TO = env.list("ERRORS_TO", default=[])
ERRORS_DSN = env.secret("ERRORS_DSN")
HEARTBEAT_URL = env.secret("HEARTBEAT_URL")  # called each minute if all is well

# --- People who log in, and their tokens ----------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "accounts.adapters.Adapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SESSION_REMEMBER = False
SESSION_IDLE_SECONDS = 12 * 3600  # of inactivity until a session ends
SESSION_MAX_AGE_SECONDS = SESSION_COOKIE_AGE = 14 * 24 * 3600
ACCOUNT_FORMS = {
    "change_password": "accounts.passwords.ChangePasswordForm",
    "set_password": "accounts.passwords.SetPasswordForm",
    "reset_password_from_key": "accounts.passwords.ResetPasswordForm",
}
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of changed passwords, second factors and tokens
# Wrong passwords: for one name, and from one address. Log-ins by OpenID Connect that are begun.
ACCOUNT_RATE_LIMITS = {"login_failed": "20/m/ip,5/5m/key", "oidc": "20/m/ip"}
WRONG_TOKENS = "20/min"  # from one address
# `migrate` makes the first admin.
ADMIN_NAME = env.str("ADMIN_NAME", default="")
ADMIN_PASSWORD = env.secret("ADMIN_PASSWORD")
if ADMIN_NAME and not ADMIN_PASSWORD:
    raise ImproperlyConfigured(
        "ADMIN_NAME is set and ADMIN_PASSWORD is not. Set both, or unset ADMIN_NAME and run "
        "manage.py createsuperuser."
    )
# For whom a second factor is mandatory.
_SECOND_FACTOR_CHOICES = ("nobody", "admins", "everybody")
SECOND_FACTOR = env.str("SECOND_FACTOR", default="nobody", choices=_SECOND_FACTOR_CHOICES)
MFA_ADAPTER = "accounts.factor_secrets.Adapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody signs up by themselves
MFA_TOTP_ISSUER = "Magnitudes"
# Log-in at an institution by OpenID Connect: off without an issuer.
OIDC_ISSUER = env.str("OIDC_ISSUER", default="")
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", default="")
OIDC_CLIENT_SECRET = env.secret("OIDC_CLIENT_SECRET")
OIDC_NAME = env.str("OIDC_NAME", default="") or urlsplit(OIDC_ISSUER).netloc
# Domains of verified e-mail addresses whose owners get an account at their first log-in.
OIDC_DOMAINS = [name.strip().lower() for name in env.list("OIDC_DOMAINS", default=[])]
SOCIALACCOUNT_ADAPTER = "accounts.adapters.InstitutionAdapter"
SOCIALACCOUNT_FORMS = {"disconnect": "accounts.oidc.UnlinkForm"}
SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = True
if OIDC_ISSUER:
    validate_issuer(OIDC_ISSUER, client_id=OIDC_CLIENT_ID, client_secret=OIDC_CLIENT_SECRET)
    SOCIALACCOUNT_PROVIDERS = provider_settings(
        OIDC_ISSUER, OIDC_NAME, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET
    )
KNOX_TOKEN_MODEL = "accounts.Token"  # noqa: S105 - a model
REST_KNOX = {"TOKEN_MODEL": KNOX_TOKEN_MODEL}
MIGRATION_MODULES = {"knox": None}  # its own table of tokens is not wanted
# `default` counts wrong log-ins over all processes, also after a restart. Each process has its own
# cache of pictures.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Of the pages of documents: a few KB each, a few dozen a study.
    "template_fragments": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "fragments",
        "OPTIONS": {"MAX_ENTRIES": 2_000},
    },
    "pictures": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}
# Without a mail server, admins hand over links to new passwords.
EMAIL_URL = env.secret("EMAIL_URL")
if EMAIL_URL:
    vars().update(env.email_url_config(EMAIL_URL))
    EMAIL_TIMEOUT = 10  # seconds: somebody may be waiting
    DEFAULT_FROM_EMAIL = env.str("EMAIL_FROM")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
] + [{"NAME": "accounts.passwords.SiteWordsValidator"}]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "studies"
LOGOUT_REDIRECT_URL = "account_login"

# --- Participant platforms ------------------------------------------------------------------
# Where Prolific publishes the keys of its signed links.
PROLIFIC_KEYS = "https://api.prolific.com/.well-known/study/jwks.json"
PROLIFIC_KEYS_URL = env.str("PROLIFIC_KEYS_URL", default=PROLIFIC_KEYS)
PROLIFIC_API_URL = env.str("PROLIFIC_API_URL", default="https://api.prolific.com")

# --- Language models ------------------------------------------------------------------------
# Endpoints that researchers may have a study judged by, as name=address; none: there is no such
# thing on the site. No other address is ever asked.
MODEL_ENDPOINTS = env.dict("MODEL_ENDPOINTS", default={})
for _name, _address in MODEL_ENDPOINTS.items():
    if urlsplit(_address).scheme not in ("http", "https") or not urlsplit(_address).hostname:
        raise ImproperlyConfigured(
            f"MODEL_ENDPOINTS: {_name}={_address}; expected NAME=https://ADDRESS, with commas "
            "between several."
        )

# --- Language and time ----------------------------------------------------------------------
# Pages for users are in English, whatever the browser asks for; those for workers in the language
# of the study, which is one of these.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

# --- REST -----------------------------------------------------------------------------------
REQUESTS_PER_MINUTE = env.int("REQUESTS_PER_MINUTE", default=600)  # of one token
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.tokens.WithinScope"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.rate.TokenThrottle"],
    "DEFAULT_PARSER_CLASSES": ["web.rest.bodies.StorableJson"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "web.rest.problems.as_problem",
    "UNAUTHENTICATED_USER": None,
}
_TAGS = {
    "Collections": "Files are uploaded, then imported: topics, documents, labels, runs.",
    "Making a study": "From a draft to a study that is open.",
    "Planning": "What a study will cost and tell, and rehearsals of it.",
    "Recruiting": "Who may take part, by which link, and Prolific.",
    "Running a study": "What is decided while people judge, and what shows how it goes.",
    "Payments": "What people are owed, and what has been paid.",
    "Results": "Rankings, gains, analyses, the report, and every table as a file.",
    "Team": "Who works on a study, and invitations.",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Magnitudes",
    "DESCRIPTION": "Relevance judgments by magnitude estimation, and the ranking of systems.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "ModelRunStateEnum": "crowd.models.ModelRun.State",
        "WorkStateEnum": "judging.models.plan_job.PlanJob.State",
    },
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "PREPROCESSING_HOOKS": ["web.rest.openapi.add_head_operations"],
    "TAGS": [{"name": name, "description": text} for name, text in _TAGS.items()],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # A list of collapsed operations, without requests to other hosts.
    "SWAGGER_UI_SETTINGS": {
        "deepLinking": True,
        "docExpansion": "none",
        "defaultModelsExpandDepth": -1,
        "validatorUrl": None,
    },
}

# --- Celery ---------------------------------------------------------------------------------
TICK_SECONDS = env.float("TICK_SECONDS", default=2.0)
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True  # results are in the database
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_ANNOTATIONS = background.time_limits()
CELERY_DB_REUSE_MAX = 1000  # tasks of a database connection
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # without end
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULER = "config.beat:Scheduler"  # every period is seconds long
CELERY_BEAT_SCHEDULE = background.schedule(TICK_SECONDS, heartbeat=bool(HEARTBEAT_URL))
TASKS_OF_QUEUES = background.modules_of_queues()
CELERY_TASK_ROUTES = background.routes()
CELERY_TASK_DEFAULT_QUEUE = background.COMPUTE

# --- Logs: no address, user agent or query string, nor what anybody typed (web.logs.redaction) ---
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
LOG_FORMAT = env.str("LOG_FORMAT", default="line")  # or json
_CONSOLE = {"handlers": ["console"], "level": "INFO", "propagate": False}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "web.logs.lines.LineFormatter"},
        "json": {"()": "web.logs.lines.JsonFormatter"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT},
        "emails": {"class": "operations.error_emails.ErrorMailHandler"},
    },
    "loggers": {
        "httpx": {"level": "WARNING"},  # it logs all addresses
        "httpx2": {"level": "WARNING"},
        # Their own handlers have another format, and e-mail whole requests to admins.
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        "django.db.backends": {"level": "INFO"},  # at DEBUG it has every statement
        "web.logs.requests": _CONSOLE,
        "gunicorn.error": _CONSOLE,
        # It logs every tick.
        "celery": {"level": LOG_LEVEL if LOG_LEVEL == "DEBUG" else "WARNING"},
    },
    "root": {"handlers": ["console", "emails"] if ERRORS_TO else ["console"], "level": LOG_LEVEL},
}
