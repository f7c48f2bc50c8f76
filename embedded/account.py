"""The account that the embedded servers run under: the caller's own, but never root's.

PostgreSQL refuses to run as root. Where root calls, the servers run as the owner of VAR_DIR, and
as `nobody` where that is root again.
"""

import os
import pwd
import stat
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Only what the servers need: no variable of the caller's, least of all a secret one, changes them.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True)
class Account:
    """Who runs the servers of one VAR_DIR."""

    uid: int
    gid: int

    @classmethod
    def serving(cls, var_dir: Path) -> "Account":
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        if var_dir.exists() and (owner := var_dir.stat()).st_uid != 0:
            return cls(owner.st_uid, owner.st_gid)
        nobody = pwd.getpwnam("nobody")
        return cls(nobody.pw_uid, nobody.pw_gid)

    def own_folder(self, path: Path) -> None:
        """Make `path` for this account alone; PermissionError if it is there and another's."""
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        folder = path.lstat()  # not stat: where anybody may write, anybody may put a link
        ours = folder.st_uid in (self.uid, os.geteuid()) and not folder.st_mode & 0o077
        if not (ours and stat.S_ISDIR(folder.st_mode)):
            raise PermissionError(f"{path} must be a folder of user {self.uid}, with mode 0700.")
        if folder.st_uid != self.uid:
            os.chown(path, self.uid, self.gid)

    def run(
        self, command: list[str], *needs: Path, **options: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `command` as this account; `needs` are the paths that it must be able to reach."""
        options |= {"env": ENVIRONMENT, "cwd": "/"}
        if os.geteuid() == self.uid:
            return subprocess.run(command, **options)  # noqa: S603
        switch: dict[str, Any] = {"user": self.uid, "group": self.gid, "extra_groups": []}
        if all(self._reaches(path, switch) for path in needs):
            return subprocess.run(command, **options, **switch)  # noqa: S603
        return subprocess.run(self._passing_folders(command), **options)  # noqa: S603

    def _reaches(self, path: Path, switch: dict[str, Any]) -> bool:
        test = ["/bin/sh", "-c", 'test -x "$1"', "sh", str(path)]
        return subprocess.run(test, check=False, cwd="/", **switch).returncode == 0  # noqa: S603

    def _passing_folders(self, command: list[str]) -> list[str]:
        """Folders on the way are closed to the account, such as /root for a checkout below it.

        The command is lent the one capability to pass them (Linux), which is less than to open
        those folders to everybody.
        """
        kinds = ("inh-caps", "ambient-caps", "bounding-set")
        capabilities = [f"--{kind}=-all,+dac_override" for kind in kinds]
        identity = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        return ["setpriv", *identity, *capabilities, *command]
