"""What docker-compose.yml says, as `compose` reads it."""

import re
from urllib.parse import urlsplit

import yaml
from django.conf import settings

from . import compose
from .compose import GIVEN, ROOT

TASKS_OF_QUEUES = settings.TASKS_OF_QUEUES


def test_every_variable_of_the_settings_is_passed_on() -> None:
    """Also what docs/operations.md describes: it names what libraries read."""
    described = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/operations.md").read_text(), re.M)
    read = re.findall(r"\benv\.\w+\(\s*\"(\w+)\"", (ROOT / "config/settings.py").read_text())
    assert len(read) > 20
    services = compose.read(GIVEN)
    for name in ("migrate", "web", "web-next", *TASKS_OF_QUEUES):
        passed = {name.removesuffix("_FILE") for name in services[name].environment}
        assert {*described, *read} - {"DEBUG"} <= passed


def test_no_secret_stands_in_the_file() -> None:
    """Each is in a file of its own, or is the operator's to give."""
    secrets = set(
        re.findall(r"\benv\.secrets?\(\s*\"(\w+)\"", (ROOT / "config/settings.py").read_text())
    )
    assert len(secrets) > 10
    for name, value in compose.read(GIVEN)["web"].environment.items():
        if name.removesuffix("_FILE") in secrets and value:
            assert value.startswith(compose.MOUNTED) or not urlsplit(value).password, name


def test_the_proxy_alone_is_published_and_reaches_no_server() -> None:
    services = compose.services(GIVEN)
    assert [name for name, said in services.items() if "ports" in said] == ["proxy"]
    reached = {name: set(said["networks"]) for name, said in services.items()}
    beside = {name for name in reached if reached[name] & reached["proxy"]}
    assert beside == {"proxy", "web", "web-next"}
    assert reached["postgres"] == reached["redis"] == {"servers"}
    tree = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert tree["networks"]["servers"] == {"internal": True}


def test_no_part_takes_more_than_its_share_or_is_more_than_it_must() -> None:
    assert "${SITE:?" in (ROOT / "docker-compose.yml").read_text()
    for name, said in compose.services(GIVEN).items():
        assert said["logging"]["options"].keys() == {"max-size", "max-file"}, name
        assert said["init"], name
        assert said["mem_limit"], name
        assert said["security_opt"] == ["no-new-privileges:true"], name
        if said["image"].startswith(compose.IMAGE):
            assert said["read_only"], name
            assert said["cap_drop"] == ["ALL"], name


def test_every_part_is_started_again_and_asked_how_it_is() -> None:
    services = compose.services(GIVEN)
    for name, said in services.items():
        if name == "migrate":  # ends by itself
            assert said["restart"] == "no"
            continue
        assert said["restart"] == "unless-stopped", name
        assert said["healthcheck"]["test"], name
        assert said["healthcheck"]["retries"] > 1, name
        # Ten seconds are what an engine gives by itself: enough for what has nothing to end.
        if name != "redis":
            assert int(said["stop_grace_period"].removesuffix("s")) >= 15, name
    for name in ("web", *TASKS_OF_QUEUES):
        assert services[name]["healthcheck"]["test"][-2:] == ["config.health", name]
    # A query that goes parallel takes more than the 64 MB that an engine gives by itself.
    assert services["postgres"]["shm_size"] == "256mb"


def test_a_web_process_ends_before_it_is_killed() -> None:
    # Not imported, as gunicorn's file says of its process that it is one of the web.
    said = (ROOT / "config/gunicorn.py").read_text()
    graceful = re.search(r"^graceful_timeout = (\d+) \+", said, re.MULTILINE)
    web = compose.services(GIVEN)["web"]
    assert graceful
    seconds = int(graceful[1]) + int(web["environment"]["DRAIN_SECONDS"])
    assert int(web["stop_grace_period"].removesuffix("s")) > seconds


def test_each_web_process_that_the_proxy_is_led_to_has_a_name_of_its_own() -> None:
    """One name is one web process to Caddy, ready or not as a whole, however many it stands for."""
    services = compose.services(GIVEN)
    default = services["proxy"]["environment"]["WEBS"].split()
    pages = ("docs/operations.md", "docs/operations/upgrades.md", "docs/operations/deployment.md")
    told = [
        names.split()
        for page in pages
        for names in re.findall(r'WEBS="?(web[^"`]*)', (ROOT / page).read_text())
    ]
    assert told == [["web:8000", "web-next:8000"]] * 2
    for names in (default, *told):
        hosts = [name.removesuffix(":8000") for name in names]
        assert len(set(hosts)) == len(hosts)
        assert all(services[host]["image"].startswith(compose.IMAGE) for host in hosts)
    assert not any("--scale web" in (ROOT / page).read_text() for page in pages)
