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
from judging.studies.conduct.opening import close_study, open_study
from judging.studies.configuration.settings import create_study
from judging.studies.unit_plans import CannotPlan, plan
from tests.factory import make_study


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


def test_units_are_numbered_and_free(study):
    units = Unit.objects.filter(study=study).order_by("number")
    assert [(u.number, u.free) for u in units] == [(n, True) for n in (1, 2, 3, 4)]


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


def test_without_a_seed_a_fresh_one_that_is_recorded(db):
    study = make_study(opened=False)
    seeds = {plan(study).seed, plan(study).seed}
    assert len(seeds) == 2
    assert Study.objects.get().plan_seed in seeds


def test_planning_again_replaces_everything(db):
    study = make_study(opened=False)
    for _ in range(3):
        made = plan(study)
        assert (made.units, made.documents, made.largest_topic) == (4, 14, 4)
    assert (Unit.objects.count(), PooledDocument.objects.count()) == (4, 14)


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
TOPICS = "<top>\n<num> Number: {0}\n<title> topic {0}\n</top>\n"


@pytest.fixture
def imported(db, tmp_path):
    """A collection with two runs: depth 3 of `one` is A B C, of `zero` D E F G (zero-based)."""
    files = {
        "topics": TOPICS.format("401"),
        "one.run": run("one", ["A", "B", "C", "D", "E", "X"], first=1),
        "zero.run": run("zero", ["D", "E", "F", "G", "H", "A"], first=0),
        "qrels": "401 0 A 1\n401 0 B 0\n401 0 F 2\n401 0 L 3\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    import_collection(
        "home",
        topics=[tmp_path / "topics"],
        runs=[tmp_path / "one.run", tmp_path / "zero.run"],
        qrels={"reference": [tmp_path / "qrels"]},
    )
    return "home"


def run(tag: str, ids: list[str], first: int) -> str:
    """Scores fall while rank fields rise."""
    lines = [f"401 Q0 {d} {first + n} {100 - n} {tag}" for n, d in enumerate(ids)]
    return "\n".join(lines) + "\n"


def draft(home: str, topic: dict | None = None, **settings) -> Study:
    given = {"topics": {"401": topic}} if topic is not None else {}
    return create_study(
        "s", home, {"title": "t", "unit_size": 3, "redundancy": 1, **settings, **given}
    )


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
    ],
)
def test_the_pool_is_the_union_of_the_runs_first_documents(imported, depth, by, pool):
    study = draft(imported, BY_HAND)
    plan(study, depth=depth, pool_by=by)
    assert sorted(pool_of(study)) == sorted(pool)
    assert Study.objects.get().pool_depth == depth
    assert Study.objects.get().pool_by == by


def test_order_is_that_of_evaluation_not_of_the_rank_field(db, tmp_path):
    (tmp_path / "topics").write_text(TOPICS.format("401"))
    (tmp_path / "run").write_text(
        "401 Q0 A 1 5 r\n401 Q0 B 2 9 r\n401 Q0 C 3 9 r\n401 Q0 D 4 1 r\n"
    )
    import_collection("home", topics=[tmp_path / "topics"], runs=[tmp_path / "run"])
    study = draft("home", {"h_k": "D", "n_k": "A"})
    plan(study, depth=1, pool_by="order")
    assert sorted(pool_of(study)) == ["A", "C", "D"]  # ties: the later id first


def test_the_studys_own_depth(imported):
    study = draft(imported, BY_HAND, pool_depth=2)
    plan(study, pool_by="order")
    assert sorted(pool_of(study)) == ["A", "B", "D", "E"]


def test_an_explicit_list_takes_the_place_of_the_pool(imported):
    study = draft(imported, {**BY_HAND, "documents": ["X", "F", "X"]})
    plan(study, depth=1)
    assert pool_of(study) == {"A": "h_k", "B": "n_k", "F": "other", "X": "other"}


def test_an_anchor_outside_the_pool_is_added_to_it(imported):
    study = draft(imported, {"h_k": "L", "n_k": "X"})  # L: in no run, only labelled
    made = plan(study, depth=1)
    assert pool_of(study)["L"] == "h_k"
    assert pool_of(study)["X"] == "n_k"
    assert [line[:36] for line in made.warnings] == ["The pools hold every run to rank 1, "]
    pooled = PooledDocument.objects.get(doc_id="L")
    assert vocabulary.read(Topic.objects.get())[pooled.code] == "L"


def test_codes_of_documents_never_change(imported):
    before = vocabulary.read(Topic.objects.get())
    study = draft(imported, {"h_k": "L", "n_k": "X"})
    plan(study)
    plan(study)
    assert vocabulary.read(Topic.objects.get()) == [*before, "L"]


# --- anchors ------------------------------------------------------------------------------------
def test_anchors_are_drawn_from_the_labels_in_the_pool(imported):
    study = draft(imported)
    plan(study, depth=3)
    topic = StudyTopic.objects.get()
    assert (topic.h_k, topic.n_k, topic.anchors_drawn) == ("F", "B", True)  # not L: outside


def test_drawn_anchors_are_drawn_anew_with_the_next_plan(imported):
    study = draft(imported)
    plan(study, depth=3)
    plan(study, depth=2, pool_by="order")
    assert StudyTopic.objects.get().h_k == "A"  # F is no longer in the pool


