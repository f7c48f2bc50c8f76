"""The folder of a report, as the command writes it."""

import re
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from evaluation.analyses import ANALYSES, of_study, sections_of
from evaluation.cache import tex
from evaluation.pipeline import evaluate
from evaluation.report import draft
from evaluation.report import folder as report
from evaluation.report.folder import documents
from evaluation.report.methods import who_judged
from evaluation.report.references import DEVISED, NAMED, WORKS
from evaluation.study.data import load
from judging.models import Role, Study, Worker
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
    page = (folder / "index.html").read_text()
    whole = "".join(path.read_text() for path in folder.rglob("*.tex"))
    for analysis, result in made.results.items():
        for part in result["parts"]:
            name, is_figure = f"{analysis}-{part['name']}", part["kind"] == "figure"
            files = [f"figures/{name}.svg", f"figures/{name}.pdf"] if is_figure else []
            assert {f"data/{name}.csv", *files} <= names
            assert f'href="data/{name}.csv"' in page
            what = rf"\includegraphics{{figures/{name}.pdf}}"
            assert whole.count(what if is_figure else rf"\input{{tables/{name}.tex}}") == 1
            assert rf"\label{{{'fig' if is_figure else 'tab'}:{name}}}" in whole
    links = re.findall(r'(?:href|src)="([^"#]+)"', page)
    assert len(links) > len(names) / 2
    assert set(links) <= names


def test_the_report_is_a_document_that_tex_sets(folder):
    for path in folder.rglob("*.tex"):
        assert all(sign.isascii() or sign in tex.HAS for sign in path.read_text()), path.name
    main = (folder / "main.tex").read_text()
    texts = "".join(path.read_text() for path in folder.rglob("*.tex"))
    labels = re.findall(r"\\label{([^}]+)}", texts)
    assert len(labels) == len(set(labels))
    referred, panels = set(re.findall(r"\\ref{([^}]+)}", main)), _panels(texts)
    assert referred <= set(labels)
    assert set(labels) - referred <= {*panels, *(name for name in labels if name[:4] == "app:")}
    cited = {key for keys in re.findall(r"\\cite{([^}]+)}", texts) for key in keys.split(",")}
    items = re.findall(r"\\bibitem{([^}]+)}", (folder / "main.bbl").read_text())
    entries = re.findall(r"@\w+{(\w+),", (folder / "references.bib").read_text())
    assert cited == set(items) == set(entries)
    assert len(items) == len(set(items))
    compile_report(folder / "main.tex")


def _panels(texts: str) -> list[str]:
    """The labels of pictures that stand in a figure with others."""
    return re.findall(r"\\subcaptionbox{.*\\label{([^}]+)}}", texts)


def test_every_method_that_is_named_has_its_source(folder):
    main = (folder / "main.tex").read_text()
    first = {name: main.find(tex.escaped(name)) for name in DEVISED}
    named = {name: DEVISED[name] for name, at in first.items() if at >= 0}
    assert {"Kendall's tau-b", "paired Wilcoxon signed-rank test", "bootstrap test"} <= set(named)
    for name, keys in named.items():
        assert rf"{tex.escaped(name)}~\cite{{{keys}}}" in main, name
    assert set(",".join([*DEVISED.values(), *NAMED.values()]).split(",")) <= set(WORKS)


def test_it_has_the_sections_of_a_paper_and_asks_for_what_no_one_can_compute(folder, judged):
    main, appendix = (folder / "main.tex").read_text().split(r"\appendix", 1)
    sections = re.findall(r"^\\section{(.*)}", main, re.MULTILINE)
    assert sections == [
        *("Introduction", "Research questions", "Related work", "Method", "Results"),
        *("Discussion", "Limitations", "Ethics", "Data availability", "Contributions"),
    ]
    asked = re.findall(r"^\\towrite{([^}]*)}{(.*)}$", main, re.MULTILINE)
    assert {name for name, _ in asked} == {"Title and abstract", *sections} - {"Results"}
    assert all("?" in questions for _, questions in asked)
    assert main.index(r"\@starttoc{tdo}") < main.index(r"\section{Introduction}")
    assert main.count(r"\item[RQ") == main.count(r"\subsection{RQ") == len(sections_of(judged))
    for name in ("Details of the analyses", "Further results", "Questions without an answer here"):
        assert rf"\section{{{name}}}" in appendix


def test_the_main_text_is_as_long_as_a_paper(folder):
    if (folder / "main.aux").exists():
        (page,) = re.findall(r"Details of the analyses}{(\d+)}", (folder / "main.aux").read_text())
        assert 10 <= int(page) <= 16


def test_captions_say_what_is_drawn_and_the_text_what_is_found(written):
    folder, made = written
    captions = "".join(path.read_text() for path in (folder / "figures").glob("*.tex"))
    for result in made.results.values():
        for part in result["parts"]:
            if part["kind"] == "figure":
                assert tex.escaped(part["says"]) not in captions
    (ten,) = (path.read_text() for path in (folder / "figures").glob("rankings-*.tex"))
    assert ten.startswith(r"\def\thefigure{10}")
    assert ten.count(r"\subcaptionbox{") == ten.count(r"\includegraphics{") == 4
    said = r"\\caption{Means of systems by labels and by magnitudes \(\d systems, 2 topics\)\."
    assert re.search(said, ten)
    assert "Mean by binary labels against mean by magnitudes." in ten


def test_its_authors_are_those_of_the_team_who_do_more_than_look(study):
    for name, role in (("Ada Lovelace", Role.OWNER), ("Mary Sue_1", Role.EDITOR), ("", "viewer")):
        first, _, last = name.partition(" ")
        user = User.objects.create_user(f"{role}s", first_name=first, last_name=last)
        study.memberships.create(user=user, role=role)
    data = load(study)
    made = draft.draft(data, {}, {}, {})
    assert made.authors == ["Ada Lovelace", "Mary Sue_1"]
    assert r"Mary Sue\_1\\\placeholder{affiliation}" in dict(documents(made))["main.tex"]


def test_people_and_artificial_workers_are_told_apart(study):
    data = load(study)
    assert who_judged(data) == "6 people"
    some = Worker.objects.filter(study=study, pseudonym__in=data.workers[:5])
    some.update(simulated=True)
    assert who_judged(data) == "5 artificial workers and 1 person"
    Worker.objects.filter(study=study).update(simulated=True)
    assert who_judged(data) == "6 artificial workers and no people"


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
        *("by 6 people, ", "48 judgments", "on 2 topics", "6 units of 8 documents"),
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
        abstract = " ".join(draft.draft(data, fitting, results, {}).abstract)
        assert (draft.RESEMBLANCE in abstract) is says
        assert ("Maddalena and others [@maddalena2017] found" in abstract) is not says
        assert "the paper" not in abstract
