"""ops/Caddyfile says what the settings say. tests/production tries it with the real Caddy."""

import re

from django.conf import settings

from . import compose
from .helpers import ROOT

SAID = (ROOT / "ops/Caddyfile").read_text()


def test_the_proxy_has_the_body_limits_of_the_site() -> None:
    table = re.findall(r"^\t+(~\^(/\S*)|default) (\d+)$", SAID, re.MULTILINE)
    limits = {path or "/": int(most) for _, path, most in table}
    assert limits == settings.BODY_LIMITS
    whole = re.findall(r"(?:max_size|request_buffers) (\d+)MiB", SAID)
    assert {int(most) * 2**20 for most in whole} == {max(limits.values())}
    # The first that fits counts here, the longest that fits there.
    paths = [path for _, path, _ in table if path]
    assert all(
        not later.startswith(earlier)
        for place, earlier in enumerate(paths)
        for later in paths[place + 1 :]
    )


def test_each_variable_is_described_and_reaches_the_container() -> None:
    """But for where Caddy listens, and which words Debian's has: no matter for containers."""
    page = (ROOT / "docs/operations/deployment.md").read_text()
    known = set(re.findall(r"\{\$(\w+)", SAID))
    assert {name for name in known if f"| {name} |" not in page} == set()
    given = compose.services(compose.GIVEN)["proxy"]["environment"]
    assert known - given.keys() == {"HTTP_PORT", "HTTPS_PORT", "CADDY_ADMIN", "BODIES"}
    defaults = dict(re.findall(r"\{\$(\w+):([^}]*)\}", SAID))
    passed = compose.services({"SITE": "localhost"})["proxy"]["environment"]
    assert passed == {name: defaults[name] for name in passed}


def test_web_processes_are_asked_whether_they_can_serve() -> None:
    assert re.findall(r"health_uri (\S+)", SAID) == ["{$READINESS:/readyz}"]


def test_a_body_has_five_minutes() -> None:
    """A test that waited for it would take as long."""
    assert "read_body 5m" in SAID
    assert "5 minutes for its body" in (ROOT / "docs/operations/deployment.md").read_text()


def test_accesses_are_not_logged() -> None:
    """A site's block logs them if it has `log` in it; the one at the top is of errors."""
    top, *sites = re.split(r"^(?=\S.*\{$)", SAID, flags=re.MULTILINE)
    assert len(sites) > 3
    options, *others = sites if sites[0].startswith("{") else [top, *sites]
    assert "\tlog {" in options
    assert not any(re.search(r"^\t+log\b", block, re.MULTILINE) for block in others)


def test_a_connection_is_closed_by_the_proxy_first() -> None:
    kept = re.search(r"^\t+keepalive (\d+)s$", SAID, re.MULTILINE)
    assert kept
    assert int(kept[1]) + 5 <= settings.IDLE_SECONDS


def test_headers_come_as_fast_at_the_proxy() -> None:
    assert f"read_header {settings.HEADER_SECONDS}s" in SAID
