"""An untrusted archive: its files checked against its manifest, and read line by line.

Nothing is unpacked to disk. What `exporting` would not write raises BadFile, with its place.
"""

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from magnitudes.files.containers.streams import Allowance, Progress, guarded
from magnitudes.files.containers.zips import counted_zip, member_stream
from magnitudes.files.errors import BadFile, Place
from magnitudes.files.limits import LONGEST_LINE
from workspace.archive import encryption
from workspace.archive.columns import Row
from workspace.archive.exporting import FORMAT, FORMAT_VERSION, MANIFEST
from workspace.archive.study_tables import TABLES

MAX_ROW_BYTES = 4 * LONGEST_LINE  # bytes: a list of a run is one row
MAX_MANIFEST_BYTES = 1 << 20  # bytes
FILES = frozenset(f"{table.name}.jsonl" for table in TABLES)


class Archive:
    """Its list of files and its manifest are valid."""

    def __init__(self, name: str, archive: zipfile.ZipFile, allowance: Allowance) -> None:
        self._name, self._zip, self._allowance = name, archive, allowance
        self._infos = self._checked_list()
        self.manifest = self._read_manifest()

    @property
    def has_encrypted_ids(self) -> bool:
        return encryption.FILE in self._infos

    def rows(self, file: str) -> Iterator[tuple[Place, Row]]:
        """Each row with its place; BadFile after the last one if they are not complete."""
        digest, line = sha256(), 0
        stream = self._stream(file)
        while data := stream.readline(MAX_ROW_BYTES + 1):
            line += 1
            place = Place(file, line)
            if len(data) > MAX_ROW_BYTES:
                raise place.bad("a line without an end", f"at most {MAX_ROW_BYTES:,} bytes")
            digest.update(data)
            yield place, _object(place, data)
        self._refuse_other(file, line, digest.hexdigest())

    def content(self, file: str, max_bytes: int) -> bytes:
        data = self._stream(file).read(max_bytes + 1)
        if len(data) > max_bytes:
            raise BadFile(file, f"more than {max_bytes:,} bytes", "a shorter file")
        if file != MANIFEST:
            self._refuse_other(file, 1, sha256(data).hexdigest())
        return data

    def _refuse_other(self, file: str, rows: int, digest: str) -> None:
        listed = self.manifest["files"][file]
        if listed.get("rows") != rows:
            raise BadFile(file, f"{rows:,} rows", f"{listed.get('rows')}, as {MANIFEST} has it")
        if listed.get("sha256") != digest:
            problem = f"another checksum than in {MANIFEST}"
            raise BadFile(file, problem, "the file as it was written")

    def _stream(self, file: str) -> io.BufferedReader:
        info = self._infos[file]
        return guarded(file, member_stream(file, self._zip, info), self._allowance.take)

    def _checked_list(self) -> dict[str, zipfile.ZipInfo]:
        infos = self._zip.infolist()
        names = [info.filename for info in infos]
        expected_files = FILES | {MANIFEST}
        for name in names:
            if name not in expected_files | {encryption.FILE} or names.count(name) > 1:
                expected = f"{', '.join(sorted(expected_files))}, each once"
                raise BadFile(self._name, f"the file {name!r} in it", expected)
        if missing := sorted(expected_files - set(names)):
            raise BadFile(self._name, f"no {missing[0]} in it", "an archive of a study")
        return dict(zip(names, infos, strict=True))

    def _read_manifest(self) -> dict[str, Any]:
        place = Place(MANIFEST, 1)
        manifest = _object(place, self.content(MANIFEST, MAX_MANIFEST_BYTES))
        if manifest.get("format") != FORMAT:
            raise BadFile(self._name, "a zip archive of something else", f"a {FORMAT}")
        if (version := manifest.get("version")) != FORMAT_VERSION:
            expected = f"version {FORMAT_VERSION}: import it with the product that wrote it"
            raise BadFile(MANIFEST, f"version {version} of the format", expected)
        files = manifest.get("files")
        if not isinstance(files, dict) or set(files) != set(self._infos) - {MANIFEST}:
            raise BadFile(MANIFEST, "another list of files than the archive has", "its files")
        if not all(isinstance(counts, dict) for counts in files.values()):
            raise BadFile(MANIFEST, "files without their counts", "rows and sha256 of each")
        if not all(isinstance(manifest.get(name), str) for name in ("study", "collection")):
            raise BadFile(MANIFEST, "no names", "those of study and collection")
        return manifest


@contextmanager
def open_archive(
    path: Path, name: str = "", progress: Progress = lambda _: None
) -> Iterator[Archive]:
    """An archive on disk; messages call it `name`.

    progress: called with each number of bytes read of the file.
    """
    name = name or path.name
    try:
        size = path.stat().st_size
        file = io.FileIO(path)
    except OSError as fault:
        raise BadFile(str(path), fault.strerror or str(fault), "an archive") from fault
    with file, counted_zip(name, file, progress) as archive:
        yield Archive(name, archive, Allowance(name, size))


def _object(place: Place, data: bytes) -> Row:
    try:
        row = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as fault:
        raise place.bad("not JSON", "one JSON object in UTF-8") from fault
    if not isinstance(row, dict):
        raise place.bad("no JSON object", "one JSON object")
    return row


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
