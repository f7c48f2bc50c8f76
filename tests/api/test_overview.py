"""The overview: six answers, each from kept analyses, and what they say where nothing is known."""

import random
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db.models import Exists, OuterRef
from django.test import Client
from django.utils import timezone

from evaluation.analyses import ANALYSES
from evaluation.cache import stored
from evaluation.models import CachedAnalysis
from evaluation.pages.cards import RESTS_ON, pictures
from evaluation.pipeline import evaluate
from evaluation.report import overview_tables
from evaluation.report.methods import methods
from evaluation.study.data import load
from judging.models import (
    Assignment,
    CheckFailure,
    Judgment,
    Label,
    PooledDocument,
    Study,
    Tick,
    Unit,
)
from judging.studies import table_one
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.changing import change_settings
from tests.api.html import Page, look
from tests.cast import Person, ada
from tests.desks import admin_at_desk
from tests.factory import later, make_study
from tests.factory.completed import complete, judged_study, random_scores
from tests.factory.runs import add_runs, random_runs

pytestmark = pytest.mark.django_db
CARDS = ["ranking", "crowd", "labels", "enough", "choices", "state"]


@pytest.fixture(scope="module")
def judged(for_all):
    """A closed study on eight topics: all that four runs list is judged, by two or more.

    Nobody stays at the least time or gives one reason twice. Its overview is computed.
    """
    rng = random.Random(1)
    study = make_study(topics=8, redundancy=2, minimum_seconds=5)
    runs: dict[str, dict[str, list[tuple[str, float]]]] = {f"run-{n}": {} for n in range(4)}
    for topic in study.topics.select_related("topic"):
        names = [document.doc_id for document in topic.documents.all()]
        for lists in runs.values():
            rng.shuffle(names)
            lists[topic.topic.query_id] = [(name, -float(n)) for n, name in enumerate(names)]
    add_runs(study, runs)
    for number in range(study.units.count()):
        complete(study, f"worker-{number:02}", random_scores(rng))
    for judgment in Judgment.objects.filter(assignment__study=study):
        judgment.justification = f"It says {judgment.pk} things."
        judgment.save(update_fields=["justification"])
    evaluate(study)
    study = close_study(study.slug)
    computed(admin_at_desk("before all"), study)
    return study


@pytest.fixture
def study(judged, db):
    return judged


def overview(client: Client, study: Study, query: str = "") -> Page:
    return look(client, f"/studies/{study.slug}/{query}")


def computed(client: Client, study: Study) -> Page:
    """The overview once its analyses are up to date."""
    overview(client, study)
    stored.bring_up_to_date()
    return overview(client, study)


def stored_analysis(study: Study, name: str) -> CachedAnalysis:
    return CachedAnalysis.objects.get(study=study, name=name, asked="")


def numbers(study: Study, name: str) -> dict[str, Any]:
    return stored_analysis(study, name).numbers


def change(study: Study, name: str, **changed: Any) -> None:
    """As if an analysis had found other numbers."""
    row = stored_analysis(study, name)
    row.numbers |= changed
    row.save()


def failures_of_anchors(assignments: Any) -> None:
    CheckFailure.objects.bulk_create(
        CheckFailure(assignment=row, check_name="anchors", attempt=1, at=row.finished_at)
        for row in assignments
    )


def cards(client: Client, study: Study) -> dict[str, Any]:
    response = client.get(f"/studies/{study.slug}/")
    return {card.name: card for card in response.context["cards"]}


def test_a_first_visit_says_what_is_being_computed(at_desk, study):
    CachedAnalysis.objects.all().delete()
    page = overview(at_desk, study)
    assert "which of them differ is being computed" in page.text
    assert 'data-live="2"' in page.html
    lights = {name: card.state.word for name, card in cards(at_desk, study).items()}
    assert list(lights) == CARDS
    assert {lights[name] for name in CARDS[:-1]} == {"being computed"}
    page = computed(at_desk, study)
    assert "being computed" not in page.text
    assert "data-live" not in page.html


