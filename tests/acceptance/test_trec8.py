"""The plan of a published study, on the runs of TREC-8: its Table I, topic by topic.

Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017), Table I. DATA names the folder that
holds `trec8/`; it may be a relative path.
"""

import csv
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from evaluation.publishing.exports import lines
from judging.models import Collection, Study

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif("DATA" not in os.environ, reason="DATA names no folder"),
    pytest.mark.django_db,
]
DATA = Path(os.environ.get("DATA", "")).resolve() / "trec8"


def published() -> list[dict[str, str]]:
    with (DATA / "table1.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def command(*arguments: object) -> tuple[str, str]:
    """Run a command; what it prints, and what it warns of."""
    out, err = StringIO(), StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def study(db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Study:
    said, _ = command(
        *("import_collection", "trec8", "--topics", DATA / "topics.401-450.txt"),
        *("--qrels", DATA / "qrels.trec8.adhoc.txt"),
        *("--runs", DATA / "runs_129_18topics_depth1000.tar.xz"),
    )
    assert "topics 50, documents 0, runs 129 (2322 lists)" in said
    assert "labels reference: 86830" in said
    assert "documents without text" in said
    config = tmp_path / "study.toml"
    config.write_text(
        'title = "As published"\n'
        + "".join(
            f'[topics.{row["topic"]}]\nh_k = "{row["H_k"]}"\nn_k = "{row["N_k"]}"\n'
            for row in published()
        )
    )
    command("create_study", "published", "--collection", "trec8", "--config", config)
    return Study.objects.get(slug="published")


def test_the_plan_is_that_of_table1(study: Study) -> None:
    said, warned = command("plan_units", "published", "--pool-by", "rank", "--seed", "1")
    assert said.startswith("4269 documents, 7059 units, at least 695 workers")
    of_topics = [line for line in warned.splitlines() if line.startswith("warning: Topic")]
    assert [line.split(":")[1].split()[1] for line in of_topics] == ["403", "427"]
    assert warned.count("is labelled 1, relevant") == 2
    found = list(csv.DictReader(StringIO("".join(lines(study, "table1", "csv")))))
    assert len(found) == 18
    for row, printed in zip(found, published(), strict=True):
        assert row["topic"] == printed["topic"]
        assert (row["documents"], row["units"]) == (printed["documents"], printed["units"])
        assert (row["h_k"], row["n_k"]) == (printed["H_k"], printed["N_k"])

    # Without texts and questions it stays a draft; every topic is named.
    with pytest.raises(CommandError) as refusal:
        command("open_study", "published")
    said = str(refusal.value)
    for printed in published():
        topic, documents = printed["topic"], printed["documents"]
        assert f"Topic {topic} has no question with four options and an answer." in said
        assert f"Topic {topic}: {documents} of {documents} documents have no text" in said
    assert "Nothing was changed." in said
    study.refresh_from_db()
    assert study.stage == "draft"

    # The same again changes nothing.
    revision = Collection.objects.get(slug="trec8").revision
    said, _ = command(
        "import_collection", "trec8", "--runs", DATA / "runs_129_18topics_depth1000.tar.xz"
    )
    assert "runs 0 (0 lists) new or changed" in said
    assert Collection.objects.get(slug="trec8").revision == revision
