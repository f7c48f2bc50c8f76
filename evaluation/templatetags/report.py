"""Filters of the report: citations, and what files for TeX need, whose templates escape nothing."""

import re
from collections.abc import Sequence

from django import template

from evaluation.cache import tex
from evaluation.presentation.parts import number
from evaluation.report import references
from evaluation.report.sections import Answer, Float
from magnitudes.files.words import count

register = template.Library()
MINUS = re.compile(r"(?<![\w.)\]}-])-(?=\.?\d)")  # of a number below 0, and of no range
# Once escaped: a citation, and a long word, which TeX may break at its joints.
PIECE = re.compile(rf"(?P<blank> ?){references.MARK.pattern}|[^\s$]{{24,}}")
JOINTS = re.compile(r"(?<=[-_/.=,:])")
register.filter(references.named)
register.filter(number)


@register.filter(name="count")
def how_many(n: int, words: str) -> str:
    """A number of things by their name, "document", or two: "batch,batches"."""
    return count(n, *words.split(","))


@register.filter
def arg(text: object) -> str:
    r"""A text as the argument of a command: `\section{{ title|arg }}`."""
    return f"{{{text}}}"


@register.filter
def prose(text: str) -> str:
    r"""A text of ours as TeX has it, citations among it.

    >>> prose("5% more [@sakai2017] in Table 2 of Sakai, EVIA 2017")
    '5\\% more~\\cite{sakai2017} in Table 2 of~\\cite{sakai2017}'
    """
    return PIECE.sub(_piece, tex.escaped(MINUS.sub("−", references.recognised(text))))


def _piece(match: re.Match[str]) -> str:
    if match[2]:
        return rf"{'~' if match['blank'] else ''}\cite{{{match[2]}}}"
    return JOINTS.sub(r"\\allowbreak{}", match[0])


@register.filter
def before_stop(text: str, places: str) -> str:
    """A paragraph, and in brackets where its figures and tables are.

    >>> before_stop("They agree.", "Figure 1"), before_stop("They agree.", "")
    ('They agree (Figure 1).', 'They agree.')
    """
    return f"{text.removesuffix('.')} ({places})." if places else text


@register.filter
def refs(floats: Sequence[Float]) -> str:
    """Where a reader finds figures and tables: every one is referred to."""
    figures = _listed("Figure", [each.label for each in floats if each.first.is_figure])
    tables = _listed("Table", [each.label for each in floats if not each.first.is_figure])
    return "; ".join(filter(None, (figures, tables)))


@register.filter
def places(answer: Answer) -> str:
    """Where a reader of the main text finds what an analysis shows, and the rest of it."""
    further = rf"Appendix~\ref{{app:{answer.name}}}" if answer.has_further else ""
    return "; ".join(filter(None, (refs(answer.first), further)))


def _listed(kind: str, labels: list[str]) -> str:
    *others, last = [rf"\ref{{{label}}}" for label in labels] or [""]
    return f"{kind}s {', '.join(others)} and {last}" if others else last and f"{kind}~{last}"
