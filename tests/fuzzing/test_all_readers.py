"""Whoever adds a reader of bytes from outside gives it a line, or says why it needs none."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.fuzzing import OURS
from tests.fuzzing.readers import READERS
from tests.fuzzing.watching import ROOT

# What a function of `magnitudes.files` is given that comes from outside.
FROM_OUTSIDE = re.compile(r"\b(Member|bytes|BufferedReader|FileIO|Source|StoredFile)\b")
# Calls by which bytes or texts are understood.
UNDERSTAND = frozenset(
    """json.loads json.load tomllib.loads tomllib.load csv.reader csv.DictReader
    zipfile.ZipFile tarfile.open gzip.GzipFile lzma.LZMAFile bz2.BZ2File nh3.clean jwt.decode
    jwt.get_unverified_header pyrage.decrypt pyrage.decrypt_io Identity.from_str b64decode
    base64.b64decode base64.urlsafe_b64decode lxml.html.fromstring signing.loads
    lxml.html.fragment_fromstring parse_qsl datetime.fromisoformat parse_datetime
    codecs.getincrementaldecoder""".split()
)
METHODS = frozenset({"unsign", "unsign_object", "decrypt"})
COVERED = {name for reader in READERS.values() for name in reader.of.split()}
# Modules in which what is understood was written by this site itself, or is no stranger's.
OUR_OWN = {
    "accounts.factor_secrets": "what the site encrypted",
    "embedded.starting": "what our own command printed",
    "judging.pages.default_texts": "our own templates",
    "judging.record": "what it wrote itself",
    "operations.backup.restoring": "a list that it wrote itself",
    "web.product": "our own pyproject.toml",
    "web.files": "archives are written there",
    "workspace.alerts.webhooks": "secrets that the site made",
    "workspace.management.commands.act": "what an operator types",
    "workspace.imports.datasets": "a file of the library",
    "magnitudes.client.tables": "what the site answers",
    "evaluation.presentation.published": "our own published.toml",
    "evaluation.report.captions": "our own captions.toml",
}
NO_READER = {"magnitudes.files.containers.archives.total_size": "asks how long files are"}


def test_every_reader_of_files_is_given_hostile_ones() -> None:
    there = set(functions_of_formats())
    assert len(there) > 20
    assert there - COVERED == NO_READER.keys()


def test_whatever_understands_bytes_is_given_hostile_ones() -> None:
    there = set(understanding())
    assert len(there) > 20
    assert there - rooms() == OUR_OWN.keys()


def test_every_reader_names_functions_that_there_are() -> None:
    for name in sorted(COVERED):
        assert callable(_named(name)), name


def functions_of_formats() -> Iterator[str]:
    """The public functions of `magnitudes.files` that are given something from outside."""
    for module in _modules("magnitudes/files"):
        for name, function in vars(importlib.import_module(module)).items():
            if inspect.isfunction(function) and function.__module__ == module and name[0] != "_":
                parts = inspect.signature(function).parameters.values()
                kinds = " ".join(str(part.annotation) for part in parts)
                if FROM_OUTSIDE.search(kinds):
                    yield f"{module}.{name}"


def understanding() -> Iterator[str]:
    """The modules of the product that understand bytes or texts."""
    for module in (module for room in OURS for module in _modules(room)):
        path = ROOT / f"{module.replace('.', '/')}.py"
        calls = (
            node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        )
        names = {ast.unparse(call.func) for call in calls}
        if names & UNDERSTAND or any(name.rpartition(".")[2] in METHODS for name in names):
            yield module


@cache
def rooms() -> set[str]:
    """The modules of the functions that hostile bytes are given to."""
    return {inspect.getmodule(_named(name)).__name__ for name in COVERED}  # type: ignore[union-attr]


def _named(name: str) -> object:
    """What a name with dots stands for: in a module, or in a class there."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except ModuleNotFoundError:
        return getattr(_named(module), last)


def _modules(room: str) -> Iterator[str]:
    for path in sorted(Path(ROOT, room).rglob("*.py")):
        if "migrations" not in path.parts and path.name != "__init__.py":
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts)
