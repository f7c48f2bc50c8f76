"""deploy/Caddyfile says what the settings say. tests/production tries it with the real Caddy."""

import re

from django.conf import settings

from web.cookie_names import SESSION

from . import compose
from .helpers import ROOT

SAID = (ROOT / "deploy/Caddyfile").read_text()


def test_the_proxy_reads_as_much_as_the_site_takes() -> None:
    """The site has the table by address, the proxy two lengths: of strangers, and of others."""
    assert f"vars max_bytes {settings.ANONYMOUS_BODY_LIMIT}" in SAID
    longest = max(settings.BODY_LIMITS.values())
    assert f"vars @known max_bytes {longest}" in SAID
    assert {f"{longest // 2**20}"} == set(re.findall(r"(?:max_size|_buffers) (\d+)MiB", SAID))
    assert f"(__Host-)?{SESSION}=" in SAID


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
