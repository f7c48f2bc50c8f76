"""Opening a study and closing it: every refusal names what is missing, and where."""

import io

import pytest
from django.core.management import CommandError, call_command

from judging.models import Document, Label, LabelSet, PooledDocument, Study, StudyTopic, Topic
from judging.studies.conduct.closing import close_study
from judging.studies.conduct.opening import open_study
from judging.studies.configuration.settings import BadStudy
from judging.studies.unit_plans import plan
from tests.factory import make_study
from tests.judging.studies.configuration.test_settings import ANCHORS, QUESTION, create


def ready() -> Study:
    """Planned, with everything that opening wants."""
    study = create({"401": {**QUESTION, **ANCHORS, "documents": list("ABCDEFGH")}})
    plan(study)
    return study


def missing() -> list[str]:
    with pytest.raises(BadStudy) as refusal:
        open_study("s")
    assert Study.objects.get().stage == "draft"
    return str(refusal.value).split("\n")


def test_a_topic_without_anchors(home):
    create({"401": QUESTION})
    anchors = "Topic 401 has no anchors: name h_k and n_k, or plan units to draw them."
    assert missing()[0] == anchors


def test_a_study_without_topics(home):
    ready()
    StudyTopic.objects.all().delete()
    assert missing() == ["Study s has no topics: choose some."]


@pytest.mark.parametrize(
    ("model", "lacks", "said"),
    [
        (StudyTopic, {"question": ""}, "has no question with four options and an answer."),
        (StudyTopic, {"options": [], "answer": ""}, "has no question with four options and an an"),
        # Labels and runs alone have named it.
        (Topic, {"title": "", "description": ""}, "has no text: import its title."),
        # The units were drawn around others, and check (c) would ask for those.
        (StudyTopic, {"h_k": "C"}, ": its anchors are not those of its units: run plan_units s."),
        # Pay and progress would be told by other numbers than those of the units.
        (
            Study,
            {"unit_size": 5},
            ": its units hold 8 documents, but unit_size is 5: run plan_unit",
        ),
        (
            Study,
            {"redundancy": 3},
            ": it has 10 units, but redundancy 3 needs 3: run plan_units s.",
        ),
    ],
)
def test_what_a_topic_lacks_or_was_changed_after_the_plan(home, model, lacks, said):
    ready()
    model.objects.update(**lacks)
    (line,) = missing()
    assert line.removeprefix("Topic 401").strip().startswith(said)


def test_a_topic_without_units(home):
    create({"401": {**QUESTION, **ANCHORS}})
    assert missing() == ["Topic 401 has no units: run plan_units s."]


def test_documents_without_texts(home):
    ready()
    PooledDocument.objects.filter(doc_id__in=["C", "D"]).update(document=None)
    Document.objects.filter(doc_id__in=["C", "D"]).delete()
    assert missing() == ["Topic 401: 2 of 8 documents have no text, C first."]
    assert PooledDocument.objects.filter(document=None).count() == 2


def test_texts_that_came_after_the_plan(home):
    Document.objects.filter(doc_id="C").delete()
    Label.objects.create(
        label_set=LabelSet.objects.get(), topic=Topic.objects.first(), doc_id="C", level=0
    )
    ready()
    assert missing() == ["Topic 401: 1 of 8 documents have no text, C first."]
    text = Document.objects.create(collection=home, doc_id="C", text="t", words=1, cleaner=1)
    open_study("s")
    assert PooledDocument.objects.get(doc_id="C").document == text


def test_everything_missing_in_one_message(home):
    create()
    message = missing()
    assert [line.split(" has ")[0] for line in message] == ["Topic 401"] * 3 + ["Topic 402"] * 3


def test_a_study_opens_once_and_closes_once(study):
    assert (study.stage, study.closed_at) == ("open", None)
    assert study.opened_at
    with pytest.raises(BadStudy, match="is open already"):
        open_study(study.slug)
    closed = close_study(study.slug)
    assert closed.stage == "closed"
    assert closed.closed_at >= closed.opened_at
    for verb, message in ((close_study, "is closed, not open"), (open_study, "is closed already")):
        with pytest.raises(BadStudy, match=message):
            verb(study.slug)
        with pytest.raises(BadStudy, match="There is no study nowhere"):
            verb("nowhere")
    with pytest.raises(BadStudy, match="is draft, not open"):
        close_study(make_study(opened=False).slug)


class Terminal(io.StringIO):
    """Somebody who types at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("answer", ["n\n", "\n", "no\n"])
def test_in_a_terminal_closing_is_asked_for_and_may_be_declined(study, monkeypatch, capsys, answer):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("close_study", study.slug)
    assert "is final: it does not open again. Close it? [y/N]" in capsys.readouterr().out
    assert Study.objects.get().stage == "open"


@pytest.mark.parametrize(("answer", "options"), [("y\n", []), ("YES\n", []), ("", ["--yes"])])
def test_in_a_terminal_closing_is_confirmed(study, monkeypatch, answer, options):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    call_command("close_study", study.slug, *options)
    assert Study.objects.get().stage == "closed"
