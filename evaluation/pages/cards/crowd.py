"""Can this crowd be trusted? How far workers agree, and who does not."""

from collections.abc import Iterator, Sequence

from evaluation.analyses import papers
from evaluation.analyses.agreement.worker_table import MIN_DOCUMENTS
from evaluation.pages.cards import pictures
from evaluation.pages.cards.card import Card, Inputs, Numbers, State, of_test, span, to_two
from evaluation.presentation import published
from magnitudes.files.words import count

NAME, TITLE, ANALYSIS = "crowd", "Crowd", "internal"
LITTLE = 0.2  # alpha
SIGNIFICANT = 0.05  # p of the test of no agreement
MANY = 0.05  # of workers: some are at or below 0 by chance
ALPHA, WITHOUT, WITHIN = "alpha", "alpha_without_anchors", "alpha_within_topics"
NAMES = {
    ALPHA: "all documents",
    WITHIN: "within topics",
    WITHOUT: "without anchors",
    "alpha_within_topics_without_anchors": "within, without",
}


def card(inputs: Inputs) -> Card:
    study, numbers = inputs.study, inputs.numbers(ANALYSIS)
    links = inputs.to_analyses(internal="Agreement", workers="How workers differ")
    if study.takes_people:
        links += (inputs.link("Who stands out", "monitor", end="#standouts"),)
    if numbers.get(ALPHA) is None:
        says = inputs.without_number(ANALYSIS, "How far workers agree is being computed")
        return Card(NAME, TITLE, *says, links=links)
    shown = [key for key in NAMES if numbers.get(key) is not None]
    rows = [pictures.Row(NAMES[key], *_alpha(numbers, key)) for key in shown]
    if not (numbers.get(WITHOUT) or numbers.get(WITHIN)):
        rows[0] = rows[0]._replace(name="")
    ends = [span(row.low, row.high) or "no interval" for row in rows]
    around = f"alpha ({ends[0]}); {count(numbers['documents'], 'document')}"
    if WITHIN in shown:
        place = shown.index(WITHIN)
        around += f"; {to_two(numbers[WITHIN])} within topics ({ends[place]})"
    described = "Alpha " + "; ".join(
        f"{row.name or 'of all documents'}: {to_two(row.value)} ({interval})"
        for row, interval in zip(rows, ends, strict=True)
    )
    marks = (
        []
        if _is_alone(inputs)
        else [(published.quote("the paper {alpha:.2f}"), published.value("alpha"))]
    )
    doubts = [*_doubts(inputs)]
    why = doubts or (["No worker, check or anchor stands out."] if inputs.watched else [])
    return Card(
        *(NAME, TITLE, *conclusion(inputs, doubts)),
        to_two(numbers[ALPHA]),
        around,
        _at_or_below_0(inputs),
        " ".join([*why, *papers.why_not_comparable(study)]),
        pictures.to_one(rows, "alpha", described, marks),
        links,
    )


def _alpha(numbers: Numbers, key: str) -> tuple[float, float | None, float | None]:
    return numbers[key], numbers[f"{key}_low"], numbers[f"{key}_high"]


def _is_above_0(numbers: Numbers, name: str) -> bool:
    """Whether the interval of an alpha says no other; where there is none, its test alone speaks.

    The test can find that scores go together though alpha is at 0, where workers' levels differ.
    """
    low = numbers.get(f"{name}_low")
    return low is None or low > 0


def _is_alone(inputs: Inputs) -> bool:
    """Whether the paper has no such alpha: its is of people, ratios, a document's first scores."""
    study, first = inputs.study, inputs.numbers(ANALYSIS).get("first")
    return study.is_graded or first is None or not papers.is_comparable(study)


def is_weak(inputs: Inputs) -> bool:
    """Whether workers are known to agree too little for what rests on their scores."""
    return not inputs.study.is_imported and _is_little(inputs.numbers(ANALYSIS))


def _is_little(numbers: Numbers) -> bool:
    """By alpha within topics where it has an interval: pooled it is larger, if topics lie apart."""
    high = numbers.get(f"{WITHIN}_high")
    high = numbers.get(f"{ALPHA}_high") if high is None else high
    return high is not None and high < LITTLE


def conclusion(inputs: Inputs, doubts: Sequence[str] = ()) -> tuple[str, State]:
    """How far workers agree, where alpha is known: without the anchors, too."""
    numbers = inputs.numbers(ANALYSIS)
    tested = {
        name: numbers.get(f"{name}_p") for name in (ALPHA, WITHOUT) if numbers.get(name) is not None
    }
    known = {name: p for name, p in tested.items() if p is not None}
    agree = {name for name, p in known.items() if p < SIGNIFICANT and _is_above_0(numbers, name)}
    if agree != tested.keys():
        doubt = "it cannot be said that workers agree better than chance"
        says = f"Without the anchors, {doubt}" if agree == {ALPHA} else f"I{doubt[1:]}"
        return says, State.EARLY if inputs.still_open or not known else State.CHECK
    if is_weak(inputs):
        return "Workers agree too little for their scores to be relied on", State.CHECK
    state = State.CHECK if doubts else of_test(max(known.values(), default=None))
    if _is_little(numbers):
        return "Workers agree little, though better than chance", state
    says, paper = "Workers agree better than chance", published.value("alpha")
    _, low, high = _alpha(numbers, ALPHA)
    if low is None or high is None or _is_alone(inputs):
        return says, state
    if low > paper:
        return f"{says}, and better than those of the paper", state
    as_much = "but less than" if high < paper else "about as well as"
    return f"{says}, {as_much} those of the paper", state


def _at_or_below_0(inputs: Inputs) -> str:
    numbers = inputs.numbers("workers")
    if not numbers.get("workers_with_enough"):
        return ""
    few, enough = numbers["workers_at_or_below_0"], count(numbers["workers_with_enough"], "worker")
    return (
        f"{f'{few:,}' if few else 'None'} of {enough} with {MIN_DOCUMENTS} or more judgments "
        f"{'have' if few > 1 else 'has'} a correlation of 0 or less with the others."
    )


def _doubts(inputs: Inputs) -> Iterator[str]:
    """What speaks against trusting every worker, in sentences."""
    numbers, watched = inputs.numbers("workers"), inputs.watched
    if numbers.get("workers_at_or_below_0", 0) > MANY * numbers.get("workers_with_enough", 0):
        yield "These are many."
    if watched:
        every = (watched.workers, watched.checks, watched.anchors)
        yield from (one.sentence for one in every if one.is_wrong)
