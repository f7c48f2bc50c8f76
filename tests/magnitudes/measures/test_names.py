import contextlib
import copy
import pickle
import sys

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.measures.by_rank.err import err
from magnitudes.measures.by_rank.ndcg import FORMS, ndcg
from magnitudes.measures.catalogue import MEASURES, Definition, Option
from magnitudes.measures.names import Measure, MeasureNameError, parse


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG", "nDCG"),
        ("nDCG@10", "nDCG@10"),
        ("nDCG()@10", "nDCG@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(dcg='jk')@10", "nDCG(dcg='jk')@10"),
        (' nDCG ( dcg = "exp-log2" ) @ 007 ', "nDCG(dcg='exp-log2')@7"),
        ("ERR", "ERR"),
        ("ERR(largest=4)@20", "ERR(largest=4)@20"),
        ("ERR(unit='n_k', largest=4.50)@20", "ERR(largest=4.5,unit='n_k')@20"),
        ("ERR(largest=4.)@20", "ERR(largest=4)@20"),
        ("ERR(largest=1e2)@20", "ERR(largest=100)@20"),
        ("ERR(largest=100000000000000000)", "ERR(largest=1e+17)"),
    ],
)
def test_one_canonical_way_to_write_a_measure(text, canonical):
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)
    assert hash(parse(canonical)) == hash(parse(text))
    assert str(parse(canonical)) == canonical


@given(
    st.one_of(
        st.builds(lambda dcg: ("nDCG", {"dcg": dcg}), st.sampled_from(sorted(FORMS))),
        st.builds(
            lambda largest: ("ERR", {"largest": largest}),
            st.one_of(st.integers(1, 10**30), st.floats(1e-300, 1e300)),
        ),
        st.just(("ERR", {"unit": "n_k"})),
    ),
    st.one_of(st.none(), st.integers(1, 10**6)),
)
def test_the_canonical_text_parses_back(named, cutoff):
    measure = Measure(*named, cutoff)
    assert parse(str(measure)) == measure


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "“”: not of the form Name"),
        ("nDCG@", "not of the form"),
        ("nDCG@ten", "not of the form"),
        ("nDCG@-1", "not of the form"),
        ("nDCG@1.5", "not of the form"),
        ("nDCG@10@20", "not of the form"),
        ("nDCG('jk')@10", "not of the form"),
        ("nDCG(dcg=jk)@10", "not of the form"),
        ("nDCG(dcg='jk',)@10", "not of the form"),
        ("nDCG-KJ@10", "there is no nDCG-KJ"),
        ("ERR-JK@10", "there is no ERR-JK"),
        ("nDCG-JK(dcg='zipf')@10", "given twice"),
        ("nDCG(dcg='jk'@10", "not of the form"),
        ("nDCG(dcg='j'k')", "not of the form"),
        ("nDCG@10; ERR@10", "not of the form"),
        ("nDCG@١٠", "not of the form"),
        ("n" * 500, "n{200}...”: not of the form"),
        ("MAP", "“MAP”: there is no MAP; there are .*ERR.* nDCG"),
        ("NDCG@10", "there is no NDCG; there are .*nDCG"),
        ("bpref", "there is no bpref: Bpref is .* trec_eval, bpref_de_beer_moens that of De Beer"),
        ("bpref(rel=2)@10", "no bpref: Bpref .* bpref_de_beer_moens"),
        ("Bpref@10", "Bpref takes no cutoff"),
        ("Rprec@10", "Rprec takes no cutoff"),
        ("R", "needs a cutoff, as in R@10"),
        ("Success", "needs a cutoff, as in Success@10"),
        ("Judged(rel=1)@10", "Judged has no option rel; it has none of its own"),
        ("nDCG(gain=1)@10", "nDCG has no option gain; it has dcg"),
        ("nDCG(dcg='log10')@10", "dcg must be one of 'log2', 'jk'"),
        ("nDCG(dcg=2)@10", "dcg must be a string in quotes"),
        ("nDCG(dcg='jk',dcg='jk')@10", "given twice"),
        ("nDCG@0", "a cutoff is a rank, from 1"),
        ("ERR(largest='4')@10", "largest must be a number"),
        ("ERR(largest=0)@10", "largest must be a finite number above 0$"),
        ("ERR(largest=1e999)@10", "largest must be a finite number above 0$"),
        ("P+(b=-1)", "b must lie from 0 to 1e[+]12$"),
        ("TBG(click=1.5)", "click must lie from 0 to 1$"),
        ("ERR(unit='h_k')@10", "unit must be one of 'n_k'"),
    ],
)
def test_faults_name_the_text_what_is_wrong_and_what_there_is(text, message):
    with pytest.raises(MeasureNameError, match=message) as caught:
        parse(text)
    assert f"measure “{text[:200]}" in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("cutoff", [0, -3, 2.0, True, "10"])
def test_cutoffs_that_are_none(cutoff):
    with pytest.raises(MeasureNameError, match="a cutoff is a rank, from 1"):
        Measure("nDCG", {}, cutoff)


@pytest.mark.parametrize("value", [True, float("nan"), [4], None])
def test_options_that_are_none(value):
    with pytest.raises(MeasureNameError, match="largest must"):
        Measure("ERR", {"largest": value})


