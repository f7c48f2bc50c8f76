"""From the release before to this one, and back, while 64 people judge."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from tests.config.compose import HOST, SECRETS, Container, Stack, free_ports
from tests.config.helpers import until
from tests.faults import site as made_up

from .releases import Release
from .servers import GIVEN, NAME, POSTGRES, DebianRedis, Proxy, proxy

BEFORE = "v0.1"
SLUG = "upgraded"
AT_ONCE, SPEEDUP = 64, 20.0
TOPICS, REDUNDANCY = 18, 7  # 756 units
A_WHILE = 60  # units
LONGEST = 10.0  # seconds that a request may take
READS_FOR = 6.0  # seconds, so that `migrate` is kept from a table and tries again
OLD_DRAINS = 10.0  # seconds that the proxy gets for what it has sent to a process already
PATIENCE = 900
COMPLETED = "SELECT count(*) FROM judging_assignment WHERE state = 'completed'"
TABLES = ("rankings", "qrels")
# What stands in .env of the release before; the servers are where this one's are.
GIVEN_BEFORE = {"SECRET_KEY": SECRETS["secret_key"], "POSTGRES_PASSWORD": "-"}
GIVEN_BEFORE |= {"ALLOWED_HOSTS": NAME, "HTTPS": "on"}
CELERY = ("worker", "expiry", "imports", "beat")


class Site:
    """Servers, the processes of two releases that use them, and the proxy in front."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "new").mkdir()
        self.new = Stack(folder / "new", GIVEN, POSTGRES["15"], DebianRedis)
        for server in self.new.servers:
            server.ensure(PATIENCE)
        postgres, redis = self.new.servers
        servers = {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}
        servers["VAR_DIR"] = str(self.new.var_dir)
        self.old = Release(BEFORE, folder / "old", GIVEN_BEFORE, servers)
        self.ports = dict(zip((BEFORE, "new"), free_ports(2), strict=True))
        self.at_work: dict[tuple[str, str], Container] = {}
        self.ever: list[Container] = []

    def part(self, release: str, name: str) -> Container:
        """A part that is not started yet; each has a name of its own."""
        number = len(self.ever)
        variables = {"PORT": f"{self.ports[release]}"} if name == "web" else {}
        if release == BEFORE:
            part = self.old.part(name, number, **variables)
        else:
            part = self.new._container(name, number, **variables)
        self.ever.append(part)
        return part

    def start(self, release: str, *names: str) -> None:
        """Start parts of a release."""
        for name in names:
            self.at_work[release, name] = self.part(release, name)
            self.at_work[release, name].start()
        if "web" in names:
            until(lambda: self._serves(self.ports[release]), PATIENCE)

    def _serves(self, port: int) -> bool:
        said = {"Host": NAME, "X-Forwarded-Proto": "https"}
        with suppress(httpx.HTTPError):
            asked = httpx.get(f"http://{HOST}:{port}/health/", headers=said, trust_env=False)
            return asked.status_code == httpx.codes.OK
        return False

    def stop(self, release: str, *names: str) -> None:
        """Ask parts of a release to end, as an engine does, and wait until they have."""
        parts = [self.at_work.pop((release, name)) for name in names]
        for part in parts:
            part.terminate()
        for part in parts:
            part.end(70)

    def manage(self, release: str, *words: str) -> str:
        """What a command of a release prints."""
        part = self.part(release, "migrate")
        run = part.run(["python", "manage.py", *words], stdout=-1, stderr=-1)
        output, errors = run.communicate()
        assert run.returncode == 0, errors.decode()
        return output.decode()

    def kill(self) -> None:
        """End everything."""
        with ExitStack() as everything:
            everything.callback(self.new.kill)
            for part in self.ever:
                everything.callback(part.kill)


