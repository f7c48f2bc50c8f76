"""A study's gains as qrels in whole numbers, as tools that were made for labels read them."""

from evaluation.publishing import exports
from evaluation.publishing.exports import CannotExport, File
from judging.models import Study

# By which gains are made whole, the first that loses no gain and stays small enough for all tools.
FACTORS = (1000, 10_000, 100_000, 100, 10)
LEVELS = 4  # where no factor fits


def whole_qrels(study: Study, gains: str | None = None) -> tuple[str, File]:
    """Write gains as whole numbers, and say how these were made of them.

    Returns:
        "x1000" for gains times 1,000, "4-levels" where no factor fits, "" where gains are whole
        already; and the file.

    Raises:
        CannotExport: the study has no such gains.
    """
    lines = exports.lines(study, "qrels", "trec", gains=gains)
    if all(line.rsplit(None, 1)[1].lstrip("-").isdigit() for line in lines):
        return "", exports.file(study, "qrels", "trec", gains=gains)
    for factor in FACTORS:
        try:
            table = exports.file(study, "qrels", "trec", gains=gains, integers=factor)
        except CannotExport:
            continue
        return f"x{factor}", table
    return f"{LEVELS}-levels", exports.file(study, "qrels", "trec", gains=gains, levels=LEVELS)
