"""One run: a site, a crowd, one fault after the other; and in the end every check.

A run that ends before all is done is gone on with by the next one on its folder.
"""

import math
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.db import connections

from crowd import over_http, world
from crowd.people import Crowd
from judging.models import Collection, Study
from tests.faults import checks, disks, families
from tests.faults.browser import FaultyBrowser, Over, Storm
from tests.faults.fault import Make, Strike
from tests.faults.keeping import Kept
from tests.faults.record import Record
from tests.faults.report import Options, Report
from tests.faults.site import Site, running, tidy
from tests.faults.striking import Striker
from tests.faults.watching import Watch
from tests.faults.wrong_clocks import has_compiler, wrong_clocks
from tests.judging import invariants

CATCHES_UP = 60.0  # seconds at most until the rankings are up to date
LAST_STRIKE, SENT_AWAY = 120.0, 45.0  # seconds before a run has to end
LOOKS = 0.2
MARKS = 100_000  # more than the forms of anybody
TABLES = ("rankings", "qrels")
COLLECTION = "judged"
Tell = Callable[[str], object]


class Run:
    """One go at it."""

    def __init__(self, options: Options, tell: Tell) -> None:
        self.options, self.tell = options, tell
        self.began = time.monotonic()
        self.kept = Kept(options.folder / "kept", options.seed)
        self.report = Report(self.kept)
        self.storm = Storm(
            f"{self.kept.seed} {self.kept.run}",
            math.inf,
            options.vanishes,
            self.began + options.at_most - SENT_AWAY,
            MARKS * self.kept.run,
        )

    def to_the_end(self) -> Report:
        """Let it storm, let the crowd complete what there is, and check; or as far as it comes."""
        options, var = self.options, self.options.folder / "var"
        tidy(var)
        disks.make_sound(var)
        clocks = None
        try:
            with ExitStack() as stack:
                if "clocks" in options.families and has_compiler():
                    clocks = stack.enter_context(wrong_clocks())
                site = stack.enter_context(running(var, clocks))
                stack.callback(connections.close_all)
                self._storm(site)
                if self.report.is_over:
                    self._check()
                connections.close_all()
                self.report.check("the site stops and leaves nothing behind", site.stop())
        finally:
            self.kept.close()
        return self.report

    def _storm(self, site: Site) -> None:
        """Study after study is judged to the end; the last one ends in calm weather."""
        kinds, self.report.skipped = families.possible(
            site, self.options.families, insists=self.options.insists
        )
        crowd = self._prepare(site)
        watch = Watch(site.port)
        striker = self._striker(site, watch, kinds)
        watch.start()
        striker.start()
        try:
            self._judge_on(site, crowd, striker)
            self.report.is_over = True
        except* Over:
            self.tell("it is late: all are sent away")
        except* Exception:
            self.report.check("the crowd can go on", [traceback.format_exc()])
        finally:
            striker.stop()
            watch.stop()
            self._was_calm(watch, striker)
        connections.close_all()
        self._report_of_go(kinds, striker)

    def _prepare(self, site: Site) -> Crowd:
        """What is judged, and the first crowd; from now on it storms."""
        if not Collection.objects.filter(slug=COLLECTION).exists():
            files = self.options.judged.files(site.folder / "files", self.kept.seed)
            _manage("import_collection", COLLECTION, *files)
        crowd = self._next_crowd(site)
        if not self.options.each:
            self.storm.until = time.monotonic() + self.options.lasts
        return crowd

    def _striker(self, site: Site, watch: Watch, kinds: dict[str, Make]) -> Striker:
        return Striker(
            site=site,
            watch=watch,
            kinds=kinds,
            coming=self._coming(kinds),
            pause=self.options.pause,
            entry=f"/study/{self.report.studies[0]}/",
            seed=f"{self.kept.seed} {self.kept.run}",
            look=partial(self._look, watch),
            tell=self.tell,
        )

    def _judge_on(self, site: Site, crowd: Crowd, striker: Striker) -> None:
        """One study after the other, for as long as it storms."""
        self._judge(site, crowd)
        while self.storm.rages:
            with striker.resting():
                crowd = self._next_crowd(site)
            self._judge(site, crowd)

    def _was_calm(self, watch: Watch, striker: Striker) -> None:
        """Whether health was, in all of this go: what it said is not kept for the next."""
        since = math.inf if striker.well_since is None else striker.well_since
        complaints = checks.calm(self.kept.strikes, watch.sights, since)
        self.report.check("health tells the truth", complaints)

    def _report_of_go(self, kinds: dict[str, Make], striker: Striker) -> None:
        """How far it came, and what is wrong at its end, whether or not it is the last one."""
        report = self.report
        report.left = self._left(kinds)
        rows = checks.ask(checks.UNITS)
        report.planned, report.units = (sum(row[n] for row in rows) for n in (1, 2))
        report.check("faults can go on", [repr(striker.fault)] if striker.fault else [])
        self._look(striker.watch, [])

    def _coming(self, kinds: dict[str, Make]) -> Iterator[str]:
        """Which fault comes next; in the end the storm is over."""
        before = len(self.kept.strikes)
        counted = Counter(strike.kind for strike in self.kept.strikes)
        for kind in families.schedule(kinds, f"{self.kept.seed} {self.kept.run}", counted):
            left = self.began + self.options.at_most - time.monotonic()
            if left < LAST_STRIKE or not self.storm.rages:
                return
            is_enough = len(self.kept.strikes) - before >= self.options.most
            if is_enough or (self.options.each and not self._left(kinds)):
                self.storm.until = time.monotonic()
                return
            yield kind

    def _left(self, kinds: Iterable[str]) -> dict[str, int]:
        """How often each group of kinds is still to come."""
        came = Counter(families.group(strike.kind) for strike in self.kept.strikes)
        groups = sorted({families.group(kind) for kind in kinds})
        return {g: self.options.each - came[g] for g in groups if came[g] < self.options.each}

    def _look(self, watch: Watch, strikes: Sequence[Strike]) -> None:
        """What is wrong once all is well again, in the midst of the crowd's work."""
        for strike in strikes:
            self.kept.struck(strike)
        since = min((strike.at for strike in strikes), default=math.inf)
        sights = [sight for sight in watch.sights if sight.ended >= since]
        check = self.report.check
        check("the site recovers from each fault", checks.recoveries(strikes))
        check("health tells the truth", checks.health(strikes, sights))
        check("the database holds to its rules", broken_rules())
        check("after each fault, what was acknowledged is kept", lost(self.kept.record))

    def _next_crowd(self, site: Site) -> Crowd:
        """The crowd of the study that is being judged; else open another, with one of its own."""
        connections.close_all()  # the last one may have been cut meanwhile
        self.report.studies = list(
            Study.objects.filter(stage=Study.Stage.OPEN)
            .order_by("pk")
            .values_list("slug", flat=True)
        )
        if not self.report.studies or not checks.incomplete(self.report.studies[-1]):
            self._open_study(site.folder / "files")
        slug = self.report.studies[-1]
        seed = 1000 * self.kept.seed + len(self.report.studies)
        record = self.kept.record
        record.went_away(sorted(set(record.seen) - record.vanished - checks.at_home(record)))
        return Returning(world.read(Study.objects.get(slug=slug), seed), away=record.away)

    def _open_study(self, folder: Path) -> None:
        number = Study.objects.count() + 1
        slug = f"study-{number}"
        judged = self.options.judged if number == 1 else self.options.judged.and_then()
        config = judged.write_study(folder, slug)
        _manage("create_study", slug, "--collection", COLLECTION, "--config", str(config))
        _manage("plan_units", slug, "--seed", str(self.kept.seed), *judged.plan)
        _manage("open_study", slug)
        self.report.studies.append(slug)

    def _judge(self, site: Site, crowd: Crowd) -> None:
        """Let a crowd complete its study."""
        while True:
            try:
                over_http.run(
                    crowd,
                    self.options.workers,
                    site.address,
                    self.options.judged.speedup,
                    lambda done: None,
                    lambda connector: FaultyBrowser(connector, self.kept.record, self.storm),
                )
            except over_http.NoSite:  # it looks once, and that may have been the wrong moment
                if not self.storm.rages:
                    raise
                time.sleep(LOOKS)
            else:
                return

    def _check(self) -> None:
        """Ask everything that can be asked once the storm is over."""
        connections.close_all()
        record, report = self.kept.record, self.report
        report.check("no request fails without a cause", checks.answers(record, self.kept.strikes))
        report.check("who comes back is where they were", record.strays)
        report.check("every unit is completed", checks.units())
        report.check("rankings are up to date", _catch_up())
        report.check("rankings are as if computed anew", recomputed(report.studies))
        report.check("the database holds to its rules", broken_rules())
        report.check("what was acknowledged is kept", checks.judgments(record))
        report.check("assignments end as they should", checks.endings(record))
        report.check("codes are paid once, to whom they belong", checks.codes(record))


class Returning(Crowd):
    """A crowd of whom some were sent away before, and come back first."""

    def __init__(self, world: world.World, away: Iterable[str]) -> None:
        super().__init__(world)
        self._working |= set(away)


def broken_rules() -> list[str]:
    """What in the database breaks its rules, asked on a connection for this once."""
    connections.close_all()
    try:
        return invariants.broken()
    finally:
        connections.close_all()


def lost(record: Record) -> list[str]:
    """Pages that were acknowledged by now and are not there, asked likewise."""
    connections.close_all()
    try:
        return list(checks.nothing_lost(record, record.acknowledged()))
    finally:
        connections.close_all()


def _catch_up() -> list[str]:
    """Wait for the rankings; which never came."""
    ends = time.monotonic() + CATCHES_UP
    while behind := list(checks.up_to_date()):
        if time.monotonic() > ends:
            break
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
