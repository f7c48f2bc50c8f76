"""The report as one page, index.html, and for TeX, main.tex, which pdflatex sets as it is.

Figures and tables bear the numbers that they have in the papers; long tables stand in an appendix.
"""

from collections.abc import Iterator

from django.template.loader import render_to_string

from evaluation.report.draft import Draft

FILES = ("references.bib", "main.bbl", "main.tex", "index.html")


def documents(draft: Draft) -> Iterator[tuple[str, str]]:
    """The page, main.tex, and all that they read but pictures, by path."""
    for part in draft.parts:
        kind = "figure" if part.is_figure else "table"
        context = {"draft": draft, "part": part}
        text = render_to_string(f"evaluation/report/{kind}.tex", context)
        yield f"{kind}s/{part.name}.tex", text
    for name in FILES:
        yield name, render_to_string(f"evaluation/report/{name}", {"draft": draft})
