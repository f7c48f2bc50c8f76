"""The report as one page, index.html, which needs nothing beside its folder."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string

from evaluation.report import references, tables
from evaluation.report.draft import Draft
from evaluation.report.numbering import Numbered


@dataclass(frozen=True)
class ShownTable:
    """A table with its groups of columns (words, how many), heads and rows of (text, kind)."""

    groups: Sequence[tuple[str, int]]
    heads: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[tuple[str, str]]]
    all_rows: int
    is_long: bool


@dataclass(frozen=True)
class ShownPart:
    part: Numbered
    source: str
    table: ShownTable | None


def written(draft: Draft) -> str:
    """The page as HTML."""
    context = {
        "draft": draft,
        "methods": [(each.heading, references.named(each.text)) for each in draft.methods],
        "overview": _parts(draft.overview),
        "sections": [
            (
                section,
                [
                    (answer, _parts(answer.first), _parts(answer.further))
                    for answer in section.answers
                ],
            )
            for section in draft.sections
        ],
        "works": [(references.WORKS[key].short, references.WORKS[key]) for key in draft.works],
    }
    return render_to_string("evaluation/report/index.html", context)


def _parts(parts: Sequence[Numbered]) -> list[ShownPart]:
    return [
        ShownPart(part, references.named(part.source), None if part.is_figure else _table(part))
        for part in parts
    ]


def _table(part: Numbered) -> ShownTable:
    """As TeX has it, but in one block whatever its width."""
    laid = tables.shown(part.part)
    columns = []
    for block in laid.blocks:
        columns += [each for each in block.columns if each not in columns]
    bundles = tables.bundles(columns)
    groups = [(each[0].column.group, len(each)) for each in bundles]
    return ShownTable(
        groups if any(name for name, _ in groups) else [],
        [(each.column.head, each.cells.is_number) for each in columns],
        list(
            zip(
                *([(text, _kind(each)) for text in each.cells.texts] for each in columns),
                strict=True,
            )
        ),
        laid.all_rows,
        laid.is_long,
    )


def _kind(laid: tables.Laid) -> str:
    """How the cells of a column are set: numbers, and texts that may be broken into lines."""
    return "number" if laid.cells.is_number else "long" if laid.cells.wraps else ""