def test_every_card_says_what_its_analysis_found_and_the_heading_the_verdict(at_desk, study):
    made = cards(at_desk, study)
    assert list(made) == CARDS
    told = numbers(study, "significance")["told_apart"]
    pairs = told["pairs"]
    assert told["judged"] == 1
    assert made["ranking"].number == f"{pairs['differ']} of {pairs['all']}"
    assert made["crowd"].number == f"{numbers(study, 'internal')['alpha']:.2f}"
    assert made["labels"].number == f"{100 * numbers(study, 'labels')['pairs_in_order']:.0f}%"
    taus = [v for k, v in numbers(study, "sensitivity").items() if k.startswith("tau_nDCG")]
    assert made["choices"].number == f"{min(v for v in taus if v is not None):.2f}"
    page = overview(at_desk, study)
    (heading,) = re.findall(r"<h1>(.*?)</h1>", page.html)
    assert re.match(r"No difference|No system|\S+ is better|Too little is judged", heading)
    assert "leads" not in page.html
    if "Too" not in heading:
        assert "Randomised Tukey HSD over all pairs, nDCG" in page.html
    for card in made.values():
        assert f"{card.headline}." in page.text
        assert all(link.address.partition("#")[0] in ("", *page.links) for link in card.links)
        assert card.rows in page.links
        assert card.rows == "#table1" or at_desk.get(card.rows).status_code == 200
    first = numbers(study, "differences")["documents"][0]
    assert f"Read first: {first[1]}, topic {first[0]}" in page.text


def test_no_number_of_older_code_may_break_the_overview(at_desk, study):
    before, asked_again = cards(at_desk, study), set()
    for name in RESTS_ON:
        known = numbers(study, name)
        row = CachedAnalysis.objects.filter(study=study, name=name)
        for left in ([], sorted(known)[::2], sorted(known)[1::2]):
            some = {key: known[key] for key in left}
            row.update(numbers=some, tried_at=timezone.now() - timedelta(days=1))
            assert [*cards(at_desk, study)] == CARDS
        asked_again |= set(row.exclude(wanted_at=None).values_list("name", flat=True))
        row.update(numbers=known)
    assert {"significance", "internal", "labels", "enough"} <= asked_again
    assert cards(at_desk, study) == before


@pytest.mark.parametrize("lacks", ["judged", "pairs"])
def test_a_verdict_of_older_code_says_that_it_is_being_computed_again(at_desk, study, lacks):
    row = stored_analysis(study, "significance")
    del row.numbers["told_apart"][lacks]
    row.tried_at = timezone.now() - timedelta(days=1)
    row.save()
    page = overview(at_desk, study)
    assert "4 systems ranked; which of them differ is being computed again" in page.text
    assert cards(at_desk, study)["ranking"].state.word == "being computed"
    assert 'data-live="2"' in at_desk.get(f"/studies/{study.slug}/systems/").content.decode()
    assert "being computed" not in computed(at_desk, study).text


def test_too_few_topics_have_no_interval_and_no_order(at_desk):
    study, _ = judged_study(1, topics=4, units=8)
    evaluate(study)
    close_study(study.slug)
    computed(at_desk, study)
    made = cards(at_desk, study)
    words = [card.state.word for name, card in made.items() if name != "crowd"]
    assert words == ["too early"] * 4 + ["done"]
    assert "(" not in made["ranking"].interval + made["choices"].interval + made["labels"].interval
    assert "±" not in made["enough"].number


def test_a_draft_has_no_card(at_desk):
    study = make_study(opened=False)
    response = at_desk.get(f"/studies/{study.slug}/")
    assert "cards" not in response.context
    assert not CachedAnalysis.objects.filter(study=study).exists()


def test_table_one_ends_with_percentages(at_desk, study):
    total = table_one.total(table_one.table1(study))
    share = total["fail_0"] / total["completed"]
    assert table_one.shares(total)["fail_0"] == share
    page = overview(at_desk, study).text
    assert re.search(rf"Percentage .*{100 * share:.0f}%", page)
    assert table_one.shares(total | {"completed": 0})["fail_0"] is None


@pytest.mark.parametrize("is_paid", [True, False])
def test_attempts_that_are_paid_and_do_not_count_are_a_column(at_desk, is_paid):
    """The last one of Table I on the page and in the report, as in the file."""
    study = make_study(most_failed_finishes=1, pay_after_limit=is_paid)
    ada(study, h_k="1", n_k="2").come_to_the_end().finish()
    page = overview(at_desk, study).text
    (head,) = re.findall(r"Failed finishes .* Glossary (.*)0 1 2\+ 0 1 2\+ 401", page)
    assert head == "Paid, not counted " * is_paid
    (foot,) = re.findall(r"Sum ([\d ]+) Percentage", page)
    (_, table), *_ = overview_tables.tables(study)
    assert (table["columns"][-1] == table_one.UNCOUNTED) is is_paid
    topic, sums, shares = table["rows"]
    assert [int(cell) for cell in foot.split()] == [cell for cell in sums[1:] if cell != ""]
    assert foot.split()[9:] == ["1"] * is_paid
    assert len(topic) == len(sums) == len(shares) == len(table["columns"])
    assert (topic[-1], sums[-1], shares[-1]) == (is_paid, is_paid, None)


