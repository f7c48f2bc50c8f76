"""Artificial workers over HTTP who note every answer: `calm_crowd.py STUDY SITE AT_ONCE SPEEDUP`.

PYTHONPATH is the tree of a release whose tables the database has from first to last. Nobody forgets
or mistypes anything. Prints as JSON how many requests there were, what was wrong with any, and what
speaks against what the database holds in the end.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import aiohttp
from yarl import URL

from bench.site import environment  # noqa: F401 - before any model
from crowd import over_http, world
from crowd.people import Crowd
from judging.models import Study
from tests.faults import checks
from tests.faults.browser import FaultyBrowser, Storm
from tests.faults.record import Record, Trouble
from tests.judging import invariants

PLACES = re.compile(r"https://[^']*?/study/\S+")
# Said here too, as a release that is out has a check without it.
RESUME_CODE = re.compile(r'<p class="(?:resume-code|code way-back)">.*?</p>', re.DOTALL)
CALM = Storm(seed=1, until=0.0)


class CalmRecord(Record):
    """What the browsers know."""

    def told(self, pseudonym: str, html: str) -> None:
        """A page came; its resume code may look like a completion code, by chance."""
        super().told(pseudonym, RESUME_CODE.sub("", html))


class CalmBrowser(FaultyBrowser):
    """A browser at a site with TLS, to which it says as browsers do where a form comes from."""

    def __init__(self, connector: aiohttp.TCPConnector, record: Record) -> None:
        super().__init__(connector, record, CALM)
        noting = aiohttp.TraceConfig()
        noting.on_request_end.append(self._note)
        noting.freeze()
        self.session.trace_configs.append(noting)

    async def _note(self, session: object, context: object, ended: Any) -> None:
        self.record.counts[f"status {ended.response.status}"] += 1

    def set_cookie(self, name: str, value: str, address: str) -> None:
        """Keep it, and where the site is."""
        super().set_cookie(name, value, address)
        self.session.headers["Origin"] = str(URL(address).origin())


def main(slug: str, site: str, at_once: int, speedup: float) -> dict[str, object]:
    record = CalmRecord()
    crowd = Crowd(world.read(Study.objects.get(slug=slug), 1))
    over_http.run(
        crowd,
        at_once,
        site,
        speedup,
        lambda done: None,
        lambda connector: CalmBrowser(connector, record),
    )
    return {
        **record.counts,
        "slowest": record.slowest,
        "troubles": Counter(kind(trouble) for trouble in record.troubles),
        "wrong": list(wrong(record)),
    }


def kind(trouble: Trouble) -> str:
    """What went wrong, whoever met it."""
    return f"{trouble.kind}: {PLACES.sub('', trouble.what)}"


def wrong(record: Record) -> Iterator[str]:
    yield from checks.units()
    yield from invariants.broken()
    yield from checks.judgments(record)
    yield from checks.endings(record)
    yield from checks.codes(record)


if __name__ == "__main__":
    slug, site, at_once, speedup = sys.argv[1:]
    json.dump(main(slug, site, int(at_once), float(speedup)), sys.stdout)
