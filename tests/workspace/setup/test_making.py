"""Making a study in a browser: every step saves, says what is wrong, and loses nothing."""

import re
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from judging.departures import departures
from judging.models import Collection, Membership, Study, StudyTopic
from judging.pages.default_texts import NAMES
from judging.studies.configuration.changing import change_settings, change_topic
from judging.studies.configuration.cloning import config_of
from judging.studies.plan_jobs import make_plans
from tests.cast import ada
from tests.desks import words
from tests.factory import GRADED, OPTIONS, make_study
from workspace.setup.forms import NewStudy, Percent

HK_NK = ("h_k", "n_k")
FOR_PEOPLE = {"contact": "Rosa", "consent": "Rosa asks.", "ethics_exemption": "no personal data"}


@pytest.fixture
def study(rosa):
    """A draft of two topics, with a plan and everything that opening wants."""
    study = make_study(topics=2, opened=False, payment=3, **FOR_PEOPLE)
    study.memberships.create(user=rosa, role="owner")
    return Study.objects.get(pk=study.pk)  # planned since


@pytest.fixture
def unplanned(study):
    study.units.all().delete()
    return study


def at(study: Study, path: str = "") -> str:
    return f"/studies/{study.slug}/set-up/{path}"


def typed(client: Client, address: str) -> dict:
    """What the form of a page holds, as a browser would send it."""
    form = client.get(address).context["form"]
    bound = ((field.name, field.value()) for field in form)
    return {name: value for name, value in bound if value not in (None, "", False)}


def open_it(desk: Client, study: Study):
    page = desk.get(at(study)).context
    ticks = [doubt.key for doubt, *_ in page["doubts"]]
    return desk.post(at(study, "open/"), {"confirm": page["terms"].digest, "read": ticks})


def upload(name: str, content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode())


@pytest.mark.parametrize("typed", ["20%", "20", " 20.0 % "])
def test_a_share_is_written_in_percent(typed):
    assert Percent().clean(typed) == Decimal("0.2")
    shown = [Percent().prepare_value(Decimal(share)) for share in ("0.2000", "1", "0", "0.3333")]
    assert shown == ["20%", "100%", "0%", "33.33%"]
    for wrong in ("0.20", "much", "33.333%"):
        with pytest.raises(ValidationError):
            Percent().clean(wrong)


# --- making one ---------------------------------------------------------------------------------
def test_from_a_collection_to_an_open_study(desk, rosa, unplanned):
    """The whole way, with nothing but forms."""
    home = unplanned.collection
    home.owner = rosa
    home.save()
    made = {"title": "Mine", "collection": home.slug}  # its name is made of the title
    assert desk.post("/new-study/", made).url == "/studies/mine/set-up/topics/"
    study = Study.objects.get(slug="mine")
    chosen = {"topic": ["401", "402"], "version": 0}
    assert desk.post(at(study, "topics/"), chosen).url == at(study, "pool/")
    for number in ("401", "402"):
        ids = "\n".join(f"D{number}-{n:03}" for n in range(10))
        desk.post(at(study, f"pool/{number}/"), {"documents": ids, "version": study.version + 9})
        version = Study.objects.get(slug="mine").version
        desk.post(at(study, f"pool/{number}/"), {"documents": ids, "version": version})
    desk.post(at(study, "take-anchors/"))
    assert set(study.topics.values_list("h_k", "n_k")) == {
        ("D401-003", "D401-000"),
        ("D402-003", "D402-000"),
    }
    version = Study.objects.get(slug="mine").version
    head = "query_id,question,option_1,option_2,option_3,option_4,answer,h_k,n_k\n"
    table = head + "".join(f"{number},Which?,a,b,c,d,b,,\n" for number in ("401", "402"))
    sent = {"file": upload("q.csv", table), "version": version}
    assert desk.post(at(study, "questions/"), sent).url == at(study, "questions/")
    page = desk.get(at(study))
    assert "Units are not planned yet for 2 topics." in words(page)
    assert "Anchors are to be chosen or read on 2 topics." in words(page)
    assert "No text says what workers agree to" in words(page)
    for query_id in ("401", "402"):
        assert f"Topic {query_id}: nobody has read the anchors" in words(page)
        address = at(study, f"anchors/{query_id}/")
        sent = typed(desk, address) | {name: desk.get(address).context[name] for name in HK_NK}
        assert desk.post(address, sent).status_code == 302
    change_settings("mine", {**FOR_PEOPLE, "payment": 3}, rosa)
    desk.post(at(study, "plan-units/"))
    make_plans()
    assert "Everything is there" in words(desk.get(at(study)))
    open_it(desk, study)
    study.refresh_from_db()
    assert (study.stage, study.units.count()) == ("open", 2 * 14)
    assert list(study.trail.filter(by=rosa).values_list("action", flat=True).order_by("pk")) == [
        *("made", "changed topics", "changed topics", "changed topics", "changed topics"),
        *("changed topics", "changed topics", "changed settings", "planned", "opened"),
    ]
    assert ada(study).begin() is None, "workers can come"