def test_systems_are_sorted_by_the_address(at_desk, study):
    response = at_desk.get(f"/studies/{study.slug}/?sort=mean")
    means = [row.mean for row in response.context["list"].rows]
    assert means == sorted(means)


def test_a_picture_has_a_dot_a_row_and_names_as_they_are():
    rows = [pictures.Row("<b>", 0.2, 0.1, 0.4), pictures.Row("x", 0.5), pictures.Row("", 2.0)]
    drawn = pictures.strip(rows, pictures.Axis(0, 1, (0, 1)), 'A "picture"', [("mark", 0.3)])
    assert drawn.count("<circle") == 3
    assert "&lt;b&gt;" in drawn
    assert 'aria-label="A &quot;picture&quot;"' in drawn
    xs = [float(x) for x in re.findall(r'cx="([\d.]+)"', drawn)]
    assert xs == sorted(xs)
    assert max(xs) == pictures.WIDTH  # what lies beyond the axis stands at its end


def test_lines_of_many_systems_do_not_run_into_one_area():
    few, many = (
        pictures.strip([pictures.Row("", 0.5, 0.4, 0.6)] * n, pictures.Axis(0, 1, (0, 1)), "Means")
        for n in (30, 129)
    )
    assert few.count('stroke-width="1.5"') == 1
    assert many.count('stroke-width="0.3"') == 1


def test_a_study_that_stands_still_says_so(at_desk):
    study = make_study(topics=4)
    for number in range(5):
        complete(study, f"worker-{number % 4}", at=later(200 * number))
    Person(study, "eve", now=later(900)).come_to_documents()
    years = later(10**9)  # by the real clock nobody has come for long
    Assignment.objects.filter(worker__pseudonym="eve").update(deadline_at=years)
    evaluate(study)
    state = cards(at_desk, study)["state"]
    assert state.headline.startswith("Stopped: no form for")
    assert (state.state.word, state.state.colour) == ("wrong", "red")
    assert "1 in progress" in state.interval
    assert "Stopped: no form for" in overview(at_desk, study).text.partition("Skip to")[0]


def test_a_clock_that_stands_still_is_said(at_desk, study):
    Tick.objects.update_or_create(name=Tick.EXPIRY, defaults={"ran_at": later(-(10**6))})
    state = cards(at_desk, study)["state"]
    assert state.state.word == "wrong"
    assert "Clock: No tick for" in state.why


PAID = ("Paid, fee included", "Pay per hour", "Cost so far")
WOULD = ("Would cost", "Would be paid")


@pytest.mark.parametrize(
    ("crowd", "said", "unsaid"), [("artificial", WOULD, PAID), ("people", PAID, WOULD)]
)
def test_what_nobody_was_paid_would_cost(at_desk, study, crowd, said, unsaid):
    """A study of artificial workers has cost nothing, and no page says that it has."""
    Study.objects.filter(pk=study.pk).update(crowd=crowd, payment="0.20")
    page = overview(at_desk, study)
    assert all(words in page.html for words in said)
    assert not any(words in page.html for words in unsaid)
    assert crowd == "people" or not re.search(r"\b(is paid|Cost so far|Paid)\b", page.text)
    monitor = at_desk.get(f"/studies/{study.slug}/monitor/").content.decode()
    assert ("Would have cost so far" in monitor) == (crowd == "artificial")
    assert ("Cost to date" in monitor) == (crowd == "people")
    told = methods(load(Study.objects.get(pk=study.pk)), {})
    assert ("People would have been paid 0.20" in told) == (crowd == "artificial")
    assert ("A unit was paid 0.20" in told) == (crowd == "people")


