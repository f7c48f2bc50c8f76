import inspect

from django.conf import settings

from evaluation import analyses
from evaluation.analyses import SECTIONS
from evaluation.study import label_levels
from web.drawn_page import DrawnPage


class Command(DrawnPage):
    help = "Draw the page of analyses; with --check, fail if the page is stale."
    path = settings.BASE_DIR / "docs" / "analyses.md"
    source = "evaluation/analyses"

    def page(self) -> str:
        """What all analyses share, and then one after the other."""
        parts = ["# Analyses", inspect.getdoc(analyses) or ""]
        parts += ["## Documents without a label", inspect.getdoc(label_levels) or ""]
        for section in SECTIONS.values():
            for analysis in section.analyses:
                title, text = analysis.explanation
                parts += [f"## {section.title}: {analysis.name}", f"*{title}*", text]
        return "\n\n".join(parts)
