"""What strikes: a thread that lets faults befall the site, and sees it get well again."""

import http.client
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

import psycopg2

from tests.faults import victims
from tests.faults.fault import GIVES_UP, Fault, Make, Strike
from tests.faults.kills import BRIEF
from tests.faults.site import Site
from tests.faults.watching import Watch

TOGETHER = 0.25  # the chance that after a kill another follows at once, with no time to recover
AT_ONCE = 0.5  # seconds between those two at most
TELLS = 30.0  # seconds, beyond those that a fault lasts, in which health has to tell of it
LOOKS = 0.05
TICKED = "SELECT ran_at FROM judging_tick WHERE name = 'expiry'"
OnProgress = Callable[[str], object]
Look = Callable[[Sequence[Strike]], object]


class Striker(threading.Thread):
    """Strikes until it is told to stop, or there is nothing left to do.

    kinds: what makes a fault, by kind; coming: which comes next, one after the other; pause:
    seconds from a recovery to the next, from and to; entry: a page that asks the database; look:
    is told of each that the site has recovered from, in the midst of the crowd's work.
    """

    def __init__(
        self,
        site: Site,
        watch: Watch,
        kinds: dict[str, Make],
        coming: Iterator[str],
        pause: tuple[float, float],
        entry: str,
        seed: object,
        look: Look,
        tell: OnProgress,
    ) -> None:
        super().__init__(daemon=True, name="striking")
        self.site, self.watch, self.kinds, self.coming = site, watch, kinds, coming
        self.pause, self.entry, self.look, self.tell = pause, entry, look, tell
        self.draw = random.Random(f"{seed} times")
        self.fault: BaseException | None = None
        self.began = time.monotonic()
        self.amiss = ""  # what was not well when it was last looked at
        self.well_since: float | None = None  # before any fault
        self._at_work = threading.Lock()
        self._stopped = threading.Event()

    def run(self) -> None:
        """Strike, wait until all is well, wait a little, and so on."""
        try:
            with self._at_work:
                self._see_it_start()
            while not self._stopped.wait(self.draw.uniform(*self.pause)):
                with self._at_work:
                    if self._stopped.is_set() or not self._strike():
                        return
        except BaseException as fault:
            self.fault = fault

    def _see_it_start(self) -> None:
        """Wait until the site is well, before anything befalls it."""
        ticks: set[object] = set()
        until(lambda: self._stopped.is_set() or self._is_well(set(), self.began, ticks), GIVES_UP)
        if self.amiss and not self._stopped.is_set():
            raise TimeoutError(f"The site is not well before any fault: {self.amiss}")
        self.well_since = time.monotonic()

    def stop(self) -> None:
        """Strike no more; returns once the site is well."""
        self._stopped.set()
        self.join()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """The site is well, and for as long as this lasts it stays so."""
        with self._at_work:
            yield

    def _strike(self) -> bool:
        """One fault, or two kills together, until the site has recovered; False: none is left."""
        if (kind := next(self.coming, None)) is None:
            return False
        pending = self._begin(kind)
        if pending and kind in BRIEF and self.draw.random() < TOGETHER:
            time.sleep(self.draw.uniform(0, AT_ONCE))
            pending += self._begin(self.draw.choice([*BRIEF]))
        if pending:
            self._see_it_through(pending)
        return True

    def _begin(self, kind: str) -> list[tuple[Fault, Strike]]:
        """Let it happen; nothing: there was nothing to strike."""
        fault = self.kinds[kind](self.site, self.draw)
        at = time.monotonic()
        what = fault.begin()
        if not what:
            self.tell(f"{at - self.began:7.1f} s: {kind}: nothing to strike")
            return []
        self.tell(f"{at - self.began:7.1f} s: {kind}: {what}")
        strike = Strike(
            kind,
            what,
            at,
            excuses=[*fault.excuses],
            ready=fault.ready,
            told_by=[*fault.told_by],
            hangs=fault.hangs,
        )
        return [(fault, strike)]

    def _see_it_through(self, pending: list[tuple[Fault, Strike]]) -> None:
        """Let it last, end it, and wait until the site is well."""
        for fault, strike in pending:
            try:
                self._let_it_last(fault, strike)
            finally:
                fault.end()
                strike.ended = time.monotonic()
        ended = max(strike.ended or 0.0 for _, strike in pending)
        gone = set().union(*(fault.gone for fault, _ in pending))
        ticks: set[object] = set()
        self.amiss = ""
        self.tell(f"{ended - self.began:7.1f} s: ended")
        back = until(lambda: self._is_well(gone, ended, ticks), GIVES_UP)
        now = time.monotonic()
        for _, strike in pending:
            strike.seconds = now - strike.at if back else None
            strike.amiss = self.amiss
        self.tell(
            f"{now - self.began:7.1f} s: {'well again' if back else f'NOT WELL: {self.amiss}'}"
        )
        self.look([strike for _, strike in pending])

    def _let_it_last(self, fault: Fault, strike: Strike) -> None:
        seconds = self.draw.uniform(*fault.lasts)
        time.sleep(max(0.0, strike.at + seconds - time.monotonic()))
        until(lambda: self.watch.has_told(strike.at, fault.ready, fault.told_by), TELLS)

    def _is_well(self, gone: set[int], since: float, ticks: set[object]) -> bool:
        """Whether nothing is amiss; tells what is, when that changes."""
        before = self.amiss
        if self._what_is_amiss(gone, since, ticks) not in ("", before):
            self.tell(f"{time.monotonic() - self.began:7.1f} s: {self.amiss}")
        return not self.amiss

    def _what_is_amiss(self, gone: set[int], since: float, ticks: set[object]) -> str:
        """Empty if every part is there, pages are served, work was done since, and health says so.

        ticks: when the clock called last, as often as this was asked: two of them differ.
        """
        found = victims.find(self.site)
        if missing := victims.missing(found):
            self.amiss = f"there is no {', no '.join(missing)}"
        elif gone.intersection(chain(*found.values())):
            self.amiss = "what has to be gone is there"
        elif not self._page_comes():
            self.amiss = "no page comes"
        elif not (tick := self._tick()):
            self.amiss = "PostgreSQL does not answer"
        else:
            ticks.add(tick)
            self.amiss = "no tick comes" if len(ticks) == 1 else self.watch.amiss(since)
        return self.amiss

    def _page_comes(self) -> bool:
        client = http.client.HTTPConnection("localhost", self.site.port, timeout=5)
        try:
            client.request("GET", self.entry)
            return client.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            client.close()

    def _tick(self) -> object:
        """When the clock last called and a worker came, which takes Valkey as well; by PostgreSQL.

        None: it cannot be asked.
        """
        try:
            connection = psycopg2.connect(**self.site.database, connect_timeout=3)
        except psycopg2.Error:
            return None
        try:
            with connection.cursor() as cursor:
                cursor.execute(TICKED)
                row = cursor.fetchone()
                return row and row[0]
        except psycopg2.Error:
            return None
        finally:
            connection.close()


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for it; whether it came about in that time."""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(LOOKS)
    return True