def test_anchors_in_doubt_are_what_is_wrong_and_leave_nothing_sure(at_desk):
    study = make_study(topics=2, redundancy=12)
    rng = random.Random(3)
    add_runs(study, random_runs(study, rng))
    for number in range(study.units.count()):
        complete(study, f"worker-{number:02}")
    bad = study.topics.select_related("topic").latest("pk")
    name = bad.topic.query_id
    rows = Assignment.objects.filter(study_topic=bad)
    failures_of_anchors(rows)
    rows.update(failed_finishes=1)
    evaluate(study)
    close_study(study.slug)
    computed(at_desk, study)
    made = cards(at_desk, study)
    assert made["state"].headline == f"The anchors of topic {name} may be bad: look at them first"
    assert (made["state"].state.word, made["state"].state.colour) == ("wrong", "red")
    assert made["state"].links[0].address == f"/studies/{study.slug}/monitor/topics/{name}/#anchors"
    assert "sure" not in {card.state.word for card in made.values()}


def test_a_few_units_tell_nothing_of_pay(at_desk):
    study = make_study(topics=4)
    Study.objects.filter(pk=study.pk).update(payment="0.01", minimum_hourly_pay="20")
    for number in range(4):
        complete(study, f"worker-{number}")
    evaluate(study)
    assert cards(at_desk, study)["state"].why == ""
    complete(study, "worker-4")
    evaluate(study)
    state = cards(at_desk, study)["state"]
    assert "below the minimum of $20.00" in state.why
    assert state.state.word == "check"


def test_what_artificial_workers_would_be_paid_is_no_warning(at_desk, study):
    low = {"payment": "0.01", "minimum_hourly_pay": "200"}
    Study.objects.filter(pk=study.pk).update(**low, crowd=Study.Crowd.ARTIFICIAL)
    state = cards(at_desk, study)["state"]
    assert "below the minimum of $200.00" in state.why
    assert state.state.word == "done"


def test_an_alpha_that_may_be_0_is_not_said_to_be_better_than_chance(at_desk, sure):
    change(sure, "internal", alpha=0.05, alpha_low=-0.05, alpha_high=0.35)
    card = cards(at_desk, sure)["crowd"]
    assert card.headline == "It cannot be said that workers agree better than chance"
    assert card.state.word == "check"  # and not too early: the study is closed


def test_systems_differ_on_their_pages_as_the_test_says(at_desk, study):
    critical = numbers(study, "significance")["critical_nDCG"]
    page = look(at_desk, f"/studies/{study.slug}/systems/").text
    assert page.lower().count("randomised tukey") == 1  # said once
    assert f"are more than {critical:.3f} apart" in page
    assert page.count("Bars are half the critical difference") == 1
    assert "Student’s t" not in page  # one kind of interval
    rows = at_desk.get(f"/studies/{study.slug}/systems/").context["list"].rows
    assert [row.differs for row in rows] == [rows[0].mean - row.mean > critical for row in rows]
    one, other = rows[1].run, rows[-1].run
    assert "95% interval" in look(at_desk, f"/studies/{study.slug}/systems/{one}/").text
    against = at_desk.get(f"/studies/{study.slug}/systems/{one}/against/{other}/").context
    assert against["differ"] == (rows[1].mean - rows[-1].mean > critical)


def test_no_light_promises_what_never_comes(at_desk, study):
    """Labels of one level are compared with nothing, however much is judged."""
    CachedAnalysis.objects.all().delete()
    Label.objects.filter(level__lt=2).delete()
    Label.objects.update(level=1)
    stored.bring_up_to_date()
    for _ in range(2):  # before and after it is computed
        card = cards(at_desk, study)["labels"]
        assert card.headline == "The labels “reference” have one level: nothing can be compared"
        assert card.state.word == "nothing to compare"
        assert "“Unlabelled documents count as 0”" in card.why
        assert card.links[-1].address == f"/studies/{study.slug}/set-up/settings/"
        computed(at_desk, study)
    outside = Label.objects.earliest("pk")  # of another level, which nobody judges any more
    Label.objects.create(label_set=outside.label_set, topic=outside.topic, doc_id="OUT", level=2)
    card = cards(at_desk, study)["labels"]
    assert card.state.word == "nothing to compare"
    assert "one level" not in card.headline