def test_a_name_made_of_a_long_title_ends_with_a_word(db):
    title = "How well do abstracts on aerodynamics answer a question?"
    form = NewStudy({"title": title}, collections=Collection.objects.none())
    form.is_valid()
    assert form.cleaned_data["slug"] == "how-well-do-abstracts-on-aerodynamics-answer-a"


def test_a_study_from_its_study_toml(desk, rosa, unplanned):
    Membership.objects.filter(user=rosa).update(role="viewer")
    toml = desk.get(at(unplanned, "study.toml"))
    assert toml["Content-Disposition"] == f'attachment; filename="{unplanned.slug}.toml"'
    sent = {"title": "Again", "slug": "again", "collection": unplanned.collection.slug}
    response = desk.post("/new-study/", {**sent, "file": upload("s.toml", toml.content.decode())})
    assert response.status_code == 302
    again = Study.objects.get(slug="again")
    assert config_of(again) == config_of(unplanned) | {"title": "Again"}
    version = again.version
    sent = {"file": upload("s.toml", "title = 'Once more'\nredundancy = 3"), "version": version}
    assert desk.post(at(again, "file/"), sent).status_code == 302
    again.refresh_from_db()
    assert (again.title, again.redundancy) == ("Once more", 3)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("title = ", "expected TOML in UTF-8"),
        ("title = 'x'\ncolour = 1", "Unknown setting colour"),
        ("title = 'x'\n[topics.999]", "Topic 999: not in collection"),
        ("title = 'x'\nredundancy = 0", "redundancy: "),
    ],
)
def test_a_file_that_is_wrong_makes_nothing_and_what_was_typed_stays(desk, study, file, said):
    sent = {"title": "Kept", "slug": "new", "collection": study.collection.slug}
    page = desk.post("/new-study/", {**sent, "file": upload("s.toml", file)})
    assert said in page.content.decode()
    assert page.context["form"]["title"].value() == "Kept"
    assert Study.objects.count() == 1


def test_what_an_open_study_asks_is_shown_and_not_to_be_changed(desk, study):
    Study.objects.update(stage="open", opened_at=study.created_at)
    for step, following in (("pool/", "anchors/"), ("anchors/", "questions/")):
        page = desk.get(at(study, step)).content.decode()
        assert f'<a class="button" href="{at(study, following)}">Continue</a>' in page
        assert "Save and continue" not in page
    assert "Save and continue" in desk.get(at(study, "settings/")).content.decode()  # its title
    topic = study.topics.select_related("topic").first()
    StudyTopic.objects.filter(pk=topic.pk).update(pool=["D-by-hand"])
    page = words(desk.get(at(study, f"questions/{topic.topic.query_id}/")))
    assert f"{topic.answer} right" in page
    assert all(option in page for option in topic.options)
    response = desk.get(at(study, f"pool/{topic.topic.query_id}/"))
    assert "D-by-hand" in words(response)
    assert "<textarea" not in response.content.decode()


def test_a_name_that_is_taken_and_a_collection_that_is_not_ones_own(desk, study):
    other = make_study().collection
    sent = {"title": "T", "slug": study.slug, "collection": study.collection.slug}
    assert "There is a study" in str(desk.post("/new-study/", sent).context["form"].errors["slug"])
    sent |= {"slug": "new", "collection": other.slug}
    assert "collection" in desk.post("/new-study/", sent).context["form"].errors
    assert other.slug not in desk.get("/new-study/").content.decode()


# --- settings -----------------------------------------------------------------------------------
def test_one_button_sets_all_as_in_the_paper(desk, unplanned):
    page = desk.get(at(unplanned, "settings/"))
    assert f"in {len(departures(unplanned))} settings:" in words(page)
    sent = desk.post(at(unplanned, "as-in-paper/"), follow=True)
    assert "Set as in the paper." in words(sent)
    assert "As in the paper</button>" not in sent.content.decode()
    study = Study.objects.get()
    assert departures(study) == []
    assert (study.title, study.payment) == (unplanned.title, unplanned.payment)
    Study.objects.update(platform="connect")
    assert "asks for: failed Finishes" in words(desk.post(at(study, "as-in-paper/"), follow=True))


