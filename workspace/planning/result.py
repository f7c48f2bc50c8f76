from collections.abc import Sequence
from typing import Any

from evaluation.analyses.telling.parts import Analysed
from workspace.planning.charts import figure
from workspace.planning.forecasting import Point
from workspace.planning.pilots import Posterior
from workspace.planning.sentences import Context, assumptions, crowd_table, row_of, sentences

MARK = "forecast"


def forecast_result(
    points: Sequence[Point], posterior: Posterior | None, context: Context
) -> dict[str, Any]:
    """In the form of the results of analyses, with `assumes`, a list of sentences."""
    rows = [row_of(point, context) for point in points]
    numbers = {
        "replications": context.replications,
        "seed": context.seed,
        "pilot": context.pilot,
        "pilot_units": context.pilot_units,
    }
    fitted = [crowd_table(posterior)] if posterior else []
    analysed = Analysed(list(sentences(rows, context)), [figure(rows, context), *fitted], numbers)
    return analysed.kept(MARK) | {"assumes": list(assumptions(posterior, context))}
