"""Files that a site imports in the background: asked for, and waited for."""

from __future__ import annotations

import time
from typing import Any

import pandas as pd

from magnitudes.client.connection import Connection
from magnitudes.client.problems import ImportFailed
from magnitudes.client.uploads import Files, Progress, each_file, upload

FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds between two looks


def chosen(
    site: Connection,
    kind: str,
    files: Files,
    *,
    encoding: str,
    progress: Progress,
    **more: str,
) -> list[dict[str, str]]:
    """Send files of one kind; what an import is told of each."""
    return [
        {"upload": upload(site, file, kind, encoding=encoding, progress=progress), "kind": kind}
        | more
        for file in each_file(files)
    ]


def outcome(site: Connection, job: dict[str, Any], progress: Progress) -> pd.Series[Any]:
    """Wait for an import; what it brought.

    Raises:
        ImportFailed: nothing was imported; it says which file and line are at fault.
    """
    wait = FIRST_WAIT
    while job["state"] in ("waiting", "running"):
        time.sleep(wait)
        wait = min(2 * wait, LONGEST_WAIT)
        job = site.get(f"imports/{job['id']}/")
        progress(f"{job['reading'] or job['collection']}: {job['state']}, {job['progress']:.0%}")
    if job["state"] == "failed":
        raise ImportFailed(job)
    return pd.Series(job["result"], dtype=object)
