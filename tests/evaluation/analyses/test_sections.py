"""Analyses by section: each is declared in its module, under the module's name."""

from importlib import import_module

from evaluation.analyses import ANALYSES, SECTIONS, of_section, sections_of
from judging.models import Study


def test_an_analysis_goes_by_the_name_of_its_module() -> None:
    for name, section in SECTIONS.items():
        for analysis in section.analyses:
            module = import_module(f"evaluation.analyses.{name}.{analysis.name}")
            assert module.analyse is analysis
    assert len(ANALYSES) == sum(len(section.analyses) for section in SECTIONS.values())


def test_a_section_has_the_analyses_that_fit_a_study() -> None:
    levels = Study(scale="graded", levels=["no", "yes"])
    assert [analysis.name for analysis in of_section("gain", levels)] == ["definitions"]
    assert [analysis.name for analysis in of_section("gain")] == [
        "profiles",
        "ratios",
        "definitions",
        "growth",
    ]
    assert of_section("nowhere") == []
    assert set(sections_of(levels)) == {*SECTIONS} - {"model"}
