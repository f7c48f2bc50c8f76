"""export and recompute, from the command line."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation import results
from evaluation.models import Evaluation
from evaluation.pipeline import evaluate
from evaluation.publishing import exports
from judging.models import Study
from tests.database import there_for_all
from tests.factory import make_study
from tests.factory.completed import judged_study

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def study(django_db_setup: None, django_db_blocker: Any) -> Iterator[Study]:
    with there_for_all(django_db_blocker):
        study, _ = judged_study(1, topics=2, units=3)
        evaluate(study)
        yield study


def export(*arguments: str) -> str:
    out = StringIO()
    call_command("export", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("table", exports.EXPORTS)
def test_every_table_and_format_to_standard_output_and_to_a_file(
    study: Study, table: str, tmp_path: Path
) -> None:
    for written in exports.EXPORTS[table].formats:
        expected = "".join(exports.lines(study, table, written))
        assert export(study.slug, table, "--format", written) == expected
        file = tmp_path / f"{table}.{written}"
        assert export(study.slug, table, "--format", written, "--out", str(file)) == ""
        assert file.read_bytes() == expected.encode()
    first = exports.EXPORTS[table].formats[0]
    assert export(study.slug, table) == "".join(exports.lines(study, table, first))


def test_qrels_take_a_scheme(study: Study) -> None:
    schemes = {"normalisation": "anchors", "aggregation": "geometric"}
    arguments = [word for name, value in schemes.items() for word in (f"--{name}", value)]
    made = export(study.slug, "qrels", *arguments)
    assert made == "".join(exports.lines(study, "qrels", "trec", **schemes))
    assert made != export(study.slug, "qrels")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", "qrels"], "There is no study nowhere."),
        (["{study}", "judgments", "--format", "trec"], "csv or jsonl, not as trec"),
        (["{study}", "units", "--aggregation", "median"], "--aggregation is an option of qrels"),
        (["{study}", "scores"], "invalid choice: 'scores'"),
        (["{study}", "qrels", "--format", "xml"], "invalid choice: 'xml'"),
        (["{study}", "qrels", "--normalisation", "x"], "invalid choice: 'x'"),
        (["{study}", "qrels", "--out", "{folder}/no/such"], "No such file or directory"),
        (["{study}", "qrels", "--out", "{folder}"], "Is a directory"),
    ],
)
def test_what_cannot_be_exported_is_refused(
    study: Study, arguments: list[str], said: str, tmp_path: Path
) -> None:
    given = [word.format(study=study.slug, folder=tmp_path) for word in arguments]
    with pytest.raises(CommandError, match=said):
        export(*given)


def test_recompute_publishes_all_anew_and_says_what_there_is() -> None:
    study, _ = judged_study(1, topics=2, units=3)
    out = StringIO()
    call_command("recompute", study.slug, stdout=out)
    topics = Evaluation.objects.get(study=study).topics
    assert out.getvalue() == f"study {study}: {topics} topics, 3 units, 24 judgments\n"
    call_command("recompute", study.slug, stdout=StringIO())
    assert results.published(study).number == 2  # type: ignore[union-attr]


def test_recompute_of_a_study_without_a_unit() -> None:
    study = make_study(opened=False)
    out = StringIO()
    call_command("recompute", study.slug, stdout=out)
    assert out.getvalue() == f"study {study}: 0 topics, 0 units, 0 judgments\n"


def test_recompute_of_no_study_is_refused() -> None:
    with pytest.raises(CommandError, match=r"There is no study nowhere\."):
        call_command("recompute", "nowhere")