@given(st.text(max_size=300))
def test_any_text_is_a_measure_or_a_named_fault(text):
    with contextlib.suppress(MeasureNameError):
        parse(text)


def test_long_blanks_are_no_trap():
    with pytest.raises(MeasureNameError):
        parse("nDCG(" + " " * 190 + "!")


def test_measures_that_need_or_refuse_a_cutoff(monkeypatch):
    monkeypatch.setitem(MEASURES, "Needs", Definition(ndcg, cutoff="required"))
    monkeypatch.setitem(
        MEASURES, "Has+", Definition(ndcg, {"n": Option(int, 1, least=1)}, cutoff="none")
    )
    with pytest.raises(MeasureNameError, match="needs a cutoff, as in Needs@10"):
        parse("Needs")
    with pytest.raises(MeasureNameError, match=r"Has\+ takes no cutoff"):
        parse("Has+@10")
    with pytest.raises(MeasureNameError, match=r"n must be a whole number"):
        parse("Has+(n=2.0)")
    with pytest.raises(MeasureNameError, match=r"Needs has no option x; it has none"):
        parse("Needs(x=1)@10")
    assert str(parse("Has+(n=+3)")) == "Has+(n=3)"
    assert str(parse("Needs@3")) == "Needs@3"


def test_a_measure_without_cutoff_gets_none(monkeypatch):
    given = {}

    def measure(ranked, judged, **options):
        given.update(options)
        return np.zeros(())

    monkeypatch.setitem(MEASURES, "Whole", Definition(measure, cutoff="none"))
    parse("Whole").evaluate([1], [1])
    assert given == {}


def test_evaluating_is_calling_the_function():
    rng = np.random.default_rng(6)
    judged = rng.lognormal(size=(4, 20))
    ranked = np.stack([rng.permuted(judged, axis=1) for _ in range(3)])
    n_k = judged[:, 0]
    for text, expected in {
        "nDCG": ndcg(ranked, judged, None),
        "nDCG@5": ndcg(ranked, judged, 5),
        "nDCG(dcg='zipf')@5": ndcg(ranked, judged, 5, "zipf"),
        "ERR@5": err(ranked, judged, 5),
        "ERR(largest=1000)": err(ranked, judged, None, largest=1000),
        "ERR(unit='n_k')@5": err(ranked, judged, 5, unit=n_k),
    }.items():
        assert (parse(text).evaluate(ranked, judged, n_k=n_k) == expected).all()


def test_what_a_measure_needs_of_each_topic():
    measure = parse("ERR(unit='n_k')@10")
    assert measure.needs == ("n_k",)
    assert parse("ERR@10").needs == ()
    with pytest.raises(MeasureNameError, match="needs n_k of each topic"):
        measure.evaluate([1], [1])


def test_what_a_function_needs_beside_gains(monkeypatch):
    given = {}

    def measure(ranked, judged, **options):
        given.update(options)
        return np.zeros(())

    definition = Definition(measure, {"n": Option(int, 1)}, needs=("places",))
    monkeypatch.setitem(MEASURES, "Placed", definition)
    asked = parse("Placed(n=2)@3")
    assert asked.needs == ("places",)
    asked.evaluate([1], [1], places=[0], n_judged=1)
    assert given == {"n": 2, "k": 3, "places": [0]}
    with pytest.raises(MeasureNameError, match="needs which judged document stands at each rank"):
        asked.evaluate([1], [1], n_judged=1)


@pytest.mark.parametrize("form", FORMS)
def test_the_short_name_of_every_form_reads_back_and_is_of_one_measure(form):
    measure = Measure("nDCG", {"dcg": form}, 10)
    assert parse(measure.short) == measure
    assert "(" not in measure.short
    assert measure.title == "nDCG at 10" or " (" in measure.title
    shorter = [Measure("nDCG", {"dcg": other}, 10).short for other in FORMS]
    assert len(set(shorter)) == len(FORMS)


def test_measures_can_be_copied_and_pickled():
    measure = parse("nDCG(dcg='jk')@10")
    assert copy.deepcopy(measure) == pickle.loads(pickle.dumps(measure)) == measure


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="its parser needs ast.Num")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "text",
    [
        *("nDCG", "nDCG@10", "nDCG(dcg='log2')@10", "nDCG(dcg='exp-log2')@10", "ERR@20", "AP"),
        *("R@100", "R(rel=2)@10", "Success@1", "Success(rel=2)@5", "Rprec", "Rprec(rel=2)"),
        *("Bpref", "Bpref(rel=2)", "Judged", "Judged@10"),
        *("AP(rel=2)@100", "P@10", "P(rel=2)@10", "RR", "RR@10", "RBP", "RBP(p=0.9)", "RBP(rel=1)"),
    ],
)
def test_plain_names_are_those_of_ir_measures(text):
    theirs = ir_measures.parse_measure(text)
    theirs.validate_params()
    assert str(theirs) == str(parse(text))


@pytest.mark.parametrize("name", MEASURES)
def test_every_default_is_a_possible_value(name):
    for option in MEASURES[name].options.values():
        assert option.default is None or option.fault(option.default) is None
