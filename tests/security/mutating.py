"""`python -m tests.security.mutating [--some N --seed S] [NAME...]`: defences taken away, singly.

A mutant is a patch in `mutants/` that takes a defence of docs/threat-model.md away. Its first lines
name the row, and the test that must fail then. All is done in a copy of the tree; nothing here is
changed. Exits 1 unless every test passes with the defence and fails without it.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent.parent
PATCHES = Path(__file__).parent / "mutants"
GRACE = 20  # seconds in which a test that is ended stops what it started
SECONDS = 300  # that the tests of a file may take; those of servers begin with a site of their own
FAILED = "fails without it"
TOO_SLOW = "comes to no end without it"
GOOD = (FAILED, TOO_SLOW)
# Rows that no patch could take away, and why. None so far.
WITHOUT: dict[str, str] = {}


@dataclass(frozen=True)
class Mutant:
    """A patch, the row of the threat model that it takes away, and the test of that row."""

    patch: Path
    row: str
    test: str

    @property
    def name(self) -> str:
        return self.patch.stem

    @property
    def file(self) -> str:
        return self.test.partition("::")[0]


def mutants(names: Sequence[str] = ()) -> list[Mutant]:
    """Those of these names; all, if none is given."""
    found = [_read(patch) for patch in sorted(PATCHES.glob("*.patch"))]
    if unknown := set(names) - {mutant.name for mutant in found}:
        raise SystemExit(f"No such mutant: {', '.join(sorted(unknown))}")
    return [mutant for mutant in found if not names or mutant.name in names]


def _read(patch: Path) -> Mutant:
    row, test, *_ = patch.read_text(encoding="utf-8").splitlines()
    return Mutant(patch, row.removeprefix("Row: "), test.removeprefix("Test: "))


@contextmanager
def copied_tree() -> Iterator[Path]:
    """A copy of what git knows of, and of what it does not know yet; gone afterwards."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for name in filter(None, map(os.fsdecode, names)):
            if (ROOT / name).is_file():
                (target := Path(folder, name)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        yield Path(folder)


@contextmanager
def applied(tree: Path, mutant: Mutant) -> Iterator[None]:
    """Take the defence away for a while; SystemExit where the patch does not fit any more."""
    _apply(tree, mutant)
    try:
        yield
    finally:
        _apply(tree, mutant, "--reverse")


def _apply(tree: Path, mutant: Mutant, *options: str) -> None:
    command = ["git", "apply", "--recount", *options, str(mutant.patch)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(
            f"{mutant.patch.relative_to(ROOT)} does not apply any more: change it as its code has "
            f"changed.\n{done.stderr}"
        )


def outcome(tree: Path, tests: Sequence[str]) -> dict[str, int]:
    """Run tests in a tree: how many `tests` there were, `failures`, `errors` and `timeouts`."""
    report = tree / "report.xml"
    report.unlink(missing_ok=True)
    options = ["-q", "-x", "--reuse-db", "-p", "no:cacheprovider", f"--junitxml={report}"]
    options += ["-m", "not whole"]
    environment = os.environ | {"VAR_DIR": str(tree / "var"), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "PROCESS"):
        environment.pop(name, None)
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            said, _ = running.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGTERM)  # with time to stop its servers
            with suppress(subprocess.TimeoutExpired):
                running.wait(GRACE)
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            return {"tests": 0, "failures": 0, "errors": 0, "timeouts": 1}
    if not report.exists():
        sys.stderr.write(said[-3000:])
        return {"tests": 0, "failures": 0, "errors": 1, "timeouts": 0}
    suite = ElementTree.parse(report).getroot()[0]
    counts = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors")}
    if counts["errors"]:
        sys.stderr.write(said[-3000:])
    return counts | {"timeouts": 0}


def verdict(tree: Path, mutant: Mutant) -> str:
    """What its test says of a mutant."""
    with applied(tree, mutant):
        counts = outcome(tree, [mutant.test])
    if counts["failures"]:
        return FAILED
    if counts["timeouts"]:
        return TOO_SLOW
    return "cannot run without it" if counts["errors"] else "DOES NOT NOTICE"


def run(chosen: Sequence[Mutant]) -> bool:
    """Print a line for each; whether all is as it should be."""
    with copied_tree() as tree:
        passing = {file for file, tests in _by_file(chosen).items() if _passes(tree, file, tests)}
        good = True
        for mutant in chosen:
            began = time.monotonic()
            is_known = mutant.file in passing
            said = verdict(tree, mutant) if is_known else "fails with it, too"
            good &= said in GOOD
            seconds = f"{time.monotonic() - began:4.0f} s"
            _say(f"{mutant.row:4} {mutant.name:40} {said:26} {seconds}  {mutant.test}")
    return good


def _by_file(chosen: Sequence[Mutant]) -> dict[str, list[str]]:
    """The tests of some mutants, by their files."""
    files: dict[str, list[str]] = {}
    for mutant in chosen:
        files.setdefault(mutant.file, []).append(mutant.test)
    return files


def _passes(tree: Path, file: str, tests: Sequence[str]) -> bool:
    """Whether tests of a file pass with all defences."""
    counts = outcome(tree, sorted(set(tests)))
    passes = counts["tests"] > 0 and not any(
        counts[name] for name in ("failures", "errors", "timeouts")
    )
    if not passes:
        _say(f"With all defences: {file} {counts}")
    return passes


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of patches, without their ending")
    parser.add_argument("--some", type=int, help="so many, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = mutants(options.names)
    if options.some:
        chosen = random.Random(options.seed).sample(chosen, min(options.some, len(chosen)))
    _say(f"{len(chosen)} mutants, seed {options.seed}")
    return 0 if run(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
