"""The folder of a report, as the command writes it."""

import re
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.analyses import ANALYSES, of_study, papers
from evaluation.cache import tex
from evaluation.pipeline import evaluate
from evaluation.report import draft
from evaluation.report import folder as report
from evaluation.report.draft import HIGHLIGHTS
from evaluation.report.references import DEVISED, NAMED, WORKS
from evaluation.study.data import load
from judging.models import Study
from judging.studies import table_one
from judging.studies.table_one import COUNTED
from tests.factory import make_study
from tests.factory.completed import judged_study
from tests.latex import compile_report

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(for_all):
    study, _ = judged_study(1, topics=2, units=6)
    evaluate(study)
    return study


@pytest.fixture
def study(judged, db):
    return judged


@pytest.fixture(scope="module")
def written(judged, tmp_path_factory):
    """The folder, and what was computed for it."""
    path, out, made = tmp_path_factory.mktemp("report") / "new", StringIO(), []
    write = report.write

    def overheard(*given):
        made.append(write(*given))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "write", overheard)
        call_command("report", judged.slug, "--out", str(path), "--seed", "7", stdout=out)
    assert "files on 48 judgments in 6 units of" in out.getvalue()
    return path, made[0]


@pytest.fixture(scope="module")
def folder(written):
    return written[0]


def test_a_report_is_not_mixed_with_what_is_there(folder, judged):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(CommandError, match="is not empty: name a new folder"):
        call_command("report", judged.slug, "--out", str(folder), "--seed", "8")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_report_has_every_table_and_figure(written, study):
    folder, made = written
    assert list(made.results) == list(of_study(study))
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.stat().st_size}
    for name in ("table1", "rankings"):
        assert {f"data/overview-{name}.csv", f"tables/overview-{name}.tex"} <= names
    page, document = ((folder / name).read_text() for name in ("index.html", "main.tex"))
    for analysis, result in made.results.items():
        for part in result["parts"]:
            kind, endings = "tables", ("tex",)
            if part["kind"] == "figure":
                kind, endings = "figures", ("svg", "pdf", "tex")
            name = f"{analysis}-{part['name']}"
            wanted = {f"data/{name}.csv", *(f"{kind}/{name}.{ending}" for ending in endings)}
            assert wanted <= names
            assert f'href="data/{name}.csv"' in page
            assert rf"\input{{{kind}/{name}.tex}}" in document
            assert rf"\ref{{{kind[:3]}:{name}}}" in document
    links = re.findall(r'(?:href|src)="([^"#]+)"', page)
    assert len(links) > len(names) / 2
    assert set(links) <= names


def test_the_report_is_a_document_that_tex_sets(folder):
    for path in folder.rglob("*.tex"):
        assert all(sign.isascii() or sign in tex.HAS for sign in path.read_text()), path.name
    main = (folder / "main.tex").read_text()
    labels = {
        label
        for path in folder.rglob("*.tex")
        for label in re.findall(r"\\label{([^}]+)}", path.read_text())
    }
    assert set(re.findall(r"\\ref{([^}]+)}", main)) == labels
    texts = "".join(path.read_text() for path in folder.rglob("*.tex"))
    cited = {key for keys in re.findall(r"\\cite{([^}]+)}", texts) for key in keys.split(",")}
    items = re.findall(r"\\bibitem{([^}]+)}", (folder / "main.bbl").read_text())
    entries = re.findall(r"@\w+{(\w+),", (folder / "references.bib").read_text())
    assert cited == set(items) == set(entries)
    assert len(items) == len(set(items))
    compile_report(folder / "main.tex")


def test_every_method_that_is_named_has_its_source(folder):
    main = (folder / "main.tex").read_text()
    methods = main[main.index(r"\section{Methods}") : main.index(r"\section{Results}")]
    named = {name: key for name, key in DEVISED.items() if tex.escaped(name) in methods}
    assert {"Kendall's tau-b", "paired Wilcoxon signed-rank test", "bootstrap test"} <= set(named)
    for name, keys in named.items():
        assert rf"{tex.escaped(name)}~\cite{{{keys}}}" in methods, name
    assert set(",".join([*DEVISED.values(), *NAMED.values()]).split(",")) <= set(WORKS)


