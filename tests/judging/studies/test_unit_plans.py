"""From runs to a pool, from a pool to units."""

import re
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from judging.collections import vocabulary
from judging.collections.cleaning import MAX_LENGTH
from judging.collections.importing import import_collection
from judging.models import (
    Document,
    Label,
    LabelSet,
    PooledDocument,
    Study,
    StudyTopic,
    Topic,
    Unit,
    UnitDocument,
)
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import create_study
from judging.studies.unit_plans import CannotPlan, plan
from tests.factory import make_study


@pytest.fixture
def study(db) -> Study:
    return make_study()


def sets_of(study: Study, query_id: str = "401") -> list[frozenset[str]]:
    """The documents of each unit of a topic."""
    rows = UnitDocument.objects.filter(
        unit__study=study, unit__study_topic__topic__query_id=query_id
    )
    units: dict[int, set[str]] = {}
    for number, doc_id in rows.values_list("unit__number", "document__doc_id"):
        units.setdefault(number, set()).add(doc_id)
    return [frozenset(units[number]) for number in sorted(units)]


def pool_of(study: Study, query_id: str = "401") -> dict[str, str]:
    rows = PooledDocument.objects.filter(study_topic__study=study)
    return dict(rows.filter(study_topic__topic__query_id=query_id).values_list("doc_id", "role"))


# --- units --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("documents", "redundancy", "unit_size", "units"),
    [(14, 2, 8, 4), (14, 3, 8, 6), (15, 10, 8, 22), (8, 1, 8, 1), (9, 1, 8, 2), (10, 2, 3, 16)],
)
def test_as_many_units_as_the_formula_says(db, documents, redundancy, unit_size, units):
    study = make_study(documents=documents, redundancy=redundancy, unit_size=unit_size)
    rows = study.units.order_by("number").values_list("number", "free")
    assert list(rows) == [(number, True) for number in range(1, units + 1)]
    sets = sets_of(study)
    assert len(sets) == units
    assert all(len(each) == unit_size for each in sets)
    assert all({"D401-003", "D401-000"} <= each for each in sets)
    uses = Counter(doc_id for each in sets for doc_id in each - {"D401-003", "D401-000"})
    assert len(uses) == documents - 2
    assert min(uses.values()) >= redundancy
    assert max(uses.values()) - min(uses.values()) <= 1