def test_unlabelled_documents_open_the_comparison_with_labels(at_desk, study):
    """The setting can be changed once all is judged; each page that rests on it names it."""
    CachedAnalysis.objects.all().delete()
    Label.objects.filter(level__lt=2).delete()
    Label.objects.update(level=1)
    stored.get_or_request(study, ["differences"], "reference", timezone.now())
    stored.bring_up_to_date()
    before = numbers(study, "differences")
    change_settings(study.slug, {"unlabelled_as_zero": True}, None)
    study.refresh_from_db()
    assert study.trail.latest("pk").details["changes"] == {"unlabelled_as_zero": [False, True]}
    assert cards(at_desk, study)["labels"].state.word == "being computed"
    CachedAnalysis.objects.filter(study=study).update(tried_at=None)
    computed(at_desk, study)
    pooled = PooledDocument.objects.filter(study_topic__study=study, role=PooledDocument.Role.OTHER)
    own = Label.objects.filter(topic=OuterRef("study_topic__topic"), doc_id=OuterRef("doc_id"))
    n = pooled.exclude(Exists(own)).count()
    assert n > 0
    said = f"{n} unlabelled documents (U) count as 0, anchors not among them."
    card = cards(at_desk, study)["labels"]
    assert card.number.endswith("%")
    assert said in card.why
    assert numbers(study, "labels")["unlabelled_as_zero"] == n
    assert numbers(study, "differences") == before
    root = f"/studies/{study.slug}"
    for path in ("/method/labels/", "/method/rankings/", "/replication/"):
        assert said in unescape(at_desk.get(f"{root}{path}").content.decode()), path
    topic = study.topics.select_related("topic")[0].topic
    labelled = topic.labels.values("doc_id")
    here = pooled.filter(study_topic__topic=topic).exclude(doc_id__in=labelled).count()
    page = at_desk.get(f"{root}/topics/{topic.query_id}/")
    assert f"{here} unlabelled documents (U) count as 0" in page.content.decode()
    agreement = page.context["made"].agreement
    at_desk.get(f"{root}/topics/")
    stored.bring_up_to_date()
    page = at_desk.get(f"{root}/topics/")
    assert said in page.content.decode()
    side_by_side = {row.query_id: row.agreement for row in page.context["list"].rows}
    assert side_by_side[topic.query_id] == pytest.approx(agreement)
    data = load(study)
    results = {name: ANALYSES[name].of(data) for name in ("labels", "differences")}
    said = f"{n} judged documents without a label in “reference” counted as 0"
    assert said in methods(data, results)
    assert "counted as 0" not in methods(data, {"differences": results["differences"]})


# Pooled alpha exceeds 0 as topics lie apart.
POOLED = {"alpha": 0.5, "alpha_low": 0.4, "alpha_high": 0.6}
BY_THE_TEST = {"alpha_p": 0.001, "alpha_without_anchors_p": 0.001}


def test_nothing_is_sure_that_rests_on_a_crowd_that_guesses(at_desk, study):
    within = {"alpha_within_topics_low": 0.04, "alpha_within_topics_high": 0.14}
    change(study, "internal", **POOLED | BY_THE_TEST | within)
    made = cards(at_desk, study)
    assert made["crowd"].headline == "Workers agree too little for their scores to be relied on"
    # A result that rests on it is no warning of its own; what is to be done next names it.
    checks = [name for name, card in made.items() if card.state.word == "check"]
    assert checks == ["crowd", "state"]
    assert made["state"].headline.startswith("Workers agree too little for the results to be used")
    assert "sure" not in {card.state.word for card in made.values()}


def test_a_crowd_agrees_by_a_test_and_not_by_an_interval(at_desk, study):
    within = {"alpha_within_topics_low": None, "alpha_within_topics_high": None}
    change(study, "internal", **POOLED | within, alpha_within_topics=0.01)
    change(study, "internal", alpha_p=0.3, alpha_without_anchors_p=0.3)
    made = cards(at_desk, study)["crowd"]
    assert made.headline == "It cannot be said that workers agree better than chance"
    assert made.state.word == "check"
    assert "0.01 within topics (no interval)" in made.interval
    names = [name for name in numbers(study, "internal") if name.endswith(("_low", "_high"))]
    change(study, "internal", **dict.fromkeys(names) | BY_THE_TEST)
    made = cards(at_desk, study)["crowd"]
    assert made.headline == "Workers agree better than chance"
    assert "no interval" in made.interval