def test_the_main_text_shows_what_papers_show_and_the_appendix_all_else(folder):
    main, appendix = (folder / "main.tex").read_text().split(r"\appendix", 1)
    results = main[main.index(r"\section{Results}") :]
    further = appendix.partition(r"\section{Long tables}")[0]
    for text, of_paper in ((results, True), (further, False)):
        for path in re.findall(r"\\input{((?:figures|tables)/[\w.-]+)}", text):
            number = re.findall(r"\\def\\the\w+{(\w+)}", (folder / path).read_text())[0]
            is_highlight = any(path.startswith(f"figures/{name}-") for name in HIGHLIGHTS)
            assert (not number.startswith("X")) == of_paper or (of_paper and is_highlight), path


def test_table_one_has_its_sums_and_percentages(folder, study):
    table = (folder / "tables" / "overview-table1.tex").read_text()
    assert r"\def\thetable{I}" in table
    for head in ("& $H_{k}$ &", "{Back steps}", "{Failed finishes}"):
        assert head in table
    sums = table_one.total(table_one.table1(study))
    (row,) = re.findall(r"^Sum & (.*) \\\\$", table, re.MULTILINE)
    shown = [int(cell) for cell in row.replace("{}", "").split(" & ") if cell.strip()]
    assert shown[:3] == [sums["documents"], sums["units"], sums["completed"]]
    assert shown[3:] == [sums[name] for name in COUNTED]
    (last,) = re.findall(r"^Percentage & (.*) \\\\$", table, re.MULTILINE)
    assert [int(cell) for cell in last.split(" & ")[5:]] == [
        round(100 * sums[name] / sums["completed"]) for name in COUNTED
    ]


def test_the_methods_paragraph_has_the_studys_own_numbers(folder, study):
    said = (folder / "methods.txt").read_text()
    for words in (
        *("6 workers of a crowd", "48 judgments", "on 2 topics", "6 units of 8 documents"),
        *("geometric averaging", "the seed 7", f"the seed {study.plan_seed}", "numpy "),
        "nDCG-JK@10 and ERR@10",
    ):
        assert words in said
    findings = (folder / "findings.txt").read_text()
    assert all(one.asks in findings for one in of_study(study).values())


def test_a_report_that_cannot_be_made_or_written(study, tmp_path):
    (tmp_path / "file").write_text("")
    below, new = str(tmp_path / "file" / "below"), str(tmp_path / "new")
    for said, *given in (
        ("There is no study nowhere.", "nowhere", "--out", new),
        ("no labels gold; expected reference.", study.slug, "--labels", "gold", "--out", new),
        ("nothing to report", make_study().slug, "--out", new),
        ("The seed -1: expected a whole number", study.slug, "--out", new, "--seed", "-1"),
        ("file", study.slug, "--out", below),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("report", *given)


def test_a_report_goes_on_where_an_analysis_fails(study, tmp_path, monkeypatch):
    def fail(data, tell):
        raise ValueError("nothing fits")

    two = {
        "spread": replace(ANALYSES["spread"], analyse=fail),
        "distributions": ANALYSES["distributions"],
    }
    monkeypatch.setattr(report, "of_study", lambda study: two)
    with pytest.raises(CommandError, match="spread: nothing fits"):
        call_command("report", study.slug, "--out", str(tmp_path))
    assert "This could not be computed: nothing fits" in (tmp_path / "findings.txt").read_text()
    assert (tmp_path / "methods.txt").exists()


def test_the_abstract_says_what_artificial_workers_are(study):
    fitting = {"internal": ANALYSES["internal"]}
    for crowd, says in ((Study.Crowd.PEOPLE, False), (Study.Crowd.ARTIFICIAL, True)):
        Study.objects.filter(pk=study.pk).update(crowd=crowd)
        data = load(Study.objects.get(pk=study.pk))
        results = {"internal": fitting["internal"].of(data)}
        abstract = " ".join(draft.draft(data, fitting, results, {}).findings)
        assert (papers.RESEMBLANCE.rstrip(".") in abstract) is says
        assert ("the paper found" in abstract) is not says
