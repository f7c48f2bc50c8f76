"""A language model's run beside the study of people that it is about."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from evaluation.analyses import SECTIONS, of_study, sections_of
from evaluation.analyses.agreement import alphas
from evaluation.cache import stored
from evaluation.pipeline import evaluate
from evaluation.report import draft
from evaluation.report.methods import methods
from evaluation.study import scoring, two_crowds
from evaluation.study.data import StudyData, load
from judging.models import Role, Study
from judging.studies import team
from magnitudes.agreement.alpha import krippendorff_alpha
from magnitudes.comparison.prediction_powered import prediction_powered
from tests.claims.drawing import Beside, Model
from tests.factory.arrays import (
    STRANGE,
    analysed,
    figures,
    make_model_run,
    make_study,
    random_study,
    table,
)
from tests.factory.completed import complete, judged_study
from tests.factory.opinions import graded_study, random_opinions
from tests.factory.texts import with_texts

NAMES = [analysis.name for analysis in SECTIONS["model"].analyses]
CROWD = Model(topics=8, runs=6, reading=0.0)


def itself(data: StudyData) -> StudyData:
    return make_model_run(data, data)


def test_only_a_models_run_has_them() -> None:
    people, run = random_study(), itself(random_study())
    assert not {*NAMES} & {*of_study(people.study)}
    assert "model" not in sections_of(people.study)
    assert [analysis.name for analysis in sections_of(run.study)["model"].analyses] == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
def test_strange_studies_are_answered(
    name: str, make: Callable[[], StudyData], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alphas, "RESAMPLES", 20)
    monkeypatch.setattr(alphas, "PERMUTATIONS", 19)
    run = itself(make())
    run.about.study.topics_seed = 1  # type: ignore[union-attr]
    answer = of_study(run.study)[name].of(run)
    assert answer["says"]
    assert all(text.endswith(".") for text in answer["says"])


@pytest.mark.parametrize("make", [graded_study, lambda: with_texts(random_opinions(2))])
@pytest.mark.parametrize("name", NAMES)
def test_levels_are_compared_too(name: str, make: Callable[[], StudyData]) -> None:
    assert of_study(itself(make()).study)[name].of(itself(make()))["says"]


@pytest.mark.parametrize("name", NAMES)
def test_who_may_not_see_people_reads_nothing_of_them(name: str) -> None:
    found = analysed(name, replace(itself(random_study()), about=None))
    assert (found.sentences, found.parts) == ([two_crowds.NOT_SEEN], ())


def test_other_scales_and_other_documents_are_not_compared() -> None:
    people = random_study()
    other = make_model_run(graded_study(), people)
    assert analysed("model_agreement", other).sentences == [two_crowds.OTHER_SCALE]
    apart = make_model_run(make_study(people.topics[0]), make_study(people.topics[1]))
    assert analysed("model_agreement", apart).sentences == [two_crowds.NOTHING_SHARED]


def test_alpha_between_is_of_gains_in_one_unit_without_anchors() -> None:
    """By hand; a factor on all that a crowd gives on a topic changes nothing."""
    run = Beside(CROWD, CROWD).study(2)
    found = analysed("model_agreement", run)
    values, items, strata = [], [], []
    for n, (theirs, own) in enumerate(zip(run.about.topics, run.topics, strict=True)):  # type: ignore[union-attr]
        for gains in (theirs.gains[2:], 7 * own.gains[2:]):
            values += (gains / np.exp(np.log(gains).mean())).tolist()
            items += [100 * n + place for place in range(len(gains))]
            strata += [n] * len(gains)
    alpha = krippendorff_alpha(values, np.unique(items, return_inverse=True)[1], strata=strata)
    row = table(found, "alpha").rows[0]
    assert row[1] == pytest.approx(alpha.alpha)
    assert row[5] == found.numbers["people"]["documents"] == 8 * 20
    assert row[1] == found.numbers["alpha"]


def test_who_judges_as_people_agrees_and_differs_nowhere() -> None:
    run = itself(CROWD.study(2))
    found = analysed("model_agreement", run)
    assert found.numbers["alpha"] == pytest.approx(1)
    assert found.numbers["people"]["tau_nDCG"] == found.numbers["people"]["tau_ERR"] == 1
    assert {row[3] for row in table(found, "documents").rows} == {1.0}
    differences = analysed("model_differences", run)
    assert differences.sentences[0].startswith("No topic, length, label or system")
    assert all(row[2] == row[3] for row in table(differences, "documents").rows)


def test_what_the_model_favours_is_named() -> None:
    run = Beside(replace(CROWD, topics=20), replace(CROWD, favours=2.0)).study(2)
    found = analysed("model_differences", run)
    assert "system run-00" in found.numbers["more"]
    assert "system run-00, and less" in found.sentences[0]
    assert "dashed" in figures(found)[0].caption


def test_a_topic_on_which_the_model_is_generous_is_named() -> None:
    """In relation to the anchors: where these get as much more, it only has other numbers."""
    run = Beside(replace(CROWD, topics=20), CROWD).study(2)
    topic = run.topics[3]
    for more, named in (
        (np.where(topic.is_anchor[topic.places], 1, 6), [f"topic {topic.query_id}"]),
        (6, []),
    ):
        topics = [*run.topics]
        topics[3] = replace(topic, scores=topic.scores * more)
        found = analysed("model_differences", replace(run, topics=topics))
        assert [name for name in found.numbers["more"] if name.startswith("topic")] == named


def few_and_many(people: int = 16, seed: int | None = 4) -> StudyData:
    """People judged some of 40 topics, the model all."""
    crowd = Model(topics=40, runs=5, systems=2.0)
    run = Beside(crowd, Model()).study(2)
    about = replace(run.about, topics=run.about.topics[:people], topics_of_study=people)  # type: ignore[union-attr, type-var]
    about.study.topics_seed, about.study.redundancy = seed, 2
    return replace(run, about=about, topics_there=41)


def test_few_people_and_many_judgments_of_a_model_are_those_of_the_estimator() -> None:
    run = few_and_many()
    found = analysed("model_worth", run)
    by, both = scoring.measures(run.study)[0], (run.topics[:16], run.topics[16:])
    topics = run.about.topics, *both  # type: ignore[union-attr]
    of = prediction_powered(*(scoring.by_own_gains(some, by) for some in topics))
    worth = of.pairs.worth[np.triu_indices(5, 1)]
    assert found.numbers["worth_nDCG"] == np.median(worth) > 16
    assert found.numbers["units_per_topic"] == 20
    assert "16 topics of people with the model's judgments of 24 others" in found.sentences[0]
    assert "1 topic of the collection" in found.sentences[-1]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (few_and_many(seed=None), "not drawn by a seed"),
        (few_and_many(people=14), "14 topics completely; at least 15"),
        (few_and_many(people=40), "no topic completely that people do not judge"),
    ],
)
def test_where_it_does_not_hold_it_says_why(run: StudyData, said: str) -> None:
    found = analysed("model_worth", run)
    assert said in found.sentences[0]
    assert not found.parts


def stored_run() -> tuple[Study, Study]:
    """A study of people, evaluated, and a model's run about it."""
    people, _ = judged_study(1, topics=2, units=3)
    run, _ = judged_study(2, topics=2, units=2)
    of = {"collection": people.collection_id, "about": people, "crowd": Study.Crowd.MODEL}
    Study.objects.filter(pk=run.pk).update(**of, payment=0)
    run.refresh_from_db()
    for study in (people, run):
        evaluate(study)
    return people, run


