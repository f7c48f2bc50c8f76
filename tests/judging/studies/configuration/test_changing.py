"""Changing a draft: what may change, what is told to whom, and that nothing is half done."""

import random
import tomllib
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from judging.models import Membership, PooledDocument, Study, TrailEntry, Unit
from judging.settings import Step
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.changing import (
    apply_config,
    change_settings,
    change_topic,
    change_topics,
    choose_topics,
    draw_topics,
)
from judging.studies.configuration.cloning import clone, config_of, toml_of
from judging.studies.configuration.missing import missing
from judging.studies.configuration.settings import create_study
from judging.studies.configuration.versions import EditConflict
from judging.studies.faults import BadStudy, Fault
from judging.studies.unit_plans import discard_plan, plan
from tests.factory import GRADED, make_study
from tests.judging.studies.configuration.test_settings import ANCHORS, QUESTION

POOL = {"documents": list("ABCDEFGH")}
WHOLE = {"401": {**QUESTION, **ANCHORS, **POOL}}


@pytest.fixture
def rosa(home) -> User:
    rosa = User.objects.create_user("rosa")
    home.shared_with.add(rosa)
    return rosa


@pytest.fixture
def draft(rosa) -> Study:
    return create_study("s", "home", {"title": "A study", "topics": WHOLE}, by=rosa)


def faults(action, *arguments, **named) -> list[Fault]:
    before = TrailEntry.objects.count()
    with pytest.raises(BadStudy) as refusal:
        action(*arguments, **named)
    assert TrailEntry.objects.count() == before
    return refusal.value.faults


def newest() -> TrailEntry:
    return TrailEntry.objects.latest("pk")


# --- making one ---------------------------------------------------------------------------------
def test_who_makes_a_study_owns_it(rosa):
    study = create_study("new", "home", {"title": "A new one"}, by=rosa)
    assert (study.title, study.stage, study.version) == ("A new one", "draft", 0)
    assert study.topics.count() == 2
    assert Membership.objects.get().role == "owner"
    assert (newest().action, newest().by) == ("made", rosa)


def test_neither_on_an_unseen_collection_nor_by_a_taken_name_one_is_made(draft, rosa):
    eve = User.objects.create_user("eve")
    for name, by, where in (("new", eve, "collection"), ("s", rosa, "slug")):
        (fault,) = faults(create_study, name, "home", {"title": "A study"}, by=by)
        assert fault.where == (where,)
    assert Study.objects.get() == draft


def test_a_draft_that_is_replaced_keeps_its_team(draft, rosa):
    otto = User.objects.create_user("otto")
    Membership.objects.create(study=draft, user=otto, role="viewer")
    create_study("s", "home", {"title": "New"}, replace=True)
    team = Membership.objects.values_list("user__username", "role", "study__title")
    assert sorted(team) == [("otto", "viewer", "New"), ("rosa", "owner", "New")]


# --- settings -----------------------------------------------------------------------------------
def test_settings_change_and_the_trail_says_from_what_to_what(draft, rosa):
    study = change_settings("s", {"payment": Decimal("0.5"), "redundancy": 10}, rosa, version=0)
    assert (study.payment, study.version) == (Decimal("0.5"), 1)
    assert newest().details == {"version": 1, "changes": {"payment": ["0.20", "0.5"]}}
    change_settings("s", {"payment": Decimal("0.50")}, rosa)
    assert newest().details["version"] == 1, "the same again is no change"


def test_every_fault_is_reported_at_its_field_and_nothing_is_changed(draft, rosa):
    wrong = faults(
        change_settings, "s", {"payment": -1, "unit_size": "x", "slug": "t", "title": "N"}, rosa
    )
    assert [fault.where for fault in wrong] == [(), ("unit_size",), ("payment",)]
    assert Study.objects.get().title == "A study"


def test_the_second_of_two_editors_sees_what_changed_meanwhile(draft, rosa):
    change_settings("s", {"redundancy": 5, "title": "Hers"}, rosa, version=0)
    change_topic("s", "401", {"question": "Another?"}, None, version=1)
    with pytest.raises(EditConflict) as refusal:
        change_settings("s", {"redundancy": 7}, None, version=0)
    assert str(refusal.value).split("\n")[1:] == [
        "rosa changed settings: redundancy: 10 → 5; title: A study → Hers",
        "A command changed topics",
    ]
    assert [entry.by for entry in refusal.value.entries] == [rosa, None]
    assert change_settings("s", {"redundancy": 7}, None, version=2).redundancy == 7


