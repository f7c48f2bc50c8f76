"""Zip archives: what is read of them, and what is refused."""

import io
import stat
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from magnitudes.files.containers.archives import open_members, total_size
from magnitudes.files.errors import BadFile
from magnitudes.files.limits import LONGEST_ZIP_LIST
from tests.magnitudes.files.containers.test_archives import contents, refusal, tar_of, traced


def zip_of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def written(folder: Path, data: bytes) -> Path:
    path = folder / "a"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_files_in_the_order_of_the_list(tmp_path, method):
    files = {"runs/b.run": b"b" * 100_000, "runs/é": b"e", "c.tar": tar_of({"x": b"1", "y": b"2"})}
    path = written(tmp_path, zip_of(files, method))
    expected = {"a:runs/b.run": b"b" * 100_000, "a:runs/é": b"e"}
    expected |= {"a:c.tar:x": b"1", "a:c.tar:y": b"2"}
    assert contents(path) == expected
    assert list(contents(path)) == list(expected)


def test_folders_links_and_hidden_files_are_passed_over(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in (".hidden", "__MACOSX/._x", ".git/x"):
            archive.writestr(name, "1")
        archive.mkdir("folder")
        for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFREG):
            info = zipfile.ZipInfo(f"kind{kind}")
            info.external_attr = (kind | 0o644) << 16
            archive.writestr(info, "/etc/passwd")
        archive.writestr("../x", "2")
    assert contents(written(tmp_path, out.getvalue())) == {
        f"a:kind{stat.S_IFREG}": b"/etc/passwd",
        "a:../x": b"2",  # a name in messages, nothing more
    }


def test_progress_adds_up_to_the_size_on_disk(tmp_path):
    noise = bytes(range(256)) * 2_000
    path = written(tmp_path, zip_of({"a": noise, ".b": noise, "c": noise}, zipfile.ZIP_STORED))
    steps: list[int] = []
    contents(path, progress=steps.append)
    assert sum(steps) == total_size([path]) > 0
    assert max(steps) < total_size([path])


def test_an_archive_without_files(tmp_path):
    assert refusal(written(tmp_path, zip_of({}))) == "a: no files in it; expected at least one file"


def test_a_zip_within_another_archive_is_refused(tmp_path):
    inner = zip_of({"x": b"1"})
    for outer, name in (
        (zip_of({"i.zip": inner}), "a:i.zip"),
        (tar_of({"i.zip": inner}), "a:i.zip"),
    ):
        assert refusal(written(tmp_path, outer)) == (
            f"{name}: a zip archive within another archive; expected zip archives by themselves"
        )


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_zipfile_does_not_bound(tmp_path, method):
    name = "bzip2" if method == zipfile.ZIP_BZIP2 else "LZMA"
    assert refusal(written(tmp_path, zip_of({"x": b"1"}, method))) == (
        f"a:x: compressed by {name} within the zip archive; expected stored or deflated"
    )


def test_an_encrypted_file(tmp_path):
    data = bytearray(zip_of({"x": b"1"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(written(tmp_path, bytes(data))) == (
        "a:x: encrypted; expected a file without a password"
    )


def test_what_comes_out_is_bounded_by_the_size(tmp_path):
    path = written(tmp_path, zip_of({"x": bytes(1 << 27)}))
    most = (1 << 26) + 100 * path.stat().st_size

    def read_by_pieces():
        for member in open_members([path]):
            while member.stream.read(1 << 16):
                pass

    message, memory = traced(read_by_pieces)
    assert message.startswith(f"{path}: more than {most:,} bytes come out of it")
    assert memory < 10_000_000


def overlapping(copies: int) -> bytes:
    """An archive whose list names one file many times."""
    data = zip_of({"x": bytes(1 << 20)})
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    tail = bytearray(data[end:])
    tail[8:10] = tail[10:12] = copies.to_bytes(2, "little")
    tail[12:16] = (copies * (end - start)).to_bytes(4, "little")
    return data[:start] + data[start:end] * copies + bytes(tail)


def test_files_that_overlap_are_bounded_together(tmp_path):
    message = refusal(written(tmp_path, overlapping(200)))
    assert "bytes come out of it" in message or "Overlapped entries" in message


def test_a_list_that_is_absurdly_long_is_not_read(tmp_path):
    data = bytearray(zip_of({"x": b"1"}))
    end = data.index(b"PK\x05\x06")
    data[end + 12 : end + 16] = (LONGEST_ZIP_LIST + 1).to_bytes(4, "little")
    assert refusal(written(tmp_path, bytes(data))) == (
        "a: a list of files of 8,388,609 bytes; "
        "expected at most 8,388,608; use tar for so many files"
    )


@pytest.mark.parametrize("keep", [10, 60, 2_000, -1, -30])
def test_an_archive_cut_short(tmp_path, keep):
    data = zip_of({"x": bytes(range(256)) * 20, "y": b"2"}, zipfile.ZIP_STORED)
    assert refusal(written(tmp_path, data[:keep])).startswith("a: damaged or cut short (")


def test_a_checksum_that_is_wrong(tmp_path):
    data = zip_of({"x": b"one line\n"}, zipfile.ZIP_STORED).replace(b"one", b"two")
    assert refusal(written(tmp_path, data)).startswith("a:x: damaged or cut short (Bad CRC-32")


WHOLE = zip_of({"x": b"one line\n" * 20, "é": b"1"})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(WHOLE) - 1), st.binary(min_size=1, max_size=4))
@example(WHOLE.index(b"PK\x01\x02") + 6, b"\xff")  # made by a version that there is not
@example(WHOLE.rindex("é".encode()), b"\xff")  # a name that is not UTF-8
def test_a_damaged_archive_is_read_or_refused(tmp_path, place, noise):
    path = written(tmp_path, WHOLE[:place] + noise + WHOLE[place + len(noise) :])
    with suppress(BadFile):
        contents(path)