def test_a_plan_keeps_what_it_was_made_of_from_the_paper_too(desk, study):
    page = desk.post(at(study, "as-in-paper/"), follow=True)
    assert "redundancy: the plan was made of it: discard the plan first" in words(page)
    assert departures(Study.objects.get()) == departures(study)


def test_a_page_of_settings_saved_as_it_is_changes_nothing(desk, unplanned):
    for step in ("settings", "consent", "anchors"):
        sent = typed(desk, at(unplanned, f"{step}/"))
        assert desk.post(at(unplanned, f"{step}/"), sent).status_code == 302
    assert Study.objects.get().version == unplanned.version
    desk.post(at(unplanned, "pool/"), typed(desk, at(unplanned, "pool/")))
    assert Study.objects.get().pool_by == "rank"


def test_what_is_wrong_is_said_beside_the_field_and_what_was_typed_stays(desk, unplanned):
    address = at(unplanned, "settings/")
    sent = typed(desk, address) | {"unit_size": "2", "payment": "a lot", "redundancy": "7"}
    page = desk.post(address, sent)
    form = page.context["form"]
    assert set(form.errors) == {"unit_size", "payment"}
    assert (form["payment"].value(), form["redundancy"].value()) == ("a lot", "7")
    assert '<a href="#id_payment">' in page.content.decode()
    unplanned.refresh_from_db()
    assert unplanned.redundancy == 2


def test_graded_scales_have_their_levels_one_a_line(desk, unplanned):
    address = at(unplanned, "settings/")
    sent = typed(desk, address) | {"scale": "graded", "levels": "no\r\n yes \r\n"}
    assert desk.post(address, sent).status_code == 302
    assert Study.objects.get().levels == ["no", "yes"]
    assert typed(desk, address)["levels"] == "no\nyes"
    faulty = desk.post(address, typed(desk, address) | {"levels": "only one"})
    assert "levels" in str(faulty.context["form"].errors)


def test_the_second_of_two_editors_is_told_and_loses_nothing(desk, unplanned):
    """Theirs where I left a setting alone, mine where I changed it; saved again, it holds."""
    address = at(unplanned, "settings/")
    sent = typed(desk, address) | {"payment": "0.75", "redundancy": "4"}
    change_settings(unplanned.slug, {"redundancy": 9, "unit_size": 5}, None)
    page = desk.post(address, sent)
    assert "“Judgments of each document” from 2 to 9" in words(page)
    assert Study.objects.get().payment == 3
    shown = {field.name: field.value() for field in page.context["form"]}
    assert (str(shown["payment"]), shown["redundancy"], shown["unit_size"]) == ("0.75", 4, 5)
    again = {name: value for name, value in shown.items() if value not in (None, "", False, [])}
    assert desk.post(address, again).status_code == 302
    saved = Study.objects.get()
    assert (float(saved.payment), saved.redundancy, saved.unit_size) == (0.75, 4, 5)


def test_editors_of_different_things_do_not_stop_each_other(desk, unplanned):
    sent = typed(desk, at(unplanned, "consent/")) | {"consent": "One\r\n\r\nTwo"}
    change_settings(unplanned.slug, {"payment": 4}, None)
    change_topic(unplanned.slug, "401", {"question": "Other?"}, None)
    assert desk.post(at(unplanned, "consent/"), sent).status_code == 302
    assert Study.objects.get().consent == "One\n\nTwo"


def test_a_plan_is_discarded_where_it_stands_in_the_way(desk, study):
    page = desk.get(at(study, "settings/"))
    assert "Discard the plan" in words(page)
    desk.post(at(study, "discard-plan/"))
    assert not study.units.exists()
    assert "Plan units" in words(desk.get(at(study)))


# --- topics -------------------------------------------------------------------------------------
def test_anchors_are_shown_side_by_side_and_taken(desk, unplanned):
    address = at(unplanned, "anchors/401/")
    page = desk.get(address, {"h_k": "D401-004"})
    assert "Text of D401-004." in words(page)
    assert "Text of D401-000." in words(page)
    assert "the relevant anchor D401-004 is labelled 0, not relevant." in words(page)
    sent = {"h_k": "D401-007", "n_k": "D401-004", "version": unplanned.version}
    assert desk.post(address, sent).status_code == 302
    assert unplanned.topics.get(topic__query_id="401").h_k == "D401-007"
    wrong = desk.post(address, sent | {"h_k": "Z", "version": Study.objects.get().version})
    assert "Z stands in neither documents, runs nor labels." in words(wrong)


