"""One run: a site, a crowd, one fault after the other; and in the end every check."""

import math
import time
import traceback
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.db import connections

from crowd import over_http, world
from crowd.people import Crowd
from judging.models import Study
from tests.acceptance import cranfield
from tests.faults import checks, families
from tests.faults.browser import FaultyBrowser, Storm
from tests.faults.fault import Strike
from tests.faults.record import Record
from tests.faults.site import (
    FIRST_TOPIC,
    STUDY,
    TOPIC,
    UNIT_SIZE,
    Site,
    running,
    write_collection,
)
from tests.faults.striking import Striker
from tests.faults.watching import Watch
from tests.faults.wrong_clocks import has_compiler, wrong_clocks
from tests.judging import invariants

CATCHES_UP = 60.0  # seconds at most until the rankings are up to date
LOOKS = 0.2
TABLES = ("rankings", "qrels")
COLLECTION = "judged"
OnProgress = Callable[[str], object]


class Report:
    """What is wrong, by check, each thing once; and which families were not possible, and why."""

    def __init__(self) -> None:
        self.wrong: dict[str, list[str]] = {}
        self.skipped: dict[str, str] = {}

    def check(self, name: str, complaints: Iterable[str]) -> None:
        known = self.wrong.setdefault(name, [])
        for said in complaints:
            if said not in known:
                known.append(said)

    @property
    def is_good(self) -> bool:
        return not any(self.wrong.values())


