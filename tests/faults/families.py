"""All kinds of faults, by family, and in which order they come."""

import random
from collections.abc import Collection, Iterator
from types import ModuleType

from tests.faults import kills
from tests.faults.fault import Make
from tests.faults.site import Site

FAMILIES: dict[str, ModuleType] = {"kills": kills}


def possible(site: Site, families: Collection[str]) -> tuple[dict[str, Make], dict[str, str]]:
    """The kinds of some families that are possible here; and by family why others are not."""
    kinds: dict[str, Make] = {}
    skipped: dict[str, str] = {}
    for family in families:
        module = FAMILIES[family]
        if why := getattr(module, "why_not", lambda site: "")(site):
            skipped[family] = why
        else:
            kinds |= module.KINDS
    return kinds, skipped


def schedule(kinds: Collection[str], seed: int) -> Iterator[str]:
    """Kinds in random order; each comes as often as any other."""
    draw = random.Random(f"{seed} kinds")
    while True:
        yield from draw.sample(sorted(kinds), len(kinds))
