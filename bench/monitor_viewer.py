"""What somebody who looks at the monitor costs while 200 people are at work.

    python -m bench.monitor_viewer [--renewals 30]

A study as large as that of TREC-8, 7,020 units on 18 topics, most of them completed, and 200 in
hand. gunicorn serves it as it always does. Its monitor is renewed as often as the page renews
itself, folded parts without what is in them, while in between so much happens as 200 people do: 80
forms, and eight units completed, after which nothing that is kept of the study's judgments holds
any more. Counted is what web server and PostgreSQL use from the request to the last byte of the
answer.

Printed are the milliseconds of processor a renewal takes of each, at the median and on average,
and, as the ratio, the percentage of one core that a viewer takes. Ends with 1 when that is above 2.
"""

import http.client
import re
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta

import numpy as np
import psutil
from django.contrib.auth import get_user_model
from django.utils import timezone
from tqdm import tqdm

from bench.site.command import options, verdict
from bench.site.processes import cpu_seconds, postgres
from bench.site.running import HOST, fetch, scratch_database, session, web_server
from judging.models import Assignment, Study
from judging.states import LIVE
from tests.factory.completed import complete
from tests.factory.crowds import crowded_study

OPTIONS = options(__doc__)
OPTIONS.add_argument("--renewals", type=int, default=30, help="how many are measured")
TOPICS, DOCUMENTS, CROWD, AT_WORK = 18, 236, 800, 200
FORMS, UNITS = 80, 8  # in twenty seconds: a form of each takes 50 s, a unit eight minutes
BEGAN = timedelta(minutes=8)
WARM = 5  # renewals that do not count: each process of the web server draws a first picture
LIMIT = 2.0  # percent of a core


class Viewer:
    """Somebody of the team, whose browser renews the page."""

    def __init__(self, port: int, study: Study) -> None:
        user = get_user_model().objects.create(username="viewer", is_superuser=True)
        self.port, self.path = port, f"/studies/{study.slug}/monitor/"
        self.cookie = session(user)

    def interval(self) -> float:
        """Seconds between two renewals, as the page has them."""
        found = re.search(rb'data-live="(\d+)"', self._page({}))
        if not found:
            raise RuntimeError("the monitor does not renew itself")
        return float(found[1])

    def renew(self) -> None:
        self._page({"X-Open-Parts": "", "Accept-Encoding": "gzip"})

    def _page(self, headers: dict[str, str]) -> bytes:
        # A connection of its own: by the next renewal the server has closed the last one.
        with closing(http.client.HTTPConnection(HOST, self.port)) as client:
            return fetch(client, self.path, {"Cookie": self.cookie, **headers})


def work(study: Study, turn: int) -> None:
    """What 200 people do in twenty seconds."""
    now = timezone.now()
    live = Assignment.objects.filter(study=study, state__in=LIVE).order_by("active_at")
    Assignment.objects.filter(pk__in=list(live.values_list("pk", flat=True)[:FORMS])).update(
        active_at=now
    )
    for number in range(UNITS):
        complete(study, f"person-{turn}-{number}", at=now - BEGAN, seconds=58)


def used(web: list[psutil.Process]) -> dict[str, float]:
    """Seconds of processor so far."""
    return {"web": cpu_seconds(*web), "PostgreSQL": cpu_seconds(postgres())}


def spent(web: list[psutil.Process], act: Callable[[], None]) -> dict[str, float]:
    """Milliseconds of processor that something takes."""
    before = used(web)
    act()
    after = used(web)
    return {part: 1000 * (after[part] - before[part]) for part in before}


def main() -> int:
    """The exit status."""
    given = OPTIONS.parse_args()
    with scratch_database(), web_server() as port:
        study = crowded_study(
            timezone.now(), topics=TOPICS, documents=DOCUMENTS, live=AT_WORK, crowd=CROWD
        )
        viewer, web = Viewer(port, study), psutil.Process().children()
        interval, taken = viewer.interval(), []
        for turn in tqdm(range(WARM + given.renewals), desc="renewals"):
            begun = time.monotonic()
            work(study, turn)
            taken.append(spent(web, viewer.renew))
            time.sleep(max(0.0, begun + interval - time.monotonic()))
    counted = taken[WARM:]
    for part in counted[0]:
        times = [one[part] for one in counted]
        print(f"{part}: {np.median(times):.0f} ms at the median, {np.mean(times):.0f} on average")
    mean = float(np.mean([sum(one.values()) for one in counted]))
    print(f"a renewal every {interval:g} s, {mean:.0f} ms each; the ratio is in percent of a core")
    return verdict(mean / (1000 * interval) * 100, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