class Run:
    """One go at it. options: as the command line has them; folder: of the site."""

    def __init__(self, options: Namespace, folder: Path, tell: OnProgress) -> None:
        self.options, self.folder, self.tell = options, folder, tell
        self.record, self.report = Record(), Report()
        self.strikes: list[Strike] = []
        self.studies: list[str] = []
        self.storm = Storm(options.seed, math.inf, options.vanishes)

    def to_the_end(self) -> None:
        """Let it storm, let the crowd complete what there is, and check."""
        clocks = None
        with ExitStack() as stack:
            if "clocks" in self.options.families and has_compiler():
                clocks = stack.enter_context(wrong_clocks())
            site = stack.enter_context(running(self.folder, clocks))
            stack.callback(connections.close_all)
            if self._storm(site):
                self._check()
            connections.close_all()
            self.report.check("the site stops and leaves nothing behind", site.stop())

    def _storm(self, site: Site) -> bool:
        """Study after study is judged to the end, the last one in calm weather; whether it was."""
        kinds, self.report.skipped = families.possible(
            site, self.options.families, insists=self.options.full
        )
        files = self._files()
        _manage("import_collection", COLLECTION, *files)
        crowd = self._next_crowd()
        if not self.options.each:
            self.storm.until = time.monotonic() + 60 * self.options.minutes
        watch = Watch(site.port)
        striker = Striker(
            site=site,
            watch=watch,
            kinds=kinds,
            coming=self._coming(kinds),
            pause=self.options.pause,
            entry=f"/study/{self.studies[0]}/",
            seed=self.options.seed,
            look=partial(self._look, watch),
            tell=self.tell,
        )
        watch.start()
        striker.start()
        is_over = False
        try:
            self._judge(site, crowd)
            while self.storm.rages:
                with striker.resting():
                    crowd = self._next_crowd()
                self._judge(site, crowd)
            is_over = True
        except* Exception:
            self.report.check("the crowd can go on", [traceback.format_exc()])
        finally:
            striker.stop()
            watch.stop()
        connections.close_all()
        since = math.inf if striker.well_since is None else striker.well_since
        calm = checks.calm(self.strikes, watch.sights, since)
        self.report.check("health tells the truth", calm)
        self.report.check("faults can go on", [repr(striker.fault)] if striker.fault else [])
        return is_over

    def _coming(self, kinds: Collection[str]) -> Iterator[str]:
        """Which fault comes next; in the end the storm is over."""
        each, groups = self.options.each, {families.group(kind) for kind in kinds}
        for kind in families.schedule(kinds, self.options.seed):
            came = Counter(families.group(strike.kind) for strike in self.strikes)
            is_enough = each and all(came[group] >= each for group in groups)
            if is_enough or len(self.strikes) >= self.options.most:
                self.storm.until = time.monotonic()
            if not self.storm.rages:
                return
            yield kind

    def _look(self, watch: Watch, strikes: Sequence[Strike]) -> None:
        """What is wrong once all is well again, in the midst of the crowd's work."""
        self.strikes += strikes
        since = min(strike.at for strike in strikes)
        sights = [sight for sight in watch.sights if sight.ended >= since]
        check = self.report.check
        check("the site recovers from each fault", checks.recoveries(strikes))
        check("health tells the truth", checks.health(strikes, sights))
        check("the database holds to its rules", _asked_anew(invariants.broken))
        check("after each fault, what was acknowledged is kept", _asked_anew(self._lost))

    def _lost(self) -> list[str]:
        return list(checks.nothing_lost(self.record, self.record.acknowledged()))

    def _files(self) -> list[str]:
        """The arguments to import what is judged: a collection that is made up, or Cranfield."""
        if self.options.full:
            return [str(word) for word in cranfield.FILES]
        return write_collection(self.folder / "files", self.options.topics, self.options.seed)

    def _next_crowd(self) -> Crowd:
        """Open another study; its crowd."""
        connections.close_all()  # the last one may have been cut meanwhile
        options, number = self.options, len(self.studies) + 1
        slug, config = f"study-{number}", self.folder / f"study-{number}.toml"
        topics = range(FIRST_TOPIC, FIRST_TOPIC + options.topics)
        made_up = "".join(TOPIC.format(topic=topic) for topic in topics)
        # After the first one of the long run, those are judged to their end soon after the storm.
        less = 10 if options.full and number > 1 else 1
        settings = STUDY.format(
            redundancy=max(1, options.redundancy // less),
            unit_size=UNIT_SIZE,
            minimum=20 / options.speedup,
            expiry=options.expiry,
        )
        config.write_text(settings + (cranfield.questions() if options.full else made_up))
        pool = [] if options.full else ["--pool-depth", "1000"]
        _manage("create_study", slug, "--collection", COLLECTION, "--config", str(config))
        _manage("plan_units", slug, "--seed", str(options.seed), *pool)
        _manage("open_study", slug)
        self.studies.append(slug)
        return Crowd(world.read(Study.objects.get(slug=slug), 1000 * options.seed + number))

    def _judge(self, site: Site, crowd: Crowd) -> None:
        while True:
            try:
                over_http.run(
                    crowd,
                    self.options.workers,
                    site.address,
                    self.options.speedup,
                    lambda done: None,
                    lambda connector: FaultyBrowser(connector, self.record, self.storm),
                )
            except over_http.NoSite:  # it looks once, and that may have been the wrong moment
                if not self.storm.rages:
                    raise
                time.sleep(LOOKS)
            else:
                return

    def _check(self) -> None:
        """Ask everything that can be asked once the storm is over."""
        record, check = self.record, self.report.check
        check("no request fails without a cause", checks.answers(record, self.strikes))
        check("who comes back is where they were", record.strays)
        check("every unit is completed", checks.units())
        check("rankings are up to date", _catch_up())
        check("rankings are as if computed anew", recomputed(self.studies))
        check("the database holds to its rules", _asked_anew(invariants.broken))
        check("what was acknowledged is kept", checks.judgments(record))
        check("assignments end as they should", checks.endings(record))
        check("codes are paid once, to whom they belong", checks.codes(record))


def _asked_anew(question: Callable[[], list[str]]) -> list[str]:
    connections.close_all()
    try:
        return question()
    finally:
        connections.close_all()


def _catch_up() -> list[str]:
    """Wait for the rankings; which never came."""
    ends = time.monotonic() + CATCHES_UP
    while (behind := list(checks.up_to_date())) and time.monotonic() < ends:
        time.sleep(LOOKS)
    return behind


def recomputed(slugs: list[str]) -> list[str]:
    """Compute all rankings anew; those that become others."""
    before = {slug: _published(slug) for slug in slugs}
    for slug in slugs:
        _manage("recompute", slug)
    return list(checks.rankings(before, {slug: _published(slug) for slug in slugs}))


def _published(slug: str) -> str:
    return "".join(_manage("export", slug, table) for table in TABLES)


def _manage(*arguments: str) -> str:
    """Run a command; what it prints."""
    said, bar = StringIO(), StringIO()
    with redirect_stderr(bar):
        call_command(*arguments, stdout=said)
    return said.getvalue()
