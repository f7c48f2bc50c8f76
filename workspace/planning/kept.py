"""A forecast as it is kept: sentences, the picture, a table, and what it takes for granted."""

from collections.abc import Sequence
from typing import Any

from evaluation.analyses.telling.parts import Analysed
from workspace.planning.forecasting import Point
from workspace.planning.picture import figure
from workspace.planning.pilots import Likely
from workspace.planning.telling import Situation, assumes, crowd_table, row_of, says

MARK = "forecast"


def kept(points: Sequence[Point], likely: Likely | None, situation: Situation) -> dict[str, Any]:
    """What is kept, as analyses have it, and `assumes`, a list of sentences."""
    rows = [row_of(point, situation) for point in points]
    numbers = {
        "replications": situation.replications,
        "seed": situation.seed,
        "pilot": situation.pilot,
        "pilot_units": situation.pilot_units,
    }
    fitted = [crowd_table(likely)] if likely else []
    analysed = Analysed(list(says(rows, situation)), [figure(rows, situation), *fitted], numbers)
    return analysed.kept(MARK) | {"assumes": list(assumes(likely, situation))}