@pytest.mark.django_db
def test_it_is_old_when_people_go_on_and_no_other_is() -> None:
    people, run = stored_run()
    about = load(run).about
    assert about is not None
    assert (about.study, len(about.units)) == (people, len(load(people).units))
    found = [stored.versions(run)]
    complete(people, "zoe")
    found.append(stored.versions(run))
    Study.objects.filter(pk=people.pk).update(redundancy=7)
    found.append(stored.versions(run))
    assert all(now["model_worth"] != then["model_worth"] for then, now in pairwise(found))
    assert len({of["spread"] for of in found}) == 1


@pytest.mark.django_db
def test_files_and_report_say_who_judged() -> None:
    """What is computed of both says so, everything else is of the model alone."""
    _, run = stored_run()
    data = load(run)
    found = {name: of_study(run)[name].of(data) for name in ("model_agreement", "rankings")}
    assert [each["crowd"] for each in found.values()] == ["people and model", "model"]
    marks = [part["mark"] for part in found["model_agreement"]["parts"] if "mark" in part]
    assert marks
    assert all(mark.startswith("people and model") for mark in marks)
    said = methods(data, {})
    assert "by a language model" in said
    assert "artificial" not in said
    assert "agreed to" not in said
    assert draft.draft(data, {}, {}, {}).marked.startswith("A language model judged")


@pytest.mark.django_db
def test_who_joins_the_run_alone_is_shown_nothing_of_people() -> None:
    people, run = stored_run()
    rosa, otto = User.objects.create_user("rosa"), User.objects.create_user("otto")
    team.add(people, rosa, Role.OWNER, by=None)
    team.add(run, rosa, Role.OWNER, by=None)

    def look() -> stored.CachedResult:
        (looked,) = stored.get_or_request(run, ["model_agreement"], "reference", timezone.now())
        return looked

    look()
    stored.bring_up_to_date()
    assert look().row.others == [people.pk]
    assert look().row.result is not None
    team.add(run, otto, Role.VIEWER, by=rosa)
    assert (look().row.result, look().current) == (None, False)
    stored.bring_up_to_date()
    assert look().row.result["says"] == [two_crowds.NOT_SEEN]  # type: ignore[index]


@pytest.mark.django_db
def test_pages_of_other_studies_do_not_mention_it() -> None:
    people, run = stored_run()
    user = User.objects.create_superuser("ada")
    client = Client()
    client.force_login(user)
    for analysis in SECTIONS["model"].analyses:
        pages = [client.get(reverse("method", args=[study.slug])) for study in (people, run)]
        assert [analysis.asks in page.content.decode() for page in pages] == [False, True]
        assert client.get(reverse("analysis", args=[run.slug, analysis.name])).status_code == 200
        missing = client.get(reverse("analysis", args=[people.slug, analysis.name]))
        assert missing.status_code == 404
        assert analysis.asks not in missing.content.decode()
