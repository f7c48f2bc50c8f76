"""The report as a document for TeX, main.tex, which pdflatex sets as it is.

Figures and tables bear the numbers that they have in the papers; long tables stand in an appendix.
"""

import re
from collections.abc import Iterator

from evaluation.cache import tex
from evaluation.report import references, tables
from evaluation.report.draft import Answer, Draft
from evaluation.report.numbering import Numbered

PREAMBLE = r"""\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{mathptmx,textcomp,amsmath}
\usepackage[textwidth=140mm,textheight=235mm]{geometry}
\usepackage{array,booktabs,longtable,siunitx,graphicx,placeins,caption}
\usepackage[hidelinks]{hyperref}
\sisetup{group-digits=integer,group-minimum-digits=4,group-separator={,}}
\captionsetup{font=small,labelfont=bf}
\setlength{\LTcapwidth}{\linewidth}
\extrafloats{300}
\renewcommand{\topfraction}{.9}
\renewcommand{\bottomfraction}{.8}
\renewcommand{\textfraction}{.05}
\renewcommand{\floatpagefraction}{.7}
\makeatletter\setlength{\@fptop}{0pt}\setlength{\@fpsep}{14pt}\makeatother
\raggedbottom
\sloppy
\emergencystretch=3em
"""
INCHES = 0.75  # points of a pixel, so that letters of a plot are as large as those of the text
HIGHEST = 520.0  # points
SIZE = re.compile(r'width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)"')
LONG = re.compile(r"(\S{24,})")  # a word that TeX may break at its joints
MINUS = re.compile(r"(?<![\w.)\]}-])-(?=\.?\d)")  # of a number below 0, and of no range
JOINTS = re.compile(r"(?<=[-_/.=,:])")


def documents(draft: Draft) -> Iterator[tuple[str, str]]:
    """main.tex and all that it reads but figures, by path."""
    laid = {part.name: tables.shown(part.part) for part in draft.parts if not part.is_figure}
    for part in draft.parts:
        if not part.is_figure:
            caption = _caption(part, draft)
            file = f"data/{part.name}.csv"
            written = tables.table(part, laid[part.name], caption, prose, tex.escaped(file))
            yield f"tables/{part.name}.tex", written
        else:
            yield f"figures/{part.name}.tex", figure(part, draft)
    long = {name for name, table in laid.items() if table.is_long}
    yield "references.bib", references.bibtex(draft.works)
    yield "main.bbl", references.printed(draft.works)
    yield "main.tex", "\n".join([PREAMBLE, *_front(draft), *_body(draft, long), *_end(draft, long)])


def prose(text: str) -> str:
    """A text of ours as TeX has it, citations among it; a long name may be broken."""
    pieces, end = [], 0
    text = references.recognised(text)
    for match in references.MARK.finditer(text):
        pieces += [_words(text[end : match.start()]), rf"\cite{{{match[1]}}}"]
        end = match.end()
    return "".join([*pieces, _words(text[end:])]).replace(r" \cite", r"~\cite")


def _words(text: str) -> str:
    words = LONG.split(text)
    return "".join(
        r"\allowbreak{}".join(map(tex.escaped, JOINTS.split(word))) if place % 2 else _spaced(word)
        for place, word in enumerate(words)
    )


def _spaced(text: str) -> str:
    """A text with the blanks at its ends, which `escaped` takes away."""
    text = MINUS.sub("−", text)
    return (
        " " * text.startswith(" ")
        + tex.escaped(text)
        + " " * (text.endswith(" ") and bool(text.strip()))
    )


def _front(draft: Draft) -> Iterator[str]:
    yield rf"\title{{{prose(draft.title)}}}"
    yield r"\author{Draft of a report}"
    yield rf"\date{{{draft.made_at:%-d %B %Y}}}"
    if draft.marked:
        yield r"\pagestyle{myheadings}"
        yield rf"\markright{{{prose(draft.marked)}}}"
    yield r"\begin{document}"
    yield r"\maketitle"
    if draft.marked:
        yield rf"\thispagestyle{{myheadings}}\noindent\textbf{{{prose(draft.marked)}}}\par\medskip"
    yield r"\begin{abstract}\noindent"
    judged = next(each.text for each in draft.methods if each.heading == "Judgments")
    yield " ".join([prose(judged), *(f"{prose(finding)}." for finding in draft.findings)])
    yield r"\end{abstract}"


