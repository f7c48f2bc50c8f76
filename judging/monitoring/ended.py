"""What became of attempts over time."""

from django.db.models import Count, Q

from judging.models import Assignment, Study
from judging.monitoring.figures.bins import Bins
from judging.states import PAID, State

# A withdrawn unit was completed, whatever became of its data. A released one has waited, as an
# expired one has, for somebody who did not come back. Who returns a submission leaves by their
# platform's button.
KINDS = {
    "completed": Q(state__in=PAID),
    "failed": Q(state__in=(State.FAILED, State.EXHAUSTED)),
    "left": Q(state__in=(State.LEFT, State.RETURNED)),
    "expired": Q(state__in=(State.EXPIRED, State.RELEASED)),
}
COUNTED = "counted"  # completed and not withdrawn


def ended(study: Study, bins: Bins) -> dict[str, list[int]]:
    """How many attempts ended in each bin, by what became of them."""
    kinds = {**KINDS, COUNTED: Q(state=State.COMPLETED)}
    counts = {kind: Count("id", filter=condition) for kind, condition in kinds.items()}
    rows = (
        Assignment.objects.filter(study=study, **bins.range("finished_at"))
        .values(bin=bins.of("finished_at"))
        .annotate(**counts)
    )
    return dict(zip(kinds, bins.table(rows, kinds).tolist(), strict=True))