def test_drawn_anchors_vary_with_the_seed_and_only_with_it(db):
    study = make_study(documents=40, opened=False)
    StudyTopic.objects.update(h_k="", n_k="")
    found = []
    for seed in (*range(10), *range(10)):
        plan(study, seed=seed)
        found.append((StudyTopic.objects.get().h_k, StudyTopic.objects.get().n_k))
    assert found[:10] == found[10:]
    assert len(set(found)) > 5
    levels = dict(Label.objects.values_list("doc_id", "level"))
    assert {(levels[h_k], levels[n_k]) for h_k, n_k in found} == {(3, 0)}


def test_the_studys_label_set_counts(imported):
    other = LabelSet.objects.create(collection=Topic.objects.get().collection, name="students")
    for doc_id, level in (("C", 1), ("A", 0)):
        Label.objects.create(label_set=other, topic=Topic.objects.get(), doc_id=doc_id, level=level)
    study = draft(imported, labels="students")
    plan(study, depth=3)
    assert (StudyTopic.objects.get().h_k, StudyTopic.objects.get().n_k) == ("C", "A")


@pytest.mark.parametrize(
    ("keep", "missing"),
    [({"level__gt": 0}, "irrelevant"), ({"level__lte": 0}, "relevant"), ({}, "")],
)
def test_a_topic_without_both_kinds_of_labels_is_refused_by_name(imported, keep, missing):
    labels = Label.objects.all()
    (labels.exclude(**keep) if keep else labels).delete()
    with pytest.raises(CannotPlan, match=f"Topic 401 has no document labelled .*{missing}"):
        plan(draft(imported), depth=3)
    assert not Unit.objects.exists()


@pytest.fixture
def only_relevant(imported):
    """A collection whose labels call nothing irrelevant."""
    Label.objects.filter(level=0).delete()
    return imported


def test_without_irrelevant_labels_the_error_says_how_to_go_on(only_relevant):
    with pytest.raises(CannotPlan, match=r"Or set unlabelled_n_k = true, to have N_k drawn from"):
        plan(draft(only_relevant), depth=3)


def test_n_k_may_be_a_retrieved_document_without_a_label(only_relevant):
    """Below the pool there are H and X alone; L has a label, and no run has it."""
    study = draft(only_relevant, unlabelled_n_k=True)
    chosen = set()
    for seed in range(10):
        made = plan(study, depth=3, seed=seed)
        topic = StudyTopic.objects.get()
        assert topic.h_k == "F"
        assert made.warnings[:1] == [
            f"Topic 401: N_k {topic.n_k} has no label. Somebody must read it, and find that it is "
            "not relevant, before the study opens."
        ]
        chosen.add(topic.n_k)
    assert chosen == {"H", "X"}
    assert pool_of(study)[topic.n_k] == "n_k"


def test_n_k_without_a_label_has_a_text_where_one_is_there(only_relevant):
    home = Topic.objects.get().collection
    Document.objects.create(collection=home, doc_id="X", text="t", words=1, cleaner=1)
    study = draft(only_relevant, unlabelled_n_k=True)
    for seed in range(5):
        plan(study, depth=3, seed=seed)
        assert StudyTopic.objects.get().n_k == "X"


def test_where_all_is_pooled_n_k_without_a_label_is_of_the_pool(only_relevant):
    study = draft(only_relevant, unlabelled_n_k=True)
    plan(study, depth=100)
    assert StudyTopic.objects.get().n_k in set("BCDEGHX")


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
        "Topic 401: H_k B is labelled 0, not relevant.",
        "Topic 401: N_k F is labelled 2, relevant.",
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
def test_the_command_prints_units_and_workers(db, capsys):
    study = make_study(topics=2, opened=False)
    call_command("plan_units", study.slug, "--seed", "5")
    said = capsys.readouterr()
    assert re.search(r"28 documents, 8 units, at least 4 workers .*; seed 5", said.out)
    assert said.err == ""


def test_the_command_prints_warnings_apart(db, capsys):
    study = make_study(opened=False)
    StudyTopic.objects.update(h_k="D401-004")
    call_command("plan_units", study.slug)
    said = capsys.readouterr()
    assert "H_k D401-004 is labelled 0" in said.err
    assert "warning" not in said.out


@pytest.mark.parametrize(
    "options",
    [
        ["nowhere"],
        ["SLUG", "--seed", "-1"],
        ["SLUG", "--seed", str(2**63)],
        ["SLUG", "--pool-depth", "0"],
        ["SLUG", "--pool-depth", str(2**31)],
        ["SLUG", "--pool-by", "luck"],
        ["SLUG", "--seed", "many"],
    ],
)
def test_the_command_refuses(db, options):
    study = make_study(opened=False)
    with pytest.raises(CommandError):
        call_command("plan_units", *(o.replace("SLUG", study.slug) for o in options))
    assert Study.objects.get().plan_seed == 1


def test_the_command_changes_nothing_where_it_fails(study):
    with pytest.raises(CommandError, match=r"frozen.*\nNothing was planned."):
        call_command("plan_units", study.slug)
