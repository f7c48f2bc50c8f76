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
    def family_names(self) -> str:
        names = [author.split(",")[0] for author in self.authors]
        return f"{names[0]} and others" if len(names) > 2 else " and ".join(names)

    @property
    def short(self) -> str:
        """As a text names it: family names and year."""
        return f"{self.family_names}, {self.fields['year']}"

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
# Analyses say "the paper" of the one that they stand in; a report says which.
THE_PAPER = re.compile(
    r"\b(?P<where>[Ii]n|[Oo]f) the paper\b(?!')|(?P<open>\()the paper\b(?!')(?=:|,| to)"
    r"|\b[Tt]he paper(?P<whose>'s)?(?P<verb> (?:has|does|lets|reports))?\b"
)
OF_SEVERAL = {" has": " have", " does": " do"}
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


def with_antecedent(text: str, key: str) -> str:
    """A sentence of an analysis that names the work which it calls "the paper".

    >>> with_antecedent("The paper has .3 (the paper's: .4), as in the paper.", "sakai2017")
    "Sakai [@sakai2017] has .3 (Sakai's: .4), as in [@sakai2017]."
    """
    names = WORKS[key].family_names

    def said(match: re.Match[str]) -> str:
        if match["where"]:
            return f"{match['where']} [@{key}]"
        if match["open"]:
            return f"([@{key}]"
        if match["whose"]:
            return f"{names}'" if names.endswith("s") else f"{names}'s"
        verb = match["verb"] or ""
        of_several = OF_SEVERAL.get(verb, verb.removesuffix("s"))
        return f"{names} [@{key}]{of_several if ' and ' in names else verb}"

    return THE_PAPER.sub(said, text)


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
    >>> named("As in Figure 1 of [@debeer2006]; De Beer and Moens [@debeer2006] say so.")
    'As in Figure 1 of De Beer and Moens (2006); De Beer and Moens (2006) say so.'
    """
    text = IN_A_SENTENCE.sub(lambda match: f"{match[1]} {_in_words(match[2])}", text)
    for key in {key for key in MARK.findall(text) if key in WORKS}:
        names = WORKS[key].family_names
        text = text.replace(f"{names} [@{key}]", _in_words(key))
    return MARK.sub(lambda match: f"({'; '.join(_short(match[1]))})", text)


def _short(keys: str) -> list[str]:
    return [WORKS[key].short for key in keys.split(",")]


def _in_words(keys: str) -> str:
    told = [
        f"{name} ({year})" for name, _, year in (each.rpartition(", ") for each in _short(keys))
    ]
    return " and ".join(told)
