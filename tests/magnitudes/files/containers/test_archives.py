import bz2
import gzip
import io
import lzma
import os
import socket
import tarfile
import tracemalloc
from pathlib import Path
from random import Random

import pytest

from magnitudes.files.containers.archives import open_members, total_size
from magnitudes.files.documents import read_documents
from magnitudes.files.errors import BadFile
from magnitudes.files.runs import read_runs


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


def nested(depth: int, data: bytes = b"one line\n") -> bytes:
    for _ in range(depth):
        data = gzip.compress(data)
    return data


def test_compression_within_compression_up_to_a_limit(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(nested(8))
    assert contents(path) == {"a": b"one line\n"}
    path.write_bytes(tar_of({"x": nested(8)}))
    problem = "more than 8 archives or compressions, one within another; expected at most 8"
    assert refusal(path) == f"a:x: {problem}"
    for depth in (9, 400, 1900):
        path.write_bytes(nested(depth))
        assert refusal(path) == f"a: {problem}"


def traced(function):
    """What a call raises as BadFile, and the most memory that it took."""
    tracemalloc.start()
    try:
        with pytest.raises(BadFile) as fault:
            function()
        return str(fault.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["x", ".passed-over"])
def test_what_comes_out_of_a_file_is_bounded_by_its_size(tmp_path, name):
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(tar_of({name: bytes(1 << 27)}), compresslevel=1))
    most = (1 << 26) + 100 * path.stat().st_size

    def read_by_pieces():
        for member in open_members([path]):
            while member.stream.read(1 << 16):
                pass

    message, memory = traced(read_by_pieces)
    assert message == (
        f"{path}: more than {most:,} bytes come out of it; expected at most 100 times its size "
        "and 67,108,864 bytes; unpack it yourself if it is meant to hold so much"
    )
    assert memory < 10_000_000


def test_holes_in_a_file_count_as_what_comes_out_of_it(tmp_path):
    path = tmp_path / "a.tar"
    long = str(39 * 10**9)
    holes = {"GNU.sparse.size": long, "GNU.sparse.numblocks": "1", "GNU.sparse.map": f"{long},0"}
    info = tarfile.TarInfo("a")
    info.pax_headers = holes
    path.write_bytes(info.tobuf(tarfile.PAX_FORMAT) + bytes(1024))
    assert "bytes come out of it" in refusal(path)


def test_a_large_archive_of_good_files_is_read_to_its_end(tmp_path):
    path = tmp_path / "a"
    text = Random(3).randbytes(1_000_000).hex().encode()
    path.write_bytes(gzip.compress(tar_of({str(n): text for n in range(40)}), compresslevel=1))
    assert path.stat().st_size < 40 * len(text) < 2 * path.stat().st_size
    assert sum(len(member.stream.read()) for member in open_members([path])) == 40 * len(text)


def all_documents(members):
    return [document for member in members for document in read_documents(member)]


@pytest.mark.parametrize("read", [read_runs, all_documents])
def test_a_line_that_does_not_end_is_refused_in_little_memory(tmp_path, read):
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(b" " * (1 << 26), compresslevel=1))
    message, memory = traced(lambda: list(read(open_members([path]))))
    problem = "a line of more than 16,777,216 bytes; expected shorter lines"
    assert message == f"{path}, line 1: {problem}"
    assert memory < 100_000_000


@pytest.mark.parametrize("kind", ["device", "pipe", "socket", "link to a device"])
def test_what_is_no_file_is_refused_before_it_is_opened(tmp_path, kind):
    path = tmp_path / "a"
    with socket.socket(socket.AF_UNIX) as listener:
        if kind == "device":
            path = Path("/dev/zero")
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "socket":
            listener.bind(str(path))
        else:
            path.symlink_to("/dev/zero")
        said = "a device, a pipe or a socket; expected a plain file, or gz, xz, bz2, tar or zip"
        assert refusal(path).endswith(said)
        with pytest.raises(BadFile, match="a device, a pipe or a socket"):
            total_size([path])
        if kind in ("pipe", "socket"):
            assert refusal(tmp_path) == f"{tmp_path.name}/a: {said}"


def test_links_within_a_folder_are_followed_and_those_out_of_it_refused(tmp_path):
    folder = tmp_path / "runs"
    (folder / "b").mkdir(parents=True)
    (folder / "a").write_bytes(b"1")
    (folder / "b/c").symlink_to("../a")
    (tmp_path / "link").symlink_to(folder)
    assert contents(tmp_path / "link") == {"link/a": b"1", "link/b/c": b"1"}
    for name, target in (("d", "/etc/hostname"), ("d", "/etc"), ("d", "../../runs2"), ("d", "d")):
        (folder / name).symlink_to(target)
        if target == "d":
            assert "Too many levels of symbolic links" in refusal(folder)
        else:
            assert refusal(folder).startswith("runs/d: a link out of the folder, to /")
            assert refusal(folder).endswith("; expected files of the folder itself")
        (folder / name).unlink()


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_name_in_a_tar_is_not_read_if_it_is_absurdly_long(tmp_path, kind):
    path = tmp_path / "a"
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, 1 << 40
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"1" * 4096)
    assert refusal(path) == (
        "a: damaged or cut short (a name or attribute of 1,099,511,627,776 bytes); "
        "expected a whole file"
    )