def test_a_question_that_somebody_else_changed_meanwhile_stays_typed(desk, unplanned):
    address = at(unplanned, "questions/402/")
    sent = typed(desk, address)
    assert (sent["right"], sent["option_1"]) == (1, OPTIONS[0])
    change_topic(unplanned.slug, "402", {"question": "Theirs?"}, None)
    page = desk.post(address, sent | {"question": "Mine?", "right": "2"})
    assert "was changed while you were at it" in words(page)
    shown = {field.name: field.value() or "" for field in page.context["form"]}
    assert shown["question"] == "Mine?"
    assert desk.post(address, shown).url == at(unplanned, "questions/"), "after the last topic"
    topic = unplanned.topics.get(topic__query_id="402")
    assert (topic.question, topic.answer) == ("Mine?", OPTIONS[1])


def test_an_answer_that_stands_out_is_warned_of(desk, unplanned):
    answer = "A very long answer about topic, much longer than all the others"
    StudyTopic.objects.filter(topic__query_id="401").update(
        options=[answer, *OPTIONS[1:]], answer=answer
    )
    for path in ("questions/", "questions/401/", ""):
        assert "by far the longest option" in words(desk.get(at(unplanned, path))), path


def test_a_table_of_questions_that_cannot_be_read_changes_nothing(desk, unplanned):
    sent = {"file": upload("q.csv", "query_id,asked\n401,x\n"), "version": unplanned.version}
    page = desk.post(at(unplanned, "questions/"), sent)
    assert "q.csv" in str(page.context["form"].errors["file"])
    assert Study.objects.get().version == unplanned.version


def test_topics_are_taken_out(desk, unplanned):
    assert "expected at least one topic" in words(desk.post(at(unplanned, "topics/"), {}))
    desk.post(at(unplanned, "topics/"), {"topic": ["402"], "version": unplanned.version})
    assert unplanned.topics.get().topic.query_id == "402"
    assert desk.get(at(unplanned, "questions/401/")).status_code == 404


# --- the study as a whole -----------------------------------------------------------------------
def test_topics_stand_in_the_order_in_which_people_count(desk, unplanned):
    home = unplanned.collection
    for old, number in (("401", "10"), ("402", "9")):
        home.topics.filter(query_id=old).update(query_id=number, title=f"Topic {number}")
    home.owner = User.objects.get(username="rosa")
    home.save()
    steps = (at(unplanned, step) for step in ("topics/", "questions/"))
    for address in (f"/collections/{home.slug}/", *steps):
        shown = re.findall(r"\b(9|10) Topic", words(desk.get(address)))
        assert shown == ["9", "10"], address
    assert desk.get(at(unplanned, "anchors/9/")).context["after"] == "10"


def test_whoever_is_logged_in_is_led_back_from_a_page_that_is_not_there(desk):
    for address in ("/nowhere/", "/studies/nowhere/set-up/"):
        page = desk.get(address).content.decode()
        assert 'href="/studies/">See your studies</a>' in page
        assert "Log out" in page


def test_topics_are_drawn_on_their_page(desk, unplanned):
    page = at(unplanned, "topics/")
    draw = {"action": "draw", "version": unplanned.version}
    assert "Use a whole number" in words(desk.post(page, {**draw, "number": "x"}))
    refused = desk.post(page, {**draw, "number": 3})
    assert "expected 1 to 2" in words(refused)
    assert "<details open>" in refused.content.decode()
    assert desk.post(page, {**draw, "number": 1, "seed": 5}).url == page
    assert "drawn at random, by seed 5" in words(desk.get(page))
    assert unplanned.topics.count() == 1
    assert Study.objects.get(pk=unplanned.pk).topics_seed == 5


def test_an_open_study_is_shown_and_changes_no_more(desk, study):
    open_it(desk, study)
    for path in ("", "topics/", "pool/", "anchors/", "anchors/401/", "questions/401/", "settings/"):
        page = desk.get(at(study, path))
        assert "what they judge by can no longer be changed" in words(page), path
    sent = typed(desk, at(study, "settings/")) | {"title": "New title", "redundancy": "5"}
    desk.post(at(study, "settings/"), sent)
    study.refresh_from_db()
    assert (study.title, study.redundancy) == ("New title", 2)
    again = desk.post(at(study, "open/"), {"confirm": "12345678"})
    assert "open already" in words(again)


def whole(study: Study, path: str) -> str:
    return f"/studies/{study.slug}/share/study/{path}"


