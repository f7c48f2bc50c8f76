"""Analyses of studies whose workers give levels."""

import re

import numpy as np
import pytest

from evaluation.analyses import ANALYSES, of_section, of_study
from evaluation.study.data import StudyData
from judging.models import Study
from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.agreement.misplaced import misplaced
from magnitudes.scaling.aggregation import aggregate
from tests.factory.arrays import (
    analysed,
    random_study,
    table,
)
from tests.factory.opinions import graded

NAMES = ["Non", "Rel", "HRel", "Key"]
GRADED = {"scale": "graded", "levels": NAMES}
FITTING = list(of_study(Study(**GRADED)))


@pytest.fixture(scope="module")
def study() -> StudyData:
    return graded(random_study(topics=7, units=30))


@pytest.mark.parametrize("name", FITTING)
def test_what_is_kept_of_levels_speaks_of_no_magnitudes(study, name):
    found = ANALYSES[name].of(study)
    said = [*found["says"], *(part["says"] for part in found["parts"])]
    said += [part.get(name, "") for part in found["parts"] for name in ("caption", "reading")]
    said += [note for part in found["parts"] for note in part.get("notes", [])]
    ours = [text for text in re.split(r"[.;(] ?", " ".join(said)) if "paper" not in text]
    assert not [text for text in ours if re.search("magnitude|normalis|logarithm|factor|γ", text)]
    assert all(part["svg"] for part in found["parts"] if part["kind"] == "figure")


def test_only_what_makes_sense_of_levels_is_for_them():
    only = {
        "distributions",
        "spread",
        "numbers",
        "order",
        "schemes",
        "widths",
        "profiles",
        "ratios",
    }
    assert not only & set(FITTING)
    assert "levels_given" in FITTING
    assert "levels_given" not in of_study(Study(scale="magnitude"))
    assert [one.name for one in of_section("gain", Study(**GRADED))] == ["definitions"]


def test_levels_are_counted_by_role_topic_and_label(study):
    found = analysed("levels_given", study)
    shares = np.bincount(study.judgments.scores.astype(int), minlength=4) / len(study.judgments)
    assert found.parts[0].rows[0][0] == "Non"
    assert [row[2] for row in found.parts[0].rows] == pytest.approx(shares)
    for name in ("by-role", "by-topic"):
        rows = table(found, name).rows
        assert sum(row[1] for row in rows) == len(study.judgments)
        assert [sum(row[2:]) for row in rows] == pytest.approx([1] * len(rows))
    labels = study.documents.labels[study.judgments.items]
    of_three = study.judgments.scores[labels == 3]
    (row,) = (row for row in table(found, "by-label").rows if row[0] == "3")
    assert row[1] == of_three.size
    assert row[5] == pytest.approx((of_three == 3).mean())


def test_alpha_is_ordinal(study):
    found = analysed("internal", study)
    wanted = krippendorff_alpha(
        study.judgments.scores, study.judgments.items, "ordinal", 10, judges=study.judgments.workers
    )
    assert found.numbers["alpha"] == pytest.approx(wanted.alpha)
    row = table(analysed("topics", study), "topics").rows[0]
    topic = study.topics[0]
    own = krippendorff_alpha(
        topic.scores.ravel(),
        topic.places.ravel(),
        "ordinal",
        10,
        judges=np.repeat(topic.workers, topic.places.shape[1]),
    )
    assert row[4] == pytest.approx(own.alpha)


def test_means_of_labels_are_of_levels(study):
    row = table(analysed("levels", study), "tests").rows[0]
    judged = ~np.isnan(study.documents.gains) & (study.documents.labels == 0)
    judged &= ~study.documents.is_anchor
    assert row[3] == pytest.approx(study.documents.gains[judged].mean())


def test_errors_of_fewer_judges_are_in_levels(study):
    (figure,) = (part for part in analysed("judges", study).parts if part.name == "errors")
    assert figure.columns[1:3] == ("levels_mean", "levels_of_half")
    assert 0 <= figure.rows[0][1] <= 3
    assert figure.rows[-1][1] <= figure.rows[0][1]


def test_distances_of_workers_are_in_levels(study):
    found = table(analysed("workers", study), "workers")
    assert "one_figure" not in found.columns
    worker, place = found.rows[0][0], found.columns.index("distance")
    of = study.judgments.workers == study.workers.index(worker)
    held = [
        abs(level - others.mean())
        for level, item in zip(study.judgments.scores[of], study.judgments.items[of], strict=True)
        if (others := study.judgments.scores[(study.judgments.items == item) & ~of]).size
    ]
    assert found.rows[0][place] == pytest.approx(np.mean(held))


def test_documents_lie_among_levels_by_their_difference():
    gains, labels = [0, 0, 2, 2, 3, 1], [0, 0, 0, 1, 1, 1]
    found = misplaced(gains, labels, [0] * 6, ratios=False)
    # 2 among 0, 0: nearer to the median 2 of level 1, by 2² - 0².
    assert (found.own[2], found.fits[2], found.there[2], found.strength[2]) == (0, 1, 2, 4)


def test_other_choices_keep_levels_as_they_are(study):
    found = table(analysed("sensitivity", study), "choices")
    assert [row[0] for row in found.rows] == [
        "no failed finish",
        "first unit of a worker",
        "aggregated: arithmetic",
    ]


def test_gains_are_medians_of_levels(study):
    medians = aggregate(study.judgments.scores, study.judgments.items, len(study.documents)).values
    judged = ~np.isnan(medians)
    assert study.documents.gains[judged] == pytest.approx(medians[judged])
