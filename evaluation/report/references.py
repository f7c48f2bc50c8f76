"""What a report cites, as BibTeX and as the list of references that pdflatex alone needs.

Each entry was taken from the paper itself, or from the references of one that we implement.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

TOIS = "ACM Transactions on Information Systems"
SIGIR = "Proceedings of SIGIR"


class Work(NamedTuple):
    """authors: "Family, Given", as BibTeX has them. fields: the rest, in the order of printing."""

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    fields: dict[str, str]

    @property
    def short(self) -> str:
        """As a text names it: family names and year."""
        names = [author.split(",")[0] for author in self.authors]
        if len(names) > 2:
            return f"{names[0]} and others, {self.year}"
        return f"{' and '.join(names)}, {self.year}"


WORKS = {
    "maddalena2017": Work(
        "article",
        ("Maddalena, Eddy", "Mizzaro, Stefano", "Scholer, Falk", "Turpin, Andrew"),
        "On Crowdsourcing Relevance Magnitudes for Information Retrieval Evaluation",
        2017,
        {"journal": TOIS, "volume": "35", "number": "3"},
    ),
    "demeester2014": Work(
        "inproceedings",
        (
            *("Demeester, Thomas", "Aly, Robin", "Hiemstra, Djoerd", "Nguyen, Dong"),
            *("Trieschnigg, Dolf", "Develder, Chris"),
        ),
        "Exploiting User Disagreement for Web Search Evaluation: an Experimental Approach",
        2014,
        {"booktitle": "Proceedings of WSDM"},
    ),
    "debeer2006": Work(
        "inproceedings",
        ("De Beer, Jan", "Moens, Marie-Francine"),
        "Rpref: A Generalization of Bpref towards Graded Relevance Judgments",
        2006,
        {"booktitle": SIGIR},
    ),
    "smucker2012": Work(
        "inproceedings",
        ("Smucker, Mark D.", "Clarke, Charles L. A."),
        "Time-Based Calibration of Effectiveness Measures",
        2012,
        {"booktitle": SIGIR},
    ),
    "sakai2017": Work(
        "inproceedings",
        ("Sakai, Tetsuya",),
        "Unanimity-Aware Gain for Highly Subjective Assessments",
        2017,
        {"booktitle": "Proceedings of EVIA"},
    ),
    "sakai2006": Work(
        "inproceedings",
        ("Sakai, Tetsuya",),
        "Evaluating evaluation metrics based on the bootstrap",
        2006,
        {"booktitle": SIGIR, "pages": "525--532"},
    ),
    "jarvelin2002": Work(
        "article",
        ("Järvelin, Kalervo", "Kekäläinen, Jaana"),
        "Cumulated gain-based evaluation of IR techniques",
        2002,
        {"journal": TOIS, "volume": "20", "number": "4", "pages": "422--446"},
    ),
    "chapelle2009": Work(
        "inproceedings",
        ("Chapelle, Olivier", "Metzler, Donald", "Zhang, Ya", "Grinspan, Pierre"),
        "Expected reciprocal rank for graded relevance",
        2009,
        {"booktitle": "Proceedings of CIKM", "pages": "621--630"},
    ),
    "hayes2007": Work(
        "article",
        ("Hayes, Andrew F.", "Krippendorff, Klaus"),
        "Answering the call for a standard reliability measure for coding data",
        2007,
        {
            "journal": "Communication Methods and Measures",
            "volume": "1",
            "number": "1",
            "pages": "77--89",
        },
    ),
    "carterette2012": Work(
        "article",
        ("Carterette, Ben",),
        "Multiple testing in statistical analysis of systems-based information retrieval "
        "experiments",
        2012,
        {"journal": TOIS, "volume": "30", "number": "1"},
    ),
    "moskowitz1977": Work(
        "article",
        ("Moskowitz, Howard R.",),
        "Magnitude estimation: notes on what, how, when, and why to use it",
        1977,
        {
            "journal": "Journal of Food Quality",
            "volume": "1",
            "number": "3",
            "pages": "195--227",
        },
    ),
}
# Papers as sentences of analyses name them, after which they are cited.
NAMED = {
    "Maddalena, Mizzaro, Scholer and Turpin, ACM TOIS 35(3), 2017": "maddalena2017",
    "Maddalena, Mizzaro, Scholer and Turpin (ACM TOIS 35(3), 2017)": "maddalena2017",
    "Demeester and others, WSDM 2014": "demeester2014",
    "De Beer and Moens, SIGIR 2006": "debeer2006",
    "Smucker and Clarke, SIGIR 2012": "smucker2012",
    "Sakai, EVIA 2017": "sakai2017",
    "Sakai, SIGIR 2006": "sakai2006",
}
MARK = re.compile(r"\[@(\w+(?:,\w+)*)\]")  # how our texts cite: [@maddalena2017,sakai2017]


def recognised(text: str) -> str:
    """A sentence of an analysis with citations where it names papers.

    >>> recognised("as in Table 2 of Sakai, EVIA 2017.")
    'as in Table 2 of [@sakai2017].'
    """
    for name, key in NAMED.items():
        text = text.replace(f"({name})", f"[@{key}]").replace(name, f"[@{key}]")
    return text


def cited(texts: Iterable[str]) -> list[str]:
    """The keys of what some texts cite, by author and year."""
    keys = {key for text in texts for match in MARK.findall(text) for key in match.split(",")}
    return sorted(keys, key=lambda key: (WORKS[key].authors, WORKS[key].year))


def named(text: str) -> str:
    """A text for reading, its citations as names and years in brackets.

    >>> named("As shown [@sakai2017,debeer2006].")
    'As shown (Sakai, 2017; De Beer and Moens, 2006).'
    """
    return MARK.sub(lambda match: f"({'; '.join(_short(match[1]))})", text)


def _short(keys: str) -> list[str]:
    return [WORKS[key].short for key in keys.split(",")]


def bibtex() -> str:
    """All works as a file for BibTeX."""
    return "\n".join(_entry(key, work) for key, work in WORKS.items())


def _entry(key: str, work: Work) -> str:
    # A title keeps its capitals.
    fields = {"author": " and ".join(work.authors), "title": f"{{{work.title}}}", **work.fields}
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return f"@{work.kind}{{{key},\n" + "\n".join(lines) + f"\n  year = {{{work.year}}},\n}}\n"


def printed(keys: Iterable[str]) -> str:
    """The list of references as BibTeX would make it, main.bbl."""
    items = [f"\\bibitem{{{key}}}\n{_printed(WORKS[key])}\n" for key in keys]
    return "\\begin{thebibliography}{99}\n\n" + "\n".join(items) + "\n\\end{thebibliography}\n"


def _printed(work: Work) -> str:
    names = [" ".join(reversed(author.split(", "))) for author in work.authors]
    authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    fields = work.fields
    place = fields.get("journal") or f"In {fields['booktitle']}"
    numbers = f" {fields['volume']}({fields['number']})" if "volume" in fields else ""
    pages = f", pages {fields['pages']}" if "pages" in fields else ""
    return f"{authors}.\n\\newblock {work.title}.\n\\newblock {place}{numbers}{pages}, {work.year}."
