"""The folders of this machine: have they room, and can they be written to?"""

import shutil
import tempfile
from pathlib import Path

from django.conf import settings

from operations.health.finding import ORDER, Check, Finding, degraded, down, well

GIB = 1024**3
LITTLE = 5 * GIB, 0.1  # less than both of these is left: bytes, and of the whole disk
NOTHING = GIB // 4, 0.02
PAGE = b"x" * 4096  # so much that it needs room on the disk


def folders() -> dict[Path, str]:
    """The folders that processes of the site write to, and the variable that names each."""
    uploads = Path(settings.UPLOAD_DIR)
    inside = uploads.is_relative_to(settings.VAR_DIR)
    return {settings.VAR_DIR: "VAR_DIR"} | ({} if inside else {uploads: "UPLOAD_DIR"})


def room(folder: Path, variable: str) -> Finding:
    """Whether there is room in a folder, and it can be written to."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(PAGE)
        disk = shutil.disk_usage(folder)
    except OSError as fault:
        return down(
            f"{variable} cannot be written to: {fault.strerror}.",
            f"Make room on its disk, or let this user write to the folder that {variable} names.",
        )
    says = f"{disk.free / GIB:,.1f} GiB of {disk.total / GIB:,.1f} are free in {variable}."
    mend = "Make room, or give it a larger disk, before imports and logs fail."
    for (least, share), finding in ((NOTHING, down), (LITTLE, degraded)):
        if disk.free < least and disk.free < share * disk.total:
            return finding(says, mend)
    return well(says)


def disk() -> Finding:
    """The worst of the folders."""
    found = [room(folder, variable) for folder, variable in folders().items()]
    return max(found, key=lambda finding: ORDER.index(finding.state))


CHECKS = (Check("disk", "Disk", disk),)