class Walk:
    """What an operator does to a site at which people judge."""

    def __init__(self, site: Site, front: Proxy) -> None:
        self.site, self.front = site, front

    def judge(self) -> None:
        """Let people come to the release before."""
        files = made_up.write_collection(self.site.folder / "files", TOPICS, 1)
        config = self.site.folder / "study.toml"
        made_up.write_study(config, TOPICS, REDUNDANCY, SPEEDUP, expiry_minutes=60)
        for words in (
            ("import_collection", "made-up", *files),
            ("create_study", SLUG, "--collection", "made-up", "--config", str(config)),
            ("plan_units", SLUG, "--pool-depth", "1000", "--seed", "1"),
            ("open_study", SLUG),
        ):
            self.site.manage(BEFORE, *words)
        part = self.site.part(BEFORE, "migrate")
        root = self.front.folder / "caddy/caddy/pki/authorities/local/root.crt"
        part.environment |= {
            "SSL_CERT_FILE": str(root),
            "PYTHONPATH": str(part.image),
            "BENCH_DATABASE": self.site.new.services["postgres"].environment["POSTGRES_DB"],
        }
        crowd = Path(__file__).with_name("calm_crowd.py")
        words = [sys.executable, str(crowd), SLUG, self.front.origin, f"{AT_ONCE}", f"{SPEEDUP}"]
        self.log, self.told = (self.site.folder / f"crowd.{kind}" for kind in ("log", "json"))
        with self.log.open("wb") as log, self.told.open("wb") as told:
            self.crowd = part.run(words, stdout=told, stderr=log)

    def wait(self, units: int = A_WHILE) -> None:
        """Until so many more units are completed."""
        have = self._completed()
        until(lambda: self._completed() >= have + units, PATIENCE)

    def _completed(self) -> int:
        assert self.crowd.poll() is None, self.log.read_text()[-5000:]
        ((number,),) = self.site.new.query(COMPLETED)
        return number

    def lead(self, *releases: str) -> None:
        """Let the proxy know the web servers of these releases."""
        self.front.lead([self.site.ports[release] for release in releases])

    def leave(self, release: str) -> None:
        """End the web server of the release before, which does not tell the proxy by itself."""
        self.lead(*(self.site.ports.keys() - {release}))
        time.sleep(OLD_DRAINS)
        self.site.stop(release, "web")

    def end(self) -> dict[str, Any]:
        """What the crowd has to say in the end."""
        self.crowd.wait(PATIENCE)
        assert self.crowd.returncode == 0, self.log.read_text()[-5000:]
        return json.loads(self.told.read_text())


@contextmanager
def reading(stack: Stack, seconds: float) -> Iterator[None]:
    """Somebody reads a table for so long, as an analysis or a backup does."""
    reads = threading.Event()

    def read() -> None:
        with closing(stack.connect()) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM judging_assignment")
            cursor.execute("SELECT count(*) FROM judging_platformaccount")
            reads.set()
            time.sleep(seconds)

    thread = threading.Thread(target=read)
    thread.start()
    reads.wait(PATIENCE)
    yield
    thread.join()


def test_nobody_who_judges_notices_an_upgrade_or_the_way_back(tmp_path: Path) -> None:
    site = Site(tmp_path)
    with ExitStack() as everything:
        everything.callback(site.kill)
        site.manage(BEFORE, "migrate", "--no-input")
        site.start(BEFORE, "web", *CELERY)
        front = everything.enter_context(
            proxy(tmp_path / "proxy", list(site.ports.values()), READINESS="/health/")
        )
        walk = Walk(site, front)
        with front.client() as client:
            until(lambda: client.get("/health/").status_code == httpx.codes.OK, PATIENCE)
        walk.judge()
        walk.wait()
        with reading(site.new, READS_FOR):
            began = time.monotonic()
            site.manage("new", "migrate", "--no-input")
            migrated = time.monotonic() - began
        walk.wait()  # the release before, on the tables of this one
        site.start("new", "web")  # and the proxy sends people to both by turns
        walk.wait(2 * A_WHILE)
        walk.leave(BEFORE)
        walk.wait()  # Celery of the release before, with what this one writes
        site.start("new", *CELERY)
        site.stop(BEFORE, *CELERY)
        walk.wait()
        # And back.
        walk.lead(*site.ports)
        site.start(BEFORE, "web", *CELERY)
        walk.wait()
        site.stop("new", "web", *CELERY)
        walk.wait()
        site.start("new", "web", *CELERY)
        walk.wait()
        walk.leave(BEFORE)
        site.stop(BEFORE, *CELERY)
        told = walk.end()
        sys.stdout.write(f"migrate took {migrated:.1f} s; {told}\n")
        assert not [name for name in told if name.startswith(("status 4", "status 5"))]
        assert told["wrong"] == []
        assert told["troubles"] == {}  # no connection was cut, either
        assert told["slowest"] < LONGEST
        assert told["acknowledged"] >= 8 * TOPICS * 6 * REDUNDANCY
        site.stop("new", *CELERY)
        published = [site.manage("new", "export", SLUG, table) for table in TABLES]
        site.manage("new", "recompute", SLUG)
        assert published == [site.manage("new", "export", SLUG, table) for table in TABLES]
