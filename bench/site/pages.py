"""How many statements of SQL each page takes, BEGIN and COMMIT among them."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench.site import environment  # noqa: F401 - before any model
from crowd.browser import Page
from judging.flow.admission import Arrival, new_pseudonym
from judging.models import Assignment, PooledDocument, Study
from judging.pages import identity

FORM = "application/x-www-form-urlencoded"
REASON = "It answers the question in part, and names its source."
STAFF = (
    "/studies/",
    "/studies/{}/",
    "/studies/{}/monitor/",
    "/api/v1/studies/{}/progress/",
    "/api/v1/studies/{}/rankings/?measure=ERR@10",
)


class Walk:
    """One worker's way, and the most statements that each kind of request on it took."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.taken: dict[str, int] = {}
        self.client = Client(headers={"host": "localhost"})
        self.pseudonym = new_pseudonym()
        self.client.cookies[identity.cookie_name(study.pk)] = identity.signed_cookie(
            study.pk, Arrival(self.pseudonym, simulated=True)
        )
        self._follow("GET", f"/study/{study.slug}/", {}, "")

    def press(self, action: str, **typed: str) -> None:
        """Press a button on the page."""
        target, fields = self.page.form(action)
        fields |= {**typed, "action": action}
        self._follow("POST", target, fields, f"POST {self.page.step}, {action}")

    def _follow(self, method: str, address: str, fields: dict[str, str], name: str) -> None:
        while True:
            with self._counted() as count:
                answer = self.client.generic(method, address, urlencode(fields), FORM)
            onward = answer.headers.get("Location")
            if not onward:
                self.page = Page(address, answer.content.decode())
            self._keep(name or (f"GET {self.page.step}" if not onward else "GET, sent on"), count)
            if not onward:
                return
            method, address, fields, name = "GET", onward, {}, ""

    @contextmanager
    def _counted(self) -> Iterator[list[int]]:
        count: list[int] = []
        with CaptureQueriesContext(connection) as asked:
            yield count
        count.append(len(asked))

    def _keep(self, name: str, count: list[int]) -> None:
        self.taken[name] = max(self.taken.get(name, 0), *count)

    def practise(self, sign: int = 1) -> None:
        """From Welcome, or a new beginning, over the three lines; -1: in the wrong order."""
        self.press("continue")
        while self.page.step == "practice":
            self.press("next", score=str(1000 + sign * self.page.view().line))

    def judge(self, action: str, score: str) -> None:
        self.press(action, score=score, justification=REASON, visible_seconds="17.2")

    def scores(self) -> list[str]:
        """By page: with these, the anchors are in order."""
        given = Assignment.objects.filter(worker__pseudonym=self.pseudonym).latest("id")
        roles = dict(PooledDocument.objects.filter(pk__in=given.order).values_list("pk", "role"))
        return [{"h_k": "90", "n_k": "3"}.get(roles[key], "17") for key in given.order]


def of_a_worker(study: Study) -> dict[str, int]:
    """The most statements by kind of request, on a way that comes by every page.

    The study has to ask for no seconds on a document.
    """
    walk = Walk(study)
    walk.press("continue")
    walk.practise()
    walk.press("continue")
    right = study.topics.values_list("answer", flat=True)[0]
    walk.press("continue", answer=walk.page.options[right])
    scores = walk.scores()
    for action in ("next", "back", *["next"] * (len(scores) - 1), "finish"):
        walk.judge(action, "17")
    walk.press("back")
    for score in reversed(scores[1:]):
        walk.judge("back", score)
    walk.judge("finish", scores[0])
    for sign in (-1, 1):
        walk.press("again")
        walk.practise(sign)
    walk.press("leave")
    return walk.taken


def of_staff(study: Study) -> dict[str, int]:
    """The statements of the pages that somebody asks for again and again while a study runs."""
    users = get_user_model().objects
    client = Client(headers={"host": "localhost"})
    client.force_login(users.get_or_create(username="reader", is_superuser=True)[0])
    taken = {}
    for address in STAFF:
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(address.format(study.slug))
        assert answer.status_code == 200, (address, answer.status_code)
        taken[f"GET {address.format('…')}"] = len(asked)
    return taken
