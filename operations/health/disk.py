import shutil
import tempfile
from pathlib import Path

from django.conf import settings

from web.findings import ORDER, Finding, degraded, down, ok

GIB = 1024**3
LOW_SPACE = 5 * GIB, 0.1  # free bytes and share of the disk, of which both must be less
NO_SPACE = GIB // 4, 0.02
PAGE = b"x" * 4096  # enough to need disk space


def folders() -> dict[Path, str]:
    uploads = Path(settings.UPLOAD_DIR)
    inside = uploads.is_relative_to(settings.VAR_DIR)
    return {settings.VAR_DIR: "VAR_DIR"} | ({} if inside else {uploads: "UPLOAD_DIR"})


def space(folder: Path, variable: str) -> Finding:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(PAGE)
        disk = shutil.disk_usage(folder)
    except OSError as fault:
        return down(
            f"{variable} cannot be written to: {fault.strerror}.",
            f"Make room on its disk, or let this user write to the folder that {variable} names.",
        )
    sentence = f"{disk.free / GIB:,.1f} GiB of {disk.total / GIB:,.1f} are free in {variable}."
    mend = "Make room, or give it a larger disk, before imports and logs fail."
    for (minimum, share), finding in ((NO_SPACE, down), (LOW_SPACE, degraded)):
        if disk.free < minimum and disk.free < share * disk.total:
            return finding(sentence, mend)
    return ok(sentence)


def disk() -> Finding:
    findings = [space(folder, variable) for folder, variable in folders().items()]
    return max(findings, key=lambda finding: ORDER.index(finding.state))