def test_a_demo_that_is_none_any_more_takes_one_kind_of_workers(draft):
    assert change_settings("s", {"demo": True}, None).crowd == "both"
    study = change_settings("s", {"demo": False, "payment": 1, **GRADED}, None)
    study.refresh_from_db()
    assert (study.crowd, study.payment, study.levels) == ("", 1, GRADED["levels"])


def test_what_a_plan_was_made_of_stays_until_the_plan_is_discarded(draft, rosa):
    plan(draft)
    for name, value in {"redundancy": 3, "unit_size": 5, "pool_by": "order"}.items():
        assert "discard the plan" in faults(change_settings, "s", {name: value}, rosa)[0].what
    refused = faults(change_topic, "s", "401", {"documents": list("ABCDEFG"), "h_k": "C"}, rosa)
    assert {fault.where[-1] for fault in refused} == {"documents", "h_k"}
    assert faults(choose_topics, "s", ["402"], rosa)[0].where == ("topics",)
    assert faults(apply_config, "s", {"title": "t"}, rosa)
    change_settings("s", {"payment": 2}, rosa)
    change_topic("s", "401", {"question": "Another?"}, rosa)
    discard_plan("s", rosa)
    assert newest().details["units"] == 10
    assert not Unit.objects.exists()
    assert not PooledDocument.objects.exists()
    change_settings("s", {"redundancy": 3}, rosa)


def test_anchors_that_were_drawn_go_with_the_plan_and_chosen_ones_stay(home):
    topics = {"401": {**POOL}, "402": {**ANCHORS, **POOL}}
    study = create_study("s", "home", {"title": "t", "topics": topics})
    plan(study)
    assert study.topics.filter(anchors_drawn=True).get().h_k == "A"
    discard_plan("s", None)
    anchors = study.topics.order_by("topic__query_id").values_list("h_k", "n_k", "anchors_drawn")
    assert list(anchors) == [("", "", False), ("A", "B", False)]


def test_once_open_little_may_change_and_the_refusal_says_what_to_do(db):
    study = make_study()
    for close in (False, True):
        if close:
            close_study(study.slug)
        change_settings(study.slug, {"title": f"Closed: {close}", "contact": f"{close}"}, None)
        wrong = faults(change_settings, study.slug, {"redundancy": 9, "consent": "x"}, None)
        assert [fault.where for fault in wrong] == [("consent",), ("redundancy",)]
        assert "clone" in wrong[0].what
        assert "add a batch" in wrong[1].what
        assert "add a batch" in str(faults(change_topic, study.slug, "401", {"h_k": "D"}, None)[0])
        assert faults(discard_plan, study.slug, None)


# --- topics -------------------------------------------------------------------------------------
def test_a_topic_changes_by_the_rules_of_the_study_toml(draft, rosa):
    change_topics("s", {"401": {"h_k": "C", "n_k": "D", "options": []} | {"answer": ""}}, rosa)
    topic = draft.topics.get()
    assert (topic.h_k, topic.options, topic.question) == ("C", [], "Which one?")
    assert newest().details["topics"]["401"]["h_k"] == ["A", "C"]
    wrong = faults(
        change_topics, "s", {"401": {"h_k": "Z", "color": ""}, "499": {"h_k": "A"}}, rosa
    )
    assert [fault.where for fault in wrong] == [("topics", name) for name in ("499", "401", "401")]
    assert faults(change_topic, "s", "401", {"question": "\0"}, rosa)[0].where[-1] == "question"


def test_topics_are_drawn_by_a_seed_until_somebody_chooses_them(draft, rosa):
    wrong = faults(draw_topics, "s", 9, 1, rosa)[0]
    assert (wrong.where, wrong.what.split(";")[0]) == (("number",), "9")
    ids = sorted(draft.collection.topics.values_list("query_id", flat=True))
    for seed in range(4):
        study = draw_topics("s", 1, seed, rosa)
        drawn = random.Random(seed).sample(ids, 1)
        assert [*study.topics.values_list("topic__query_id", flat=True)] == drawn
        assert newest().action == "drew topics"
        assert newest().details == {"number": 1, "seed": seed, "of": len(ids)}
        assert Study.objects.get().topics_seed == seed
    choose_topics("s", ids, rosa)
    assert Study.objects.get().topics_seed is None
    assert draw_topics("s", 2, None, rosa).topics_seed is not None


