"""Inputs that readers once fell over, made small: each is taken, or refused as it should be."""

import json
import struct

import pytest

from tests.fuzzing.readers import READERS
from tests.fuzzing.readers.archives import PLAIN, sparse, tar, zip64
from tests.fuzzing.watching import Watch

DIGITS = b"9" * 5000  # more than int() takes
DEEP = b"[" * 5000  # more than json and tomllib go down
LIST = {"run": "a", "topic": "401", "ranks": [1], "scores": [1]}
# Of a zip: what its list says of a file without a name, and its end.
LISTED = b"PK\x01\x02\x14\x03\x14" + bytes(39)
ENDED = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(LISTED), 4, 0)
FOUND = {
    "a character with thousands of digits": ("documents to be shown", b"&#" + DIGITS),
    "a span with many blanks": ("documents to be shown", b"<td colspan=" + b" " * 60_000 + b">"),
    "TOML nested for ever": ("study.toml", b"a=" + DEEP),
    "TOML with a name of thousands of parts": (
        "settings of studies",
        b"title." + b"a." * 3000 + b"a=1",
    ),
    "TOML with a long number": ("study.toml", b"a=" + DIGITS),
    "a choice that Django would format": ("settings of studies", b'scale="%e"'),
    "TOML with a large exponent": ("study.toml", b"a=1e" + DIGITS[:20]),
    "holes of a tar that are no numbers": (
        "tars",
        tar("a", PLAIN, **sparse("0", "1", "b", "x", "y")),
    ),
    "holes of a tar without numbers": (
        "tars",
        tar("a", b"x\n" + PLAIN, **sparse("1", "0", "b", "9")),
    ),
    "a tar with a hole of 39 GB": (
        "tars",
        tar("a", b"", **{"GNU.sparse.size": "39000000000", "GNU.sparse.numblocks": "0"}),
    ),
    "a place beyond the largest number": ("zips", zip64(2**64 - 1)),
    "a text among thousands of numbers": (
        "rows of a study's archive",
        b"lists\n" + json.dumps(LIST | {"codes": ["x" * 10_000] + [1] * 20_000}).encode(),
    ),
    "sealed ids that are no JSON": ("sealed ids of an archive", b"{"),
    "sealed ids nested for ever": ("sealed ids of an archive", DEEP),
    "a first line that does not end as one": (
        "requests",
        b"GET http://a" + b"9" * 30_000 + b" x\r\nHost: localhost\r\n\r\n",
    ),
    "a file without a name": ("zips", b"PK\x03\x04" + LISTED + ENDED),
    "a length of thousands of digits": (
        "requests",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + DIGITS + b"\r\n\r\n",
    ),
    "an address without a host": ("requests", b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "a request to no address": ("requests", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    "a signed link for no address": (
        "signed links of platforms",
        b'{"exp": 4e9, "aud": "https://[", "prolific": {"PROLIFIC_PID": "a"}}',
    ),
    "an event nested for ever": ("events of Prolific", DEEP),
    "a cursor of thousands of digits": ("cursors of pages", b"p=" + DIGITS),
    "tries of thousands of digits": ("questions of analyses", b"tries=0000000019" + DIGITS),
    "a manifest that is a list": ("manifests of backups", b"[]"),
    "a manifest nested for ever": ("manifests of backups", DEEP),
    "a record that is none": ("the record", b"{"),
    "a record without moments": ("the record", b'{"at": 1}'),
    "a record in other letters": ("the record", b"\xff"),
    "a key that is none": ("keys of backups", b"AGE-SECRET-KEY-1"),
    "an encrypted id cut short": ("encrypted ids", b"a"),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_is_mended(name: str) -> None:
    reader, data = FOUND[name]
    watch = Watch(READERS[reader])
    assert watch.give(data) is None
