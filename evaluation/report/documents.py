"""The report as a document for TeX, main.tex, which pdflatex sets as it is, and as one page.

Figures and tables bear the numbers that they have in the papers; long tables stand in an appendix.
"""

from collections.abc import Iterator

from django.template.loader import render_to_string

from evaluation.report import references
from evaluation.report.draft import Draft


def documents(draft: Draft) -> Iterator[tuple[str, str]]:
    """main.tex and all that it reads but pictures, by path."""
    for part in draft.parts:
        kind = "figure" if part.is_figure else "table"
        yield f"{kind}s/{part.name}.tex", _written(f"{kind}.tex", draft, part=part)
    long = [part for part in draft.parts if part.table and part.table.is_long]
    further = any(section.further for section in draft.sections)
    yield "references.bib", references.bibtex(draft.works)
    yield "main.bbl", references.printed(draft.works)
    yield "main.tex", _written("main.tex", draft, long_tables=long, has_further=further)


def page(draft: Draft) -> str:
    """index.html, which needs nothing beside its folder."""
    works = [references.WORKS[key] for key in draft.works]
    return _written("index.html", draft, works=works)


def _written(name: str, draft: Draft, **context: object) -> str:
    return render_to_string(f"evaluation/report/{name}", {"draft": draft, **context})
