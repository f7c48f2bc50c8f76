import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path
from random import Random

import pytest

from trec.archives import open_members, total_size
from trec.errors import BadFile


def contents(*paths: Path, progress=lambda _: None) -> dict[str, bytes]:
    root = str(paths[0].parent) + "/"
    members = open_members(paths, progress)
    return {member.name.removeprefix(root): member.stream.read() for member in members}


def tar_of(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def refusal(*paths: Path) -> str:
    with pytest.raises(BadFile) as fault:
        contents(*paths)
    return str(fault.value).replace(str(paths[0].parent) + "/", "")


@pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, lzma.compress, bz2.compress, lambda d: gzip.compress(lzma.compress(d))],
)
def test_one_file_whatever_its_compression_and_name(tmp_path, pack):
    path = tmp_path / "a.dat"
    path.write_bytes(pack(b"one line\n"))
    assert contents(path) == {"a.dat": b"one line\n"}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_members_of_a_tar_in_their_order(tmp_path, pack):
    path = tmp_path / "runs"
    files = {"runs/b.run": b"b", "./runs/a.run": b"a" * 100_000, "runs/c": gzip.compress(b"c")}
    path.write_bytes(pack(tar_of(files)))
    expected = {"runs:runs/b.run": b"b", "runs:./runs/a.run": b"a" * 100_000, "runs:runs/c": b"c"}
    assert contents(path) == expected
    assert list(contents(path)) == list(expected)


def test_a_tar_in_a_tar(tmp_path):
    path = tmp_path / "outer.tar"
    path.write_bytes(tar_of({"inner.tar": tar_of({"x": b"1"}), "y": b"2"}))
    assert contents(path) == {"outer.tar:inner.tar:x": b"1", "outer.tar:y": b"2"}


def test_hidden_files_links_and_folders_in_a_tar_are_passed_over(tmp_path):
    path = tmp_path / "a.tar"
    (tmp_path / "x").write_bytes(b"1")
    with tarfile.open(path, "w") as archive:
        for name in (".hidden", "runs/._x", "__MACOSX/x", ".git/x", "x"):
            archive.add(tmp_path / "x", arcname=name)
        for name, kind in (("folder", tarfile.DIRTYPE), ("link", tarfile.SYMTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "x"
            archive.addfile(info)
    assert contents(path) == {"a.tar:x": b"1"}


def test_folders_are_walked_in_the_order_of_names(tmp_path):
    folder = tmp_path / "runs"
    for name in ("b/2", "b/1", "a.gz", ".hidden", ".git/x", "c"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(b"a") if name == "a.gz" else name.encode())
    assert list(contents(folder).items()) == [
        ("runs/a.gz", b"a"),
        ("runs/b/1", b"b/1"),
        ("runs/b/2", b"b/2"),
        ("runs/c", b"c"),
    ]


def test_the_first_bytes_can_be_seen_without_reading_them(tmp_path):
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(tar_of({"x": b"0123456789" * 1000})))
    for member in open_members([path]):
        assert member.head() == b"0123456789" * 409 + b"012345"
        assert len(member.stream.read()) == 10_000


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_progress_adds_up_to_the_size_on_disk(tmp_path, pack):
    path = tmp_path / "runs"
    path.write_bytes(pack(tar_of({"a": b"a" * 300_000, ".b": b"b" * 100_000})))
    other = tmp_path / "other"
    other.write_bytes(b"text" * 50_000)
    steps: list[int] = []
    contents(path, other, progress=steps.append)
    assert sum(steps) == total_size([path, other]) > 0
    assert len(steps) > 2


def test_an_empty_file_is_a_member(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"")
    assert contents(path) == {"a": b""}


def test_missing_file(tmp_path):
    expected = "a: No such file or directory; expected a readable file or folder"
    assert refusal(tmp_path / "a") == expected
    with pytest.raises(BadFile, match="No such file"):
        total_size([tmp_path / "a"])


def test_folder_or_archive_without_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b.tar").write_bytes(tar_of({".hidden": b"1"}))
    assert refusal(tmp_path / "a") == "a: no files in it; expected at least one file"
    assert refusal(tmp_path / "b.tar") == "b.tar: no files in it; expected at least one file"


def test_zip_is_refused_by_name(tmp_path):
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", "1")
    assert refusal(path) == "a: a zip archive; expected a plain file, or gz, xz, bz2 or tar"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("keep", [20, 30_000, -1])
def test_truncated_compression(tmp_path, pack, keep):
    path = tmp_path / "a"
    path.write_bytes(pack(Random(1).randbytes(100_000))[:keep])
    assert refusal(path).startswith("a: damaged or cut short (")
    assert refusal(path).endswith("); expected a whole file")


def test_corrupt_compression(tmp_path):
    path = tmp_path / "a"
    data = bytearray(gzip.compress(bytes(range(256)) * 100))
    data[-6] ^= 1
    path.write_bytes(data)
    assert refusal(path).startswith("a: damaged or cut short (CRC check failed")


def test_garbage_after_the_tar_but_inside_its_compression_is_noticed(tmp_path):
    path = tmp_path / "a"
    data = bytearray(gzip.compress(tar_of({"x": b"1"})))
    data[-6] ^= 1
    path.write_bytes(data)
    assert refusal(path).startswith("a: damaged or cut short (CRC check failed")


# A tar of two files of one block each: header, block, header, block, closing blocks.
@pytest.mark.parametrize("keep", [700, 1024, 1300, 1536, 1800, 2048])
def test_truncated_tar_wherever_it_was_cut(tmp_path, keep):
    path = tmp_path / "a.tar"
    path.write_bytes(tar_of({"x": b"1" * 512, "y": b"2" * 512})[:keep])
    assert "damaged or cut short (" in refusal(path)


def test_a_damaged_header_is_not_the_end_of_a_tar(tmp_path):
    path = tmp_path / "a.tar"
    data = bytearray(tar_of({"x": b"1" * 512, "y": b"2" * 512}))
    data[1030] ^= 1
    path.write_bytes(data)
    assert refusal(path) == "a.tar: damaged or cut short (bad checksum); expected a whole file"