def test_documents_that_cannot_be_shown_whole_are_named(db):
    study = make_study(opened=False)
    Document.objects.filter(doc_id="D401-005").update(text="word " * (MAX_LENGTH // 5 + 1))
    assert plan(study).warnings == [
        "Topic 401: workers would be shown the first 500,000 characters alone of D401-005."
    ]


def test_roles_and_texts_of_the_pool(study):
    pooled = PooledDocument.objects.filter(study_topic__study=study)
    assert Counter(pooled.values_list("role", flat=True)) == {"h_k": 1, "n_k": 1, "other": 12}
    assert pooled.get(role="h_k").doc_id == "D401-003"
    assert all(p.document.doc_id == p.doc_id for p in pooled)
    codes = vocabulary.read(Topic.objects.get())
    assert all(codes[p.code] == p.doc_id for p in pooled)


def test_the_seed_draws_the_same_plan_again(db):
    study = make_study(topics=2, documents=30, opened=False)
    first = sets_of(study), sets_of(study, "402")
    plan(study, seed=2)
    assert sets_of(study) != first[0]
    made = plan(study, seed=1)
    assert (made.seed, Study.objects.get().plan_seed) == (1, 1)
    assert (sets_of(study), sets_of(study, "402")) == first


def test_a_topics_draw_does_not_depend_on_the_others(db):
    alone, among = (
        make_study(documents=30, topics=1, opened=False),
        make_study(documents=30, topics=3, opened=False),
    )
    plan(alone, seed=7)
    plan(among, seed=7)
    assert sets_of(alone) == sets_of(among)
    others = [{d[5:] for d in s} for s in sets_of(among, "402")]
    assert others != [{d[5:] for d in s} for s in sets_of(among)]


def test_planning_again_replaces_everything_by_a_fresh_seed_that_is_recorded(db):
    study = make_study(opened=False)
    made = [plan(study) for _ in range(3)]
    assert {(each.units, each.documents, each.largest_topic) for each in made} == {(4, 14, 4)}
    assert (Unit.objects.count(), PooledDocument.objects.count()) == (4, 14)
    assert len({each.seed for each in made}) == 3
    assert Study.objects.get().plan_seed == made[-1].seed


def test_the_largest_topic_tells_the_workers_needed(db):
    study = make_study(topics=2, opened=False)
    StudyTopic.objects.filter(topic__query_id="402").update(pool=[f"D402-{n:03}" for n in range(8)])
    made = plan(study)
    assert (made.units, made.largest_topic) == (6, 4)


@pytest.mark.parametrize("stage", ["open", "closed"])
def test_pool_and_units_are_frozen_once_it_opens(study, stage):
    if stage == "closed":
        close_study(study.slug)
    before = sets_of(study)
    with pytest.raises(CannotPlan, match=f"is {stage}: its pool and units are frozen"):
        plan(study)
    assert sets_of(study) == before


# --- pools from runs ----------------------------------------------------------------------------


@pytest.fixture
def imported(db, files) -> str:
    """A collection with two runs: depth 3 of `one` is A B C, of `zero` D E F G (zero-based)."""
    import_collection(
        "home",
        topics=[files.topics("401")],
        runs=[files.run("one", *"ABCDEX"), files.run("zero", *"DEFGHA", first=0)],
        qrels={"reference": [files.qrels("401 0 A 1\n401 0 B 0\n401 0 F 2\n401 0 L 3\n")]},
    )
    return "home"


def draft(home: str, topic: dict | None = None, **settings) -> Study:
    given = {} if topic is None else {"topics": {"401": topic}}
    small = {"title": "t", "unit_size": 3, "redundancy": 1}
    return create_study("s", home, {**small, **settings, **given})


def anchors_of(study: Study, **how: object) -> tuple[str, str]:
    """Those of its topic, once it is planned."""
    plan(study, **how)
    return StudyTopic.objects.values_list("h_k", "n_k").get()


BY_HAND = {"h_k": "A", "n_k": "B"}


@pytest.mark.parametrize(
    ("depth", "by", "pool"),
    [
        (1, "rank", "ABDE"),  # ranks 0 and 1 of the zero-based run
        (3, "rank", "ABCDEFG"),
        (1, "order", "ABD"),
        (3, "order", "ABCDEF"),
        (100, "order", "ABCDEFGHX"),
        (100, "rank", "ABCDEFGHX"),
        (None, "order", "ABDE"),  # the study's own depth
    ],
)
def test_the_pool_is_the_union_of_the_runs_first_documents(imported, depth, by, pool):
    study = draft(imported, BY_HAND, pool_depth=2)
    plan(study, pool_by=by, **({"depth": depth} if depth else {}))
    assert sorted(pool_of(study)) == sorted(pool)
    study.refresh_from_db()
    assert (study.pool_depth, study.pool_by) == (depth or 2, by)


def test_order_is_that_of_evaluation_not_of_the_rank_field(db, files):
    run = files.write("run", "401 Q0 A 1 5 r\n401 Q0 B 2 9 r\n401 Q0 C 3 9 r\n401 Q0 D 4 1 r\n")
    import_collection("home", topics=[files.topics("401")], runs=[run])
    study = draft("home", {"h_k": "D", "n_k": "A"})
    plan(study, depth=1, pool_by="order")
    assert sorted(pool_of(study)) == ["A", "C", "D"]  # ties: the later id first


def test_an_explicit_list_takes_the_place_of_the_pool(imported):
    study = draft(imported, {**BY_HAND, "documents": ["X", "F", "X"]})
    plan(study, depth=1)
    assert pool_of(study) == {"A": "h_k", "B": "n_k", "F": "other", "X": "other"}


def test_an_anchor_outside_the_pool_is_added_to_it_and_no_code_changes(imported):
    before = vocabulary.read(Topic.objects.get())
    study = draft(imported, {"h_k": "L", "n_k": "X"})  # L: in no run, only labelled
    for _ in range(2):
        made = plan(study, depth=1)
        assert (pool_of(study)["L"], pool_of(study)["X"]) == ("h_k", "n_k")
        assert [line[:36] for line in made.warnings] == ["The pools hold every run to rank 1, "]
        codes = vocabulary.read(Topic.objects.get())
        assert codes == [*before, "L"]
        assert codes[PooledDocument.objects.get(doc_id="L").code] == "L"


# --- anchors ------------------------------------------------------------------------------------
def test_anchors_are_drawn_from_the_labels_in_the_pool_anew_with_each_plan(imported):
    study = draft(imported)
    assert anchors_of(study, depth=3) == ("F", "B")  # not L: outside
    assert StudyTopic.objects.get().anchors_drawn
    assert anchors_of(study, depth=2, pool_by="order")[0] == "A"  # F is no longer in the pool


def test_drawn_anchors_vary_with_the_seed_and_only_with_it(db):
    study = make_study(documents=40, opened=False)
    StudyTopic.objects.update(h_k="", n_k="")
    found = [anchors_of(study, seed=seed) for seed in (*range(10), *range(10))]
    assert found[:10] == found[10:]
    assert len(set(found)) > 5
    levels = dict(Label.objects.values_list("doc_id", "level"))
    assert {(levels[h_k], levels[n_k]) for h_k, n_k in found} == {(3, 0)}


def test_the_studys_label_set_counts(imported):
    topic = Topic.objects.get()
    other = LabelSet.objects.create(collection=topic.collection, name="students")
    for doc_id, level in (("C", 1), ("A", 0)):
        Label.objects.create(label_set=other, topic=topic, doc_id=doc_id, level=level)
    assert anchors_of(draft(imported, labels="students"), depth=3) == ("C", "A")


@pytest.mark.parametrize(
    ("keep", "missing"),
    [
        ({"level__gt": 0}, "irrelevant"),
        ({"level__lte": 0}, "relevant"),
        ({"level": 9}, ""),
    ],
)
def test_a_topic_without_both_kinds_of_labels_is_refused_by_name(imported, keep, missing):
    Label.objects.exclude(**keep).delete()
    said = rf"Topic 401 has no document labelled .*{missing}"
    if missing == "irrelevant":
        said += r"(.|\n)*Or set unlabelled_n_k = true, to have irrelevant anchors drawn from"
    with pytest.raises(CannotPlan, match=said):
        plan(draft(imported), depth=3)
    assert not Unit.objects.exists()


@pytest.fixture
def only_relevant(imported):
    """A collection whose labels call nothing irrelevant."""
    Label.objects.filter(level=0).delete()
    return imported


def test_n_k_may_be_a_retrieved_document_without_a_label(only_relevant):
    """Below the pool there are H and X alone; L has a label, and no run has it."""
    study = draft(only_relevant, unlabelled_n_k=True)
    chosen = set()
    for seed in range(10):
        made = plan(study, depth=3, seed=seed)
        topic = StudyTopic.objects.get()
        assert topic.h_k == "F"
        assert made.warnings[:1] == [
            f"Topic 401: the irrelevant anchor {topic.n_k} has no label. Somebody must read it, "
            "and find that it is not relevant, before the study opens."
        ]
        chosen.add(topic.n_k)
    assert chosen == {"H", "X"}
    assert pool_of(study)[topic.n_k] == "n_k"


def test_n_k_without_a_label_has_a_text_where_one_is_there(only_relevant):
    home = Topic.objects.get().collection
    Document.objects.create(collection=home, doc_id="X", text="t", words=1, cleaner=1)
    study = draft(only_relevant, unlabelled_n_k=True)
    assert {anchors_of(study, depth=3, seed=seed)[1] for seed in range(5)} == {"X"}


def test_where_all_is_pooled_n_k_without_a_label_is_of_the_pool(only_relevant):
    assert anchors_of(draft(only_relevant, unlabelled_n_k=True), depth=100)[1] in "BCDEGHX"


def test_irrelevant_labels_come_before_documents_without_a_label(imported):
    made = plan(draft(imported, unlabelled_n_k=True), depth=3)
    assert StudyTopic.objects.get().n_k == "B"
    assert [line[:36] for line in made.warnings] == ["The pools hold every run to rank 3, "]


def test_a_label_of_zero_everywhere_makes_no_document_relevant(imported):
    Label.objects.update(level=0)
    with pytest.raises(CannotPlan, match="no document labelled relevant"):
        plan(draft(imported), depth=3)


def test_anchors_by_hand_that_contradict_their_labels_give_a_warning(imported):
    study = draft(imported, {"h_k": "B", "n_k": "F"})
    made = plan(study)
    assert made.warnings == [
        "Topic 401: the relevant anchor B is labelled 0, not relevant.",
        "Topic 401: the irrelevant anchor F is labelled 2, relevant.",
    ]
    assert pool_of(study)["B"] == "h_k"


def test_anchors_by_hand_without_labels_give_none(imported):
    assert plan(draft(imported, {"h_k": "C", "n_k": "D"})).warnings == []


def test_a_pool_too_small_for_a_unit_is_refused_by_name(imported):
    with pytest.raises(CannotPlan, match=r"Topic 401 has 9 documents .* a unit holds 10"):
        plan(draft(imported, BY_HAND, unit_size=10), depth=100)


def test_all_topics_at_fault_are_named_at_once(db):
    study = make_study(topics=3, opened=False)
    before = sets_of(study)
    StudyTopic.objects.filter(topic__query_id="401").update(h_k="", n_k="")
    Label.objects.filter(topic__query_id="401").delete()
    StudyTopic.objects.filter(topic__query_id="403").update(pool=["D403-001"])
    with pytest.raises(CannotPlan, match=r"(?s)Topic 401 .*\nTopic 403 ") as refusal:
        plan(study)
    assert "402" not in str(refusal.value)
    assert sets_of(study) == before  # and nothing was changed


def test_a_study_without_topics(db):
    study = make_study(opened=False)
    study.topics.all().delete()
    with pytest.raises(CannotPlan, match="has no topics"):
        plan(study)


def test_documents_may_lack_texts_until_the_study_opens(imported):
    study = draft(imported, BY_HAND)
    plan(study, depth=1)
    assert set(PooledDocument.objects.values_list("document", flat=True)) == {None}
    home = Topic.objects.get().collection
    for doc_id in "ABDE":
        Document.objects.create(collection=home, doc_id=doc_id, text="t", words=1, cleaner=1)
    StudyTopic.objects.update(question="q", options=["a", "b", "c", "d"], answer="a")
    open_study("s")
    assert not PooledDocument.objects.filter(document=None).exists()


@pytest.mark.parametrize("query_id", ["401", "PLAIN-2", "é", "1" * 100, "0401"])
def test_topics_may_have_any_number(db, query_id):
    study = make_study(opened=False)
    Topic.objects.update(query_id=query_id)
    assert plan(study, seed=1).units == 4


# --- the command --------------------------------------------------------------------------------
def test_the_command_prints_units_and_workers_and_warnings_apart(db, capsys):
    study = make_study(topics=2, opened=False)
    call_command("plan_units", study.slug, "--seed", "5")
    said = capsys.readouterr()
    assert re.search(r"28 documents, 8 units, at least 4 workers .*; seed 5", said.out)
    assert said.err == ""
    StudyTopic.objects.filter(topic__query_id="401").update(h_k="D401-004")
    call_command("plan_units", study.slug)
    said = capsys.readouterr()
    assert "the relevant anchor D401-004 is labelled 0" in said.err
    assert "warning" not in said.out


@pytest.mark.parametrize(
    "options",
    [
        *("--seed -1", f"--seed {2**63}", "--seed many", "--pool-depth 0"),
        *(f"--pool-depth {2**31}", "--pool-by luck"),
    ],
)
def test_the_command_refuses(db, options):
    study = make_study(opened=False)
    with pytest.raises(CommandError):
        call_command("plan_units", study.slug, *options.split())
    with pytest.raises(CommandError):
        call_command("plan_units", "nowhere")
    assert Study.objects.get().plan_seed == 1


def test_the_command_changes_nothing_where_it_fails(study):
    with pytest.raises(CommandError, match=r"frozen.*\nNothing was planned."):
        call_command("plan_units", study.slug)