def _body(draft: Draft, long: set[str]) -> Iterator[str]:
    yield r"\section{Methods}"
    for paragraph in draft.methods:
        yield rf"\paragraph{{{prose(paragraph.heading)}.}} {prose(paragraph.text)}" + "\n"
    if draft.overview:
        yield f"Topics and systems, in numbers: {_referred(draft.overview)[1:-2]}.\n"
    yield from _floats(draft.overview, long)
    yield r"\FloatBarrier"
    yield r"\section{Results}"
    yield prose(draft.numbers) + "\n"
    for section in draft.sections:
        if section.first:
            yield rf"\subsection{{{prose(section.title)}: {prose(section.asks)}}}"
            for answer in section.first:
                yield rf"\subsubsection{{{prose(answer.asks)}}}"
                yield from _said(answer)
                yield from _floats(answer.first, long)
            yield r"\FloatBarrier"


def _further(draft: Draft, long: set[str]) -> Iterator[str]:
    """The appendix: what no paper shows; of answers that stand above, figures and tables alone."""
    yield r"\clearpage\section{Further analyses}"
    yield "What the main text refers to, and what the papers have no figure or table of.\n"
    for section in draft.sections:
        if section.further:
            yield rf"\subsection{{{prose(section.title)}}}"
            begun = [answer for answer in section.further if answer.first]
            yield " ".join(_continued(answer) for answer in begun) + "\n"
            for answer in begun:
                yield from _floats(answer.further, long)
            for answer in section.further:
                if not answer.first:
                    yield rf"\paragraph{{{prose(answer.asks)}}}"
                    yield from _said(answer)
                    yield from _floats(answer.further, long)
            yield r"\FloatBarrier"


def _continued(answer: Answer) -> str:
    """What more there is of an answer of the main text."""
    return rf"\emph{{{prose(answer.asks)}}} {_referred(answer.further)[1:-2]}."


def _said(answer: Answer) -> Iterator[str]:
    first, *others = answer.says or [""]
    yield f"{prose(first)} {_referred(answer.parts)}\n"
    for paragraph in others:
        yield prose(paragraph) + "\n"


def _referred(parts: list[Numbered]) -> str:
    """Where a reader finds the parts: every one is referred to."""
    groups = [
        _listed([part.label for part in parts if part.is_figure], "Figure"),
        _listed([part.label for part in parts if not part.is_figure], "Table"),
    ]
    said = "; ".join(filter(None, groups))
    return f"({said})." if said else ""


def _listed(labels: list[str], kind: str) -> str:
    refs = [rf"\ref{{{label}}}" for label in labels]
    if len(refs) < 2:
        return f"{kind}~{refs[0]}" if refs else ""
    return f"{kind}s {', '.join(refs[:-1])} and {refs[-1]}"


def _floats(parts: list[Numbered], long: set[str]) -> Iterator[str]:
    for part in parts:
        if part.is_figure:
            yield rf"\input{{figures/{part.name}.tex}}"
        elif part.name not in long:
            yield rf"\input{{tables/{part.name}.tex}}"


def figure(part: Numbered, draft: Draft) -> str:
    """The float of a figure, with caption, label, and how to read it."""
    size = SIZE.search(part.part["svg"])
    width, height = (float(size["width"]), float(size["height"])) if size else (400.0, 300.0)
    scale = min(INCHES, tables.TEXT_WIDTH / width, HIGHEST / height)
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            rf"\def\thefigure{{{part.number}}}\def\theHfigure{{{part.name}}}%",
            r"\centering",
            rf"\includegraphics[width={width * scale:.1f}bp]{{figures/{part.name}.pdf}}",
            rf"\caption{{{_caption(part, draft)}}}\label{{{part.label}}}",
            rf"{{\raggedright\scriptsize {prose(part.reading)}\par}}",
            r"\end{figure}",
            "",
        ]
    )


def _caption(part: Numbered, draft: Draft) -> str:
    """What a part says, where a paper has the like, and who judged if it was not people."""
    said = prose(part.part["says"]).rstrip(".")
    source = f" ({prose(f'as {part.source}')})" if part.source else ""
    return f"{said}{source}.{f' {draft.mark.capitalize()}.' if draft.mark else ''}"


def _end(draft: Draft, long: set[str]) -> Iterator[str]:
    yield r"\bibliographystyle{plain}"
    yield r"\bibliography{references}"
    yield r"\appendix"
    if any(section.further for section in draft.sections):
        yield from _further(draft, long)
    if draft.silent:
        yield r"\section{Questions without an answer here}"
        yield r"\begin{description}"
        for asks, why in draft.silent:
            yield rf"\item[{prose(asks)}] {prose(why)}"
        yield r"\end{description}"
    if long:
        yield r"\clearpage\section{Long tables}"
        for part in draft.parts:
            if part.name in long:
                yield rf"\input{{tables/{part.name}.tex}}"
    yield r"\end{document}" + "\n"
