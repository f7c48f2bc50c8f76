"""All kinds of faults, by family, and in which order they come."""

import random
from collections import Counter
from collections.abc import Collection, Iterator
from types import ModuleType

from tests.faults import clocks, disks, kills, servers, stops
from tests.faults.fault import Lacking, Make
from tests.faults.site import Site

FAMILIES: dict[str, ModuleType] = {
    "kills": kills,
    "stops": stops,
    "disks": disks,
    "clocks": clocks,
    "servers": servers,
}

# The first words of kinds of which only the victim differs.
ALIKE = ("kill", "stop", "clock")


def possible(
    site: Site, families: Collection[str], *, insists: bool
) -> tuple[dict[str, Make], dict[str, str]]:
    """The kinds of some families that are possible here; and by family why others are not.

    insists: raise Lacking if there are others.
    """
    kinds: dict[str, Make] = {}
    skipped: dict[str, str] = {}
    for family in families:
        module = FAMILIES[family]
        if why := getattr(module, "why_not", lambda site: "")(site):
            skipped[family] = why
        else:
            kinds |= module.KINDS
    if skipped and insists:
        raise Lacking("; ".join(f"{family}: {why}" for family, why in skipped.items()))
    return kinds, skipped


def group(kind: str) -> str:
    """What is counted as one kind: all kills are, all stops, all jumps of clocks."""
    word = kind.partition(" ")[0]
    return word if word in ALIKE else kind


def schedule(kinds: Collection[str], seed: object) -> Iterator[str]:
    """Kinds in random order; each group as often as any other, and in it each of its kinds."""
    draw = random.Random(f"{seed} kinds")
    counted = Counter[str]()
    groups: dict[str, list[str]] = {}
    for kind in sorted(kinds):
        groups.setdefault(group(kind), []).append(kind)
    while groups:
        for alike in draw.sample(sorted(groups), len(groups)):
            kind = min(groups[alike], key=lambda kind: (counted[kind], draw.random()))
            counted[kind] += 1
            yield kind
