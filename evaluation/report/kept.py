"""Results of analyses that a report need not compute again."""

from typing import Any

from evaluation.cache import keeping
from evaluation.models import KeptAnalysis
from judging.models import Study


def results(study: Study, label_set: str) -> dict[str, dict[str, Any]]:
    """What is kept of today's data, by analysis, all rows of tables included."""
    current = keeping.versions(study)
    rows = KeptAnalysis.objects.filter(
        keeping.may_be_shown(study), study=study, label_set=label_set, asked=""
    )
    fresh = {row.name: keeping.entire(row) for row in rows if row.version == current.get(row.name)}
    return {name: result for name, result in fresh.items() if result is not None}