def test_topics_are_added_and_taken_out_and_the_others_keep_what_is_set(draft, rosa):
    choose_topics("s", ["401", "402"], rosa, version=0)
    assert newest().details == {"version": 1, "added": ["402"], "removed": []}
    assert draft.topics.get(topic__query_id="401").h_k == "A"
    choose_topics("s", ["402"], rosa, version=1)
    assert draft.topics.get().topic.query_id == "402"
    assert faults(choose_topics, "s", [], rosa)
    assert faults(choose_topics, "s", ["402", "499"], rosa) == [
        Fault(("topics",), "499 is not in collection home.")
    ]


# --- study.toml ---------------------------------------------------------------------------------
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=30)
NAME = TEXT.filter(str.strip)
MONEY = st.decimals(0, 99, places=2)


@st.composite
def question(draw):
    options = draw(st.lists(NAME, min_size=4, max_size=4, unique_by=str.strip))
    return {"question": draw(NAME), "options": options, "answer": draw(st.sampled_from(options))}


CONFIGS = st.fixed_dictionaries(
    {
        "title": NAME,
        "topics": st.fixed_dictionaries({"401": question()}, optional={"402": question()}),
    },
    optional={
        "payment": MONEY,
        "platform_fee": st.decimals(0, 2, places=4),
        "minimum_hourly_pay": MONEY,
        "minimum_seconds": st.floats(0, 3_600),
        "redundancy": st.integers(1, 500),
        "max_units_per_worker": st.integers(1, 100),
        "pool_by": st.sampled_from(["rank", "order"]),
        "practice": st.sampled_from(Study.Practice.values),
        "consent": TEXT,
        "contact": TEXT,
        "retention_days": st.integers(0, 999),
        "show_previous_score": st.booleans(),
        "ratios_after_practice": st.booleans(),
        "hints": st.booleans(),
    },
)


@given(config=CONFIGS)
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_study_made_of_its_study_toml_is_the_same(home, config):
    Study.objects.all().delete()
    study = create_study("s", "home", config)
    again = create_study("again", "home", tomllib.loads(toml_of(study), parse_float=Decimal))
    study.refresh_from_db()
    again.refresh_from_db()
    assert config_of(again) == config_of(study)
    names = ("question", "options", "answer", "h_k", "n_k", "pool", "topic")
    assert list(again.topics.values_list(*names)) == list(study.topics.values_list(*names))


def test_a_clone_has_the_same_settings_topics_questions_and_anchors(draft, rosa):
    plan(draft)
    change_settings("s", {"consent": "One\r\nTwo"}, rosa)
    draft.refresh_from_db()
    copy = clone(draft, "copy", "A copy", rosa)
    assert config_of(copy) == config_of(draft) | {"title": "A copy"}
    assert copy.consent == "One\nTwo"
    assert (copy.stage, copy.units.count(), copy.memberships.get().user) == ("draft", 0, rosa)


def test_a_draft_takes_a_study_toml_in_the_place_of_what_was_set(draft, rosa):
    change_settings("s", {"payment": 3, "contact": "me"}, rosa)
    apply_config("s", {"title": "New", "redundancy": 2, "topics": {"402": ANCHORS}}, rosa, 1)
    study = Study.objects.get()
    assert (study.title, study.redundancy, study.payment) == ("New", 2, Decimal("0.20"))
    assert (study.contact, study.topics.get().h_k, study.version) == ("", "A", 2)
    assert study.memberships.get().user == rosa
    faults(apply_config, "s", {"title": "", "topics": {"499": {}}}, rosa)
    assert Study.objects.get().title == "New"


# --- what is missing ----------------------------------------------------------------------------
def test_what_is_missing_names_the_step_where_it_is_mended(home):
    study = create_study("s", "home", {"title": "t", "topics": {"401": {}, "402": QUESTION}})
    steps = [(lack.query_id, lack.step) for lack in missing(study)]
    lacks = [Step.ANCHORS, Step.QUESTIONS, Step.PLAN, Step.ANCHORS, Step.PLAN]
    assert [step for _, step in steps] == lacks
    assert [query_id for query_id, _ in steps] == ["401"] * 3 + ["402"] * 2


def test_more_topics_take_no_more_queries(db, django_assert_num_queries):
    for study in [make_study(topics=topics, opened=False) for topics in (1, 3)]:
        with django_assert_num_queries(6):
            assert missing(study) == []
