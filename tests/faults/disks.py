"""The disk of the site is full, cannot be written to, or stands still.

It is a disk of its own: a file with a file system in it, mounted upon VAR_DIR (`mounted`), with all
that the site keeps: the database, tasks, uploads, logs.
"""

import array
import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from tests.faults.fault import Fault, Make, Taking
from tests.faults.site import Site

MIB = 2**20
FILLER = "filler"
# Of <linux/fs.h>.
GET_FLAGS, SET_FLAGS, IMMUTABLE = 0x80086601, 0x40086602, 0x10
FREEZE, THAW = 0xC0045877, 0xC0045878


@contextmanager
def mounted(folder: Path, megabytes: int) -> Iterator[bool]:
    """A folder with a disk of its own, if this process may mount one."""
    image = folder.with_name(f"{folder.name}.disk")
    folder.mkdir(parents=True, exist_ok=True)
    if not _mount(image, folder, megabytes):
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _mount(image: Path, folder: Path, megabytes: int) -> bool:
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        return False
    image.touch()
    os.truncate(image, megabytes * MIB)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", image], check=True)
    mounting = subprocess.run(
        ["mount", "-o", "loop", image, folder], check=False, capture_output=True
    )
    return mounting.returncode == 0


def why_not(site: Site) -> str:
    if site.folder.is_mount():
        return ""
    return "the site has no disk of its own: mounting one needs root, mkfs.ext4 and loop devices"


class Full(Taking):
    """Not a byte is left."""

    told_by = ("disk", "database")

    def begin(self) -> str:
        self.filler = os.open(self.site.folder / FILLER, os.O_WRONLY | os.O_CREAT, 0o600)
        return super().begin()

    def take(self) -> str:
        return f"{fill(self.filler) / MIB:.0f} MiB"

    def give_back(self) -> None:
        (self.site.folder / FILLER).unlink()
        os.close(self.filler)


def fill(descriptor: int) -> int:
    """Make a file as large as its disk allows; how many bytes it has then."""
    size, step = os.fstat(descriptor).st_size, 64 * MIB
    while step >= 512:
        try:
            os.posix_fallocate(descriptor, size, step)
            size += step
        except OSError:
            step //= 2
    return size


class ReadOnly(Fault):
    """Nothing on it can be changed, in files that are open neither.

    A remount is refused while files are open for writing, so every file is made immutable.
    """

    lasts = 3.0, 8.0
    ready = False
    told_by = ("disk", "database")
    excuses = ("error",)

    def begin(self) -> str:
        return f"{_set_immutable(self.site.folder, wanted=True)} files and folders"

    def end(self) -> None:
        _set_immutable(self.site.folder, wanted=False)


def _set_immutable(folder: Path, *, wanted: bool) -> int:
    """Say of all files and folders whether they may be changed; how many there are."""
    changed = 0
    for place, folders, files in os.walk(folder, topdown=True):
        for name in [".", *files, *folders]:
            path = Path(place, name)
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                continue
            with suppress(OSError):  # it is gone already
                _mark(path, wanted=wanted)
                changed += 1
    return changed


def _mark(path: Path, *, wanted: bool) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        flags = array.array("l", [0])
        fcntl.ioctl(descriptor, GET_FLAGS, flags)
        flags[0] = flags[0] | IMMUTABLE if wanted else flags[0] & ~IMMUTABLE
        fcntl.ioctl(descriptor, SET_FLAGS, flags)
    finally:
        os.close(descriptor)


class Frozen(Fault):
    """Whoever writes waits, and cannot even be killed."""

    lasts = 3.0, 8.0
    excuses = ("error", "slow")
    hangs = True  # the logs are on it, too

    def __init__(self, site: Site, draw: Random) -> None:
        super().__init__(site, draw)
        self.descriptor = -1

    def begin(self) -> str:
        """Freeze it; not twice, by a descriptor that is open already."""
        self.descriptor = os.open(self.site.folder, os.O_RDONLY)
        fcntl.ioctl(self.descriptor, FREEZE, 0)
        return "the whole disk"

    def end(self) -> None:
        fcntl.ioctl(self.descriptor, THAW, 0)
        os.close(self.descriptor)


KINDS: dict[str, Make] = {"disk full": Full, "disk read-only": ReadOnly, "disk frozen": Frozen}