def test_cloned_renamed_and_deleted(desk, rosa, study):
    sent = {"title": "A copy", "slug": "copy"}
    assert desk.post(whole(study, "clone/"), sent).url == "/studies/copy/set-up/"
    copy = Study.objects.get(slug="copy")
    sent = {"title": "Renamed", "slug": "other", "version": copy.version}
    assert desk.post(whole(copy, "name/"), sent).url == "/studies/other/share/study/"
    assert "2 topics" in words(desk.get("/studies/other/share/study/delete/"))
    assert desk.post("/studies/other/share/study/delete/").url == "/studies/"
    assert list(Study.objects.all()) == [study]
    Membership.objects.update(role="editor")
    for path in ("name/", "delete/"):
        assert desk.post(whole(study, path)).status_code == 403


def test_peoples_data_are_deleted_by_typing_the_name(desk, study):
    open_it(desk, study)
    ada(study).come_to_documents()
    address = whole(study, "delete/")
    assert "close it first" in words(desk.get(address))
    Study.objects.update(stage="closed", closed_at=study.created_at)
    assert "expected" in words(desk.post(address, {"typed": "x"}))
    assert desk.post(address, {"typed": study.slug}).status_code == 302
    assert not Study.objects.exists()


# --- a study's own texts: ours beside each, to start from -----------------------------------------
@pytest.fixture
def draft(rosa):
    draft = make_study(opened=False)
    draft.memberships.create(user=rosa, role="owner")
    return Study.objects.get(pk=draft.pk)


def test_ours_stands_beside_each_field(desk, draft):
    told = words(desk.get(at(draft, "texts/")))
    assert "say with numbers of your own choice how relevant" in told
    assert "twice as long, twice the number" in told
    assert "imagine a document of high, one of medium" in told


def test_who_starts_from_ours_loses_nothing_that_was_typed_and_saves_nothing(desk, draft):
    sent = {"version": draft.version, "introduction": "Mine <i>", "instructions": ""}
    page = desk.post(at(draft, "texts/"), {**sent, "start": "instructions"})
    form = page.context["form"]
    assert form["introduction"].value() == "Mine <i>"
    assert "\n\n- Any number above zero: whole" in form["instructions"].value()
    assert "It is not saved yet" in words(page)
    draft.refresh_from_db()
    assert [getattr(draft, name) for name in NAMES] == ["", "", ""]
    page = desk.post(at(draft, "texts/"), {**sent, "start": "introduction"})
    assert page.context["form"]["introduction"].value().startswith("Mine <i>\n\nYou will")
    typed = {name: form[name].value() or "" for name in (*NAMES, "version")}
    assert desk.post(at(draft, "texts/"), typed).url == at(draft, "recruiting/")
    draft.refresh_from_db()
    assert draft.instructions.startswith("First you see what somebody wants to know")
    assert draft.introduction == "Mine <i>"
    assert "2 of your own" in words(desk.get(at(draft, "texts/")))


def test_once_the_study_is_open_nothing_is_offered_to_start_from(desk, draft):
    Study.objects.filter(pk=draft.pk).update(stage="open", opened_at="2026-01-01T00:00Z")
    assert 'name="start"' not in desk.get(at(draft, "texts/")).content.decode()


def test_levels_get_their_sentences_beside_their_names(desk, draft):
    form = desk.get(at(draft, "settings/")).context["form"]
    sent = {field.name: field.value() for field in form if field.value() not in (None, "", False)}
    graded = {**sent, "scale": "graded", "levels": "\n".join(GRADED["levels"])}
    page = desk.post(at(draft, "settings/"), {**graded, "level_descriptions": "None.\nAll."})
    assert "expected a sentence for each level, or none" in words(page)
    described = {**graded, "level_descriptions": "None.\nSome.\nMuch.\nAll."}
    assert desk.post(at(draft, "settings/"), described).status_code == 302
    draft.refresh_from_db()
    assert draft.level_descriptions == ["None.", "Some.", "Much.", "All."]


def test_consent_starts_from_ours_and_what_it_leaves_open_is_asked_for(desk, draft):
    sent = {"version": draft.version, "contact": "Rosa", "consent": "", "consent_by": "button"}
    page = desk.post(at(draft, "consent/"), {**sent, "start": "consent"})
    form = page.context["form"]
    assert form["contact"].value() == "Rosa"
    assert "The study is run by [name and institution]." in form["consent"].value()
    typed = {field.name: field.value() for field in form if field.value() not in (None, False)}
    assert desk.post(at(draft, "consent/"), typed | {"version": draft.version}).status_code == 302
    assert "still says “[name and institution]”" in words(
        desk.get(f"/studies/{draft.slug}/set-up/")
    )
