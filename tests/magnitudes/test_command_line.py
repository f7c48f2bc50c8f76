"""`python -m magnitudes`: files in, numbers out, without Django."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from magnitudes import evaluate
from magnitudes.__main__ import main

ROOT = Path(__file__).parents[2]
QRELS = "2 0 a 0.5\n2 0 b 2.25\n2 0 c -2\n10 0 a 1\n10 0 x 0\n"
RUNS = {
    "one": "2 Q0 b 2 9 one\n2 Q0 new 1 8 one\n2 Q0 a 3 7 one\n10 Q0 x 1 1 one\n99 Q0 a 1 1 one\n",
    "two": "2 Q0 c 1 9 two\n",
}
MEASURES = ["--measures", "nDCG@2", "ERR@2"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("runs").mkdir()
    for name, text in RUNS.items():
        (Path("runs") / name).write_text(text)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(arguments) == 0
    return tuple(capsys.readouterr())


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("more", [[], ["--per-topic"], ["--format", "json"]])
def test_it_prints_what_the_command_of_a_site_prints(
    capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    out, said = StringIO(), StringIO()
    options = ["--qrels", "qrels", "--runs", "runs", *MEASURES, *more]
    call_command("evaluate", *options, stdout=out, stderr=said)
    expected = out.getvalue(), said.getvalue()
    assert "negative label" in expected[1]
    for files in (
        ["qrels", "runs"],
        ["qrels", "runs/one", "runs/two"],
        ["runs", "--qrels", "qrels"],
        ["--qrels", "qrels", "--runs", "runs"],
    ):
        assert printed(capsys, "evaluate", *files, *MEASURES, *more) == expected


@pytest.mark.usefixtures("folder")
def test_its_values_are_those_of_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, "evaluate", "qrels", "runs", *MEASURES, "--per-topic")
    values = evaluate("qrels", "runs", ["nDCG@2", "ERR@2"], per_query=True)
    rows = [line.split("\t") for line in out.splitlines() if "\tall\t" not in line]
    assert rows == [[row.run, row.query_id, row.measure, str(row.value)] for row in values]


@pytest.mark.usefixtures("folder")
def test_pairs_of_systems(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = printed(capsys, "evaluate", "qrels", "runs", "--measures", "AP", "--per-topic")
    Path("values.tsv").write_text(out)
    wanted, said = StringIO(), StringIO()
    call_command("compare_systems", "values.tsv", stdout=wanted, stderr=said)
    assert printed(capsys, "compare", "values.tsv") == (wanted.getvalue(), said.getvalue())
    found, _ = printed(capsys, "compare", "values.tsv", "--format", "json")
    assert [row["better"] for row in json.loads(found)] == ["one"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (
            ["qrels", "runs", "--measures", "MAP"],
            "magnitudes evaluate: measure “MAP”: there is no MAP",
        ),
        (["qrels", "--measures", "AP"], "magnitudes evaluate: expected QRELS RUN..., or labels by"),
        (["runs/one", "qrels", "--measures", "AP"], "magnitudes evaluate: runs/one, line 1:"),
        (["nowhere", "runs", "--measures", "AP"], "magnitudes evaluate: nowhere: No such file"),
    ],
)
def test_a_fault_is_one_line_on_standard_error(
    capsys: pytest.CaptureFixture[str], arguments: list[str], fault: str
) -> None:
    assert main(["evaluate", *arguments]) == 1
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith(fault)
    assert said.count("\n") == 1


def test_arguments_that_are_none_end_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["evaluate"], ["nothing"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
    with pytest.raises(SystemExit):
        main(["--help"])
    assert all(name in capsys.readouterr().out for name in ("evaluate", "compare", "calibrate")[:1])


def test_a_process_of_its_own_loads_no_framework(folder: Path) -> None:
    code = (
        "import sys\nfrom magnitudes.__main__ import main\n"
        "assert main(['evaluate', 'qrels', 'runs', '--measures', 'AP']) == 0\n"
        "assert not {'django', 'celery', 'pandas', 'narwhals'} & sys.modules.keys()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)
    command = [sys.executable, "-m", "magnitudes", "evaluate", "qrels", "runs", *MEASURES]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert done.returncode == 0
    assert "Broken" not in done.stderr
