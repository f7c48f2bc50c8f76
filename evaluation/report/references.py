"""What a report cites, as BibTeX and as the list of references that pdflatex alone needs."""

import re
from collections.abc import Iterable, Iterator

from evaluation.report.works import WORKS, Work

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
# What the methods name, and who devised it: cited where it is named first.
DEVISED = {
    "Krippendorff's alpha": "hayes2007",
    "Kendall's tau-b": "kendall1945",
    "that of Hollander, Wolfe and Chicken": "hollander2014",
    "Student's t interval": "student1908",
    "paired t test": "student1908",
    "paired Wilcoxon signed-rank test": "wilcoxon1945",
    "randomised Tukey HSD test": "carterette2012",
    "randomisation test": "smucker2007",
    "bootstrap test": "sakai2006,efron1993",
    "draws of documents with replacement": "efron1993",
    "draws of topics with replacement": "efron1993",
    "Variance components": "brennan2001,searle1992",
    "Welch's two-sided t test": "welch1947",
    "Spearman's rank correlation": "spearman1904",
    "alike within a worker": "liang1986,cameron2015",
    "within workers and within documents": "cameron2011",
    "overlap of two judges": "voorhees2000",
    "graded average precision (GAP)": "robertson2010",
    "rank-biased precision (RBP)": "moffat2008",
    "generalisation of bpref": "buckley2004",
}
# Authors as sentences of analyses name them; the citation follows the name.
AUTHORS = {
    "Sormunen's four levels": "Sormunen's four levels [@sormunen2002]",
    "Kanoulas and Aslam": "Kanoulas and Aslam [@kanoulas2009]",
    "Voorhees (2000)": "Voorhees [@voorhees2000]",
}
IN_A_SENTENCE = re.compile(r"\b(of|in) \[@(\w+(?:,\w+)*)\]")  # where it is part of the words
MARK = re.compile(r"\[@(\w+(?:,\w+)*)\]")  # how our texts cite: [@maddalena2017,sakai2017]


def recognised(text: str) -> str:
    """A sentence of an analysis with citations where it names papers.

    >>> recognised("as in Table 2 of Sakai, EVIA 2017.")
    'as in Table 2 of [@sakai2017].'
    """
    for name, key in NAMED.items():
        text = text.replace(f"({name})", f"[@{key}]").replace(name, f"[@{key}]")
    for name, cited_after in AUTHORS.items():
        text = text.replace(name, cited_after)
    return text


def with_sources(texts: Iterable[str]) -> Iterator[str]:
    """Texts in which every method that is named has its source, where it is named first.

    >>> list(with_sources(["By the randomisation test.", "The randomisation test again."]))
    ['By the randomisation test [@smucker2007].', 'The randomisation test again.']
    """
    unnamed = dict(DEVISED)
    for text in texts:
        for name in [name for name in unnamed if name in text]:
            text = text.replace(name, f"{name} [@{unnamed.pop(name)}]", 1)
        yield text


def cited(texts: Iterable[str]) -> list[str]:
    """The keys of what some texts cite, by author and year."""
    keys = {key for text in texts for match in MARK.findall(text) for key in match.split(",")}
    return sorted(keys, key=lambda key: (WORKS[key].authors, WORKS[key].year))


def named(text: str) -> str:
    """A text for reading, its citations as names and years in brackets.

    >>> named("As shown [@sakai2017,debeer2006].")
    'As shown (Sakai, 2017; De Beer and Moens, 2006).'
    >>> named("As in Figure 1 of [@debeer2006].")
    'As in Figure 1 of De Beer and Moens (2006).'
    """
    text = IN_A_SENTENCE.sub(lambda match: f"{match[1]} {_in_words(match[2])}", text)
    return MARK.sub(lambda match: f"({'; '.join(_short(match[1]))})", text)


def _short(keys: str) -> list[str]:
    return [WORKS[key].short for key in keys.split(",")]


def _in_words(keys: str) -> str:
    told = [
        f"{name} ({year})" for name, _, year in (each.rpartition(", ") for each in _short(keys))
    ]
    return " and ".join(told)


def bibtex(keys: Iterable[str]) -> str:
    """Works as a file for BibTeX."""
    return "\n".join(_entry(key, WORKS[key]) for key in keys)


def _entry(key: str, work: Work) -> str:
    # A title keeps its capitals.
    fields = {"author": " and ".join(work.authors), "title": f"{{{work.title}}}", **work.fields}
    lines = [f"  {name} = {{{_set(value)}}}," for name, value in fields.items()]
    return f"@{work.kind}{{{key},\n" + "\n".join(lines) + f"\n  year = {{{work.year}}},\n}}\n"


def _set(text: str) -> str:
    return text.replace("&", r"\&")


def printed(keys: Iterable[str]) -> str:
    """The list of references as BibTeX would make it, main.bbl."""
    items = [f"\\bibitem{{{key}}}\n{_printed(WORKS[key])}\n" for key in keys]
    return "\\begin{thebibliography}{99}\n\n" + "\n".join(items) + "\n\\end{thebibliography}\n"


def _printed(work: Work) -> str:
    names = [" ".join(reversed(author.split(", "))) for author in work.authors]
    authors = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    fields = work.fields
    place = _set(fields.get("journal") or fields.get("publisher") or f"In {fields['booktitle']}")
    if "edition" in fields:
        place += f", {fields['edition']} edition"
    numbers = f" {fields['volume']}({fields['number']})" if "volume" in fields else ""
    pages = f", pages {fields['pages']}" if "pages" in fields else ""
    return f"{authors}.\n\\newblock {work.title}.\n\\newblock {place}{numbers}{pages}, {work.year}."
