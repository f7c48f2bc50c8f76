"""Members made from text or bytes, for the tests of every format."""

import io

from magnitudes.files.containers.archives import Member


def member(content: str | bytes, name: str = "file") -> Member:
    data = content.encode() if isinstance(content, str) else content
    return Member(name, io.BufferedReader(io.BytesIO(data), 1 << 16))
