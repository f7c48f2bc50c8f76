"""A provider for ir_measures: its measures on gains that are real numbers.

    import ir_measures
    from ir_measures import nDCG
    from magnitudes.integrations.ir_measures import register

    register()
    ir_measures.calc_aggregate([nDCG @ 10], qrels, run)

`register` puts the provider before those of ir_measures, in `ir_measures.DefaultPipeline`: its
functions, its evaluators and whatever measures through them, as PyTerrier's `pt.Experiment`, then
take from here what is computed here, and all else as before. The import alone adds it to
`ir_measures.providers.registry`, from which the command line takes `--provider magnitudes`.

Values are those of `magnitudes.evaluate`, and on whole numbers those of ir_measures but for two
measures: `ERR`, whose largest gain is 4 in ir_measures and that of the topic here, and `RBP`
without `rel`, which takes gains as shares of the largest of the topic. Documents are ordered as
trec_eval does it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import ir_measures
from ir_measures import Measure, Metric
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers import register as _register
from ir_measures.util import QrelsConverter, RunConverter

from magnitudes import evaluation
from magnitudes.measures.names import MeasureNameError, parse
from magnitudes.sources import qrels_of, runs_of

NAME = "magnitudes"


class Magnitudes(Provider):
    """What ir_measures asks for; a measure is supported if its name means one here."""

    NAME = NAME

    def supports(self, measure: Measure) -> bool:
        """Whether the measure is computed here, from gains and ranks alone."""
        measure.validate_params()
        try:
            needs = parse(str(measure)).needs
        except MeasureNameError:
            return False
        return set(needs) <= {"places", "n_judged"}

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> Evaluator:
        return _Evaluator(list(measures), qrels)


class _Evaluator(Evaluator):
    def __init__(self, measures: list[Measure], qrels: Any) -> None:
        labels = qrels_of(_columns(QrelsConverter(qrels), "relevance"), negative=True)
        self._judged = evaluation.judged(labels)
        self._measures = {parse(str(measure)): measure for measure in measures}
        super().__init__(measures, self._judged.query_ids)

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        rows = _columns(RunConverter(run), "score")
        if not len(rows["query_id"]):
            return
        (found,) = evaluation.evaluate(self._judged, runs_of(rows), list(self._measures))
        for measure, values in zip(self._measures.values(), found.values, strict=True):
            for query_id, value in zip(self._judged.query_ids, values.tolist(), strict=True):
                yield Metric(query_id, measure, value)


def _columns(given: Any, number: str) -> Mapping[str, Any]:
    """Any form that ir_measures takes, as columns."""
    kind, fault = given.predict_type()
    if kind == "pd_dataframe":
        frame = given.as_pd_dataframe()
        return {name: frame[name].to_numpy() for name in ("query_id", "doc_id", number)}
    if fault:
        raise ValueError(fault)
    rows = [(row.query_id, row.doc_id, getattr(row, number)) for row in given.as_namedtuple_iter()]
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return dict(zip(("query_id", "doc_id", number), map(list, columns), strict=True))


PROVIDER: Magnitudes = _register(Magnitudes())


def register() -> None:
    """Put this provider before all others of ir_measures; more than once does no harm."""
    providers = ir_measures.DefaultPipeline.providers
    if PROVIDER not in providers:
        providers.insert(0, PROVIDER)
