from collections.abc import Iterator

from django.core.cache import caches
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor

from web.findings import Finding, degraded, down
from web.queues import UNAVAILABLE, redis

POSTGRES = range(15, 19)  # the tests run on the first and the last of these versions
MIN_REDIS = 6
DURABLE = ("fsync", "full_page_writes", "synchronous_commit")
# Settings of PostgreSQL's log, and the values that keep out what people wrote.
SAFE_LOG_SETTINGS = {
    "log_min_error_statement": ("panic", "fatal"),
    "log_error_verbosity": ("terse",),
    "log_statement": ("none", "ddl"),
    "log_min_duration_statement": ("-1",),
    "log_parameter_max_length_on_error": ("0",),
}


def postgres() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)",
            [["server_version_num", *DURABLE, *SAFE_LOG_SETTINGS]],
        )
        values: dict[str, str] = dict(cursor.fetchall())
    version = int(values["server_version_num"]) // 10_000
    if version not in POSTGRES:
        yield degraded(
            f"PostgreSQL is version {version}; tried are {POSTGRES[0]} to {POSTGRES[-1]}.",
            f"Move the data to PostgreSQL {POSTGRES[-1]} by backup and restore.",
        )
    for name in DURABLE:
        if values.get(name) == "off":
            yield down(
                f"{name} of PostgreSQL is off: a crash loses judgments that were acknowledged.",
                f"ALTER SYSTEM SET {name} = on; SELECT pg_reload_conf();",
            )
    for name, safe in SAFE_LOG_SETTINGS.items():
        if name in values and values[name] not in safe:
            yield degraded(
                f"{name} of PostgreSQL is {values[name]}: what people wrote gets into its log.",
                f"ALTER SYSTEM SET {name} = '{safe[0]}'; SELECT pg_reload_conf();",
            )


def tables() -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        first = plan[0][0]
        yield down(
            f"{len(plan)} migrations are not applied, the first {first.app_label} {first.name}.",
            "manage.py migrate",
        )
    elif caches["default"]._table not in connection.introspection.table_names():  # type: ignore[attr-defined]
        yield down(
            "The table of the cache is not there: nobody can log in.",
            f"manage.py createcachetable --database {DEFAULT_DB_ALIAS}",
        )


def queue() -> Iterator[Finding]:
    try:
        with redis() as client:
            version = client.info("server")["redis_version"]
            policy = client.info("memory")["maxmemory_policy"]
    except UNAVAILABLE:
        return  # the part `redis` says so
    if int(version.partition(".")[0]) < MIN_REDIS:
        yield degraded(
            f"Redis is version {version}; tried are {MIN_REDIS} and newer.",
            "Install a newer one.",
        )
    if policy != "noeviction":
        yield degraded(
            f"maxmemory-policy of Redis is {policy}: it may throw tasks away in silence.",
            "redis-cli CONFIG SET maxmemory-policy noeviction, and in its file.",
        )
