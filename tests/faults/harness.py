"""One run: a site, a crowd, one fault after the other; and in the end every check."""

import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from io import StringIO
from itertools import takewhile
from pathlib import Path

from django.core.management import call_command
from django.db import connections

from crowd import over_http, world
from crowd.people import Crowd
from judging.models import Study
from tests.faults import checks, families
from tests.faults.browser import FaultyBrowser, Storm
from tests.faults.fault import Strike
from tests.faults.record import Record
from tests.faults.site import SPEEDUP, Site, running, write_collection, write_study
from tests.faults.striking import Striker
from tests.faults.watching import Sight, Watch
from tests.judging import invariants

COLLECTION = "made-up"
CATCHES_UP = 60.0  # seconds at most until the rankings are up to date
LOOKS = 0.2
PAUSE = (0.5, 3.0)  # seconds from a recovery to the next fault
TABLES = ("rankings", "qrels")
Tell = Callable[[str], object]


@dataclass(frozen=True)
class Options:
    """What is asked for."""

    minutes: float
    seed: int
    workers: int
    topics: int  # of each study: six units for each
    redundancy: int  # of each study: so many times those units
    vanishes: float  # the chance that a worker never returns, at each press of a button
    folder: Path
    families: tuple[str, ...]  # of faults


@dataclass
class Report:
    """What came of it."""

    record: Record = field(default_factory=Record)
    strikes: list[Strike] = field(default_factory=list)
    sights: list[Sight] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)  # families, and why
    studies: list[str] = field(default_factory=list)
    units: int = 0
    wrong: dict[str, list[str]] = field(default_factory=dict)  # by check

    def check(self, name: str, complaints: Iterable[str]) -> None:
        """Note what a check says, each thing once."""
        known = self.wrong.setdefault(name, [])
        known += [said for said in dict.fromkeys(complaints) if said not in known]

    @property
    def is_good(self) -> bool:
        """Whether no check has anything to say."""
        return not any(self.wrong.values())


def run(options: Options, tell: Tell) -> Report:
    """Let it storm for so many minutes, let the crowd complete what there is, and check."""
    report = Report()
    with running(options.folder) as site:
        try:
            _storm(site, options, report, tell)
            _check(report)
        finally:
            connections.close_all()
        report.check("the site stops and leaves nothing behind", site.stop())
    return report


def _storm(site: Site, options: Options, report: Report, tell: Tell) -> None:
    """Study after study is judged to the end; the last one ends in calm weather."""
    files = write_collection(site.folder / "files", options.topics, options.seed)
    _manage("import_collection", COLLECTION, *files)
    crowd = _next_crowd(site, options, report)
    storm = Storm(options.seed, time.monotonic() + 60 * options.minutes, options.vanishes)
    entry = f"/study/{report.studies[0]}/"
    kinds, report.skipped = families.possible(site, options.families)
    coming = takewhile(lambda kind: storm.rages, families.schedule(kinds, options.seed))
    watch = Watch(site.port)
    striker = Striker(site, watch, kinds, coming, PAUSE, entry, options.seed, broken_rules, tell)
    watch.start()
    striker.start()
    try:
        _judge(site, options, crowd, storm, report)
        while storm.rages:
            with striker.resting():
                crowd = _next_crowd(site, options, report)
            _judge(site, options, crowd, storm, report)
    except Exception:
        report.check("the crowd can go on", [traceback.format_exc()])
    finally:
        striker.stop()
        watch.stop()
    report.strikes, report.sights = striker.strikes, watch.sights
    report.check("faults can go on", [repr(striker.fault)] if striker.fault else [])
    report.check("the database holds to its rules", striker.wrong)


def broken_rules() -> list[str]:
    """What in the database breaks its rules, asked on a connection for this once."""
    connections.close_all()
    try:
        return invariants.broken()
    finally:
        connections.close_all()


def _next_crowd(site: Site, options: Options, report: Report) -> Crowd:
    """Open another study, for a crowd of its own."""
    connections.close_all()  # the last one may have been cut meanwhile
    number = len(report.studies) + 1
    slug = f"study-{number}"
    config = site.folder / "files" / f"{slug}.toml"
    write_study(config, options.topics, options.redundancy)
    _manage("create_study", slug, "--collection", COLLECTION, "--config", str(config))
    _manage("plan_units", slug, "--pool-depth", "1000", "--seed", str(options.seed))
    _manage("open_study", slug)
    report.studies.append(slug)
    study = Study.objects.get(slug=slug)
    return Crowd(world.read(study, 1000 * options.seed + number))


def _judge(site: Site, options: Options, crowd: Crowd, storm: Storm, report: Report) -> None:
    """Let a crowd complete its study."""
    while True:
        try:
            over_http.run(
                crowd,
                options.workers,
                site.address,
                SPEEDUP,
                lambda done: None,
                lambda connector: FaultyBrowser(connector, report.record, storm),
            )
        except over_http.NoSite:  # it looks once, and that may have been the wrong moment
            if not storm.rages:
                raise
            time.sleep(LOOKS)
        else:
            return


def _check(report: Report) -> None:
    """Ask everything that can be asked once the storm is over."""
    connections.close_all()
    record, strikes = report.record, report.strikes
    report.check("the site recovers from each fault", checks.recoveries(strikes))
    report.check("no request fails without a cause", checks.answers(record, strikes))
    report.check("health tells the truth", checks.health(strikes, report.sights))
    report.check("who comes back is where they were", record.strays)
    report.check("every unit is completed", checks.units())
    report.check("rankings are up to date", _catch_up())
    report.check("rankings are as if computed anew", recomputed(report.studies))
    report.check("the database holds to its rules", broken_rules())
    report.check("what was acknowledged is kept", checks.judgments(record))
    report.check("assignments end as they should", checks.endings(record))
    report.check("codes are paid once, to whom they belong", checks.codes(record))
    report.units = sum(completed for *_, completed in checks.ask(checks.UNITS))


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
