"""Files sent in pieces, as tus 1.0 has it: https://tus.io/protocols/resumable-upload"""

import io
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from magnitudes.client.connection import TRIES, Connection
from magnitudes.client.problems import Unreachable

PIECE = 1 << 20  # bytes
TUS = {"Tus-Resumable": "1.0.0"}
OFFSET = "Upload-Offset"
OF_PIECE = TUS | {"Content-Type": "application/offset+octet-stream"}

File = str | Path | pd.DataFrame
Files = File | Sequence[File]
Progress = Callable[[str], object]


def silent(sentence: str) -> None:
    """Tell nobody how far it is."""


def each_file(files: Files) -> list[File]:
    """The files of a list, or one alone; a folder stands for the files in it, by their names."""
    listed = [files] if isinstance(files, str | Path | pd.DataFrame) else files
    return [inner for file in listed for inner in _within(file)]


def _within(file: File) -> list[File]:
    if isinstance(file, pd.DataFrame) or not Path(file).is_dir():
        return [file]
    paths = sorted(path for path in Path(file).rglob("*") if path.is_file())
    return [path for path in paths if not path.name.startswith(".")]


def upload(
    site: Connection, file: File, name: str, *, encoding: str = "", progress: Progress = silent
) -> str:
    """Send a file, or a data frame as CSV; returns the key of the upload.

    Args:
        name: of a data frame; a file has its own.
        encoding: of a file, if not UTF-8.

    Raises:
        Refused: the site does not take it; it says why.
    """
    if isinstance(file, pd.DataFrame):
        return _sent(site, io.BytesIO(_as_csv(file)), f"{name}.csv", "", progress)
    path = Path(file)
    with path.open("rb") as content:
        return _sent(site, content, path.name, encoding, progress)


def _as_csv(frame: pd.DataFrame) -> bytes:
    """A frame with the columns of its index, if they have names."""
    named = all(name is not None for name in frame.index.names)
    return frame.to_csv(index=named).encode()


def _sent(site: Connection, content: BinaryIO, name: str, encoding: str, progress: Progress) -> str:
    size = content.seek(0, io.SEEK_END)
    address = _begun(site, name, size, encoding)
    offset = failures = 0
    while offset < size:
        content.seek(offset)
        try:
            headers = OF_PIECE | {OFFSET: str(offset)}
            response = site.send("PATCH", address, content=content.read(PIECE), headers=headers)
        except Unreachable:
            failures += 1
            if failures == TRIES:
                raise
            response = site.send("HEAD", address, headers=TUS)
        offset = int(response.headers[OFFSET])
        progress(f"{name}: sent {offset / size:.0%}")
    return address.split("/")[1]


def _begun(site: Connection, name: str, size: int, encoding: str) -> str:
    """Announce a file; returns the address below the API where its pieces go."""
    about: dict[str, Any] = {"filename": name, "encoding": encoding}
    metadata = ",".join(
        f"{key} {b64encode(value.encode()).decode()}" for key, value in about.items() if value
    )
    headers = TUS | {"Upload-Length": str(size), "Upload-Metadata": metadata}
    location = site.send("POST", "uploads/", headers=headers).headers["Location"]
    return f"uploads/{location.rstrip('/').rsplit('/', 1)[1]}/"
