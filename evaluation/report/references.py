"""What a report cites: the works in references.bib, and citations in sentences.

Texts of ours cite as [@maddalena2017,sakai2017].
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ENTRY = re.compile(r"^@(?P<kind>\w+)\{(?P<key>\w+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
OURS = ("named", "devised")  # fields that are no business of BibTeX


class Work(NamedTuple):
    """An entry of references.bib, its fields as they are written there."""

    kind: str
    key: str
    fields: dict[str, str]

    @property
    def authors(self) -> list[str]:
        """ "Family, Given"."""
        return self.fields["author"].split(" and ")

    @property
    def title(self) -> str:
        return self.fields["title"].strip("{}")

    @property
    def short(self) -> str:
        """As a text names it: family names and year."""
        names = [author.split(",")[0] for author in self.authors]
        said = f"{names[0]} and others" if len(names) > 2 else " and ".join(names)
        return f"{said}, {self.fields['year']}"

    @property
    def byline(self) -> str:
        """The authors as a list of references has them."""
        *others, last = [" ".join(reversed(author.split(", "))) for author in self.authors]
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def for_bibtex(self) -> dict[str, str]:
        return {name: value for name, value in self.fields.items() if name not in OURS}

    def names(self, field: str) -> list[str]:
        """What a field of ours lists."""
        return self.fields[field].split("; ") if field in self.fields else []


WORKS = {
    match["key"]: Work(match["kind"], match["key"], dict(FIELD.findall(match["fields"])))
    for match in ENTRY.finditer(Path(__file__).with_name("references.bib").read_text())
}
# Papers as sentences of analyses name them, after which they are cited.
NAMED = {name: key for key, work in WORKS.items() for name in work.names("named")}
# What the methods name, and who devised it: cited where it is named first.
DEVISED: dict[str, str] = {}
for key, work in WORKS.items():
    for name in work.names("devised"):
        DEVISED[name] = f"{DEVISED[name]},{key}" if name in DEVISED else key
# Authors as sentences of analyses name them; the citation follows the name.
AUTHORS = {
    "Sormunen's four levels": "Sormunen's four levels [@sormunen2002]",
    "Kanoulas and Aslam": "Kanoulas and Aslam [@kanoulas2009]",
    "Voorhees (2000)": "Voorhees [@voorhees2000]",
}
IN_A_SENTENCE = re.compile(r"\b(of|in) \[@(\w+(?:,\w+)*)\]")  # where it is part of the words
MARK = re.compile(r"\[@(\w+(?:,\w+)*)\]")


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


def cited(texts: Iterable[str]) -> list[Work]:
    """What some texts cite, by author and year."""
    keys = {key for text in texts for match in MARK.findall(text) for key in match.split(",")}
    return sorted(
        map(WORKS.__getitem__, keys), key=lambda work: (work.authors, work.fields["year"])
    )


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