@pytest.fixture
def sure(study):
    """Numbers of analyses by which the cards of crowd and labels are sure."""
    change(study, "internal", alpha=0.5, alpha_low=0.45, alpha_high=0.55, alpha_p=0.001)
    change(study, "internal", alpha_without_anchors_low=0.4, alpha_without_anchors_p=0.001)
    change(study, "workers", workers_at_or_below_0=0, fewest_people=["401", 12])
    change(study, "labels", pairs_in_order=0.8, pairs_in_order_p=0.0001)
    change(study, "labels", pairs_in_order_low=0.7, pairs_in_order_high=0.9)
    change(study, "differences", documents=[])
    return study


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.45, 0.55, ", and better than"),
        (0.3, 0.4, ", about as well as"),
        (0.25, 0.3, ", but less"),
    ],
)
def test_the_papers_alpha_is_held_against_that_of_all_documents(at_desk, sure, low, high, said):
    """As the paper's is of all documents: those that are no anchors have another."""
    change(sure, "internal", alpha=low, alpha_low=low, alpha_high=high)
    change(sure, "internal", alpha_without_anchors_low=0.3, alpha_without_anchors_high=0.4)
    assert said in cards(at_desk, sure)["crowd"].headline


def lights(made: dict[str, Any]) -> set[str]:
    return {made[name].state.word for name in ("crowd", "labels")}


def test_sure_takes_a_small_p_a_whole_plan_and_ten_people(at_desk, sure):
    assert lights(cards(at_desk, sure)) == {"sure"}
    # Documents that nobody has read do not keep the light of labels on.
    unread = [["401", "D1", "0", "3"], ["401", "D2", "1", "0"]]
    change(sure, "differences", differ=2, documents=unread)
    card = cards(at_desk, sure)["labels"]
    assert card.state.word == "sure"
    assert "2 documents fit another level better than the label's; no verdict given." in card.why
    assert "D1 has level 0, but fits level 3 best." in card.why


@pytest.mark.parametrize("p", [0.01, 0.03])
def test_nothing_is_sure_at_the_edge_of_a_test(at_desk, sure, p):
    change(sure, "internal", alpha_without_anchors_p=p)
    change(sure, "labels", pairs_in_order_p=p)
    assert lights(cards(at_desk, sure)) == {"not sure"}


def test_nothing_is_sure_of_fewer_than_ten_people(at_desk, sure):
    change(sure, "workers", fewest_people=["402", 9])
    made = cards(at_desk, sure)
    assert lights(made) == {"not sure"}
    assert "Topic 402 was judged by 9 workers" in made["labels"].why


@pytest.mark.parametrize("crowd", [Study.Crowd.ARTIFICIAL, Study.Crowd.BOTH])
def test_nothing_is_sure_of_artificial_workers(at_desk, sure, crowd):
    Study.objects.filter(pk=sure.pk).update(crowd=crowd, demo=crowd == Study.Crowd.BOTH, payment=0)
    made = cards(at_desk, sure)
    assert "sure" not in {card.state.word for card in made.values()}
    assert "Artificial workers are made to resemble the paper's" in made["crowd"].why
    assert not re.search(r"(better|less) than those of|as well as", made["crowd"].headline)


def test_a_model_has_no_workers(at_desk, sure, study):
    about = {"crowd": Study.Crowd.MODEL, "about": study, "payment": 0}
    Study.objects.filter(pk=sure.pk).update(**about)
    card = cards(at_desk, sure)["crowd"]
    assert card.headline.startswith("Model conversations agree")
    assert "worker" not in f"{card.headline}{card.more}{card.why}".lower()


def test_nothing_is_sure_before_the_plan_is_complete(at_desk, sure):
    last = sure.units.latest("pk")
    Unit.objects.create(study=sure, study_topic=last.study_topic, number=last.number + 1)
    made = cards(at_desk, sure)
    assert lights(made) == {"not sure"}
    assert "1 unit of the plan is not done" in made["crowd"].why


def test_a_heading_that_is_older_than_the_table_says_so(at_desk, study):
    pages = [f"/studies/{study.slug}/", f"/studies/{study.slug}/systems/"]
    for page in pages:
        assert "This heading is of" not in at_desk.get(page).content.decode()
    row = CachedAnalysis.objects.filter(study=study, name="significance", asked="")
    row.update(version="of other data", tried_at=timezone.now() - timedelta(days=1))
    for page in pages:
        assert "This heading is of" in at_desk.get(page).content.decode()


def test_a_topic_is_held_against_the_others_without_itself(at_desk, study):
    first = study.topics.select_related("topic")[0]
    rows = list(Assignment.objects.filter(study_topic=first))
    failures_of_anchors(rows)
    address = f"/studies/{study.slug}/topics/{first.topic.query_id}/"
    response = at_desk.get(address)
    assert response.context["refused"].failures == len(rows)
    assert response.context["refused_elsewhere"].failures == 0
    elsewhere = response.context["refused_elsewhere"].percent
    assert f"; other topics {elsewhere}<" in response.content.decode()
