"""Participants of earlier studies do not come in, as long as their ids are held."""

from datetime import timedelta

import pytest

from accounts.models import User
from judging import flow
from judging.flow.admission import Arrival, NoWork
from judging.flow.earlier_studies import with_id_counts
from judging.models import Membership, PlatformAccount, Study
from judging.studies.conduct.closing import close_study
from judging.studies.configuration.cloning import clone, config_of
from judging.studies.configuration.earlier import (
    exclude_participants_of,
    excluded_studies,
    selectable_studies,
)
from judging.studies.configuration.settings import create_study
from judging.studies.configuration.versions import EditConflict
from judging.studies.faults import BadStudy
from judging.studies.retention import purge_accounts
from tests.factory import NOON, make_study

pytestmark = pytest.mark.django_db


def come(study: Study, platform: str, external_id: str, name: str = "new") -> NoWork | None:
    return flow.admit(study, Arrival(name, platform, external_id), NOON)[1]


@pytest.fixture
def earlier() -> Study:
    study = make_study(retention_days=30)
    for platform in ("prolific", "sona"):
        assert come(study, platform, "5f1e", platform) is None
    return study


def test_who_took_part_does_not_come_in(earlier):
    study = make_study(redundancy=4)
    exclude_participants_of(study.slug, [earlier.slug], None)
    assert come(study, "prolific", "5f1e") == NoWork.TOOK_PART
    assert come(study, "prolific", "77aa", "other") is None
    assert come(study, "connect", "5f1e", "elsewhere") is None
    assert come(study, "sona", "5f1e", "same number") is None  # SONA's are of one study
    assert come(earlier, "prolific", "5f1e") is None  # and the other way round all is well


def test_who_has_begun_goes_on(earlier):
    study = make_study(topics=2)
    assert come(study, "prolific", "5f1e") is None
    exclude_participants_of(study.slug, [earlier.slug], None)
    worker = study.workers.get()
    flow.leave(worker.assignments.get().token, NOON)
    assert come(study, "prolific", "5f1e") is None


def test_nobody_is_known_after_retention(earlier):
    study = make_study()
    exclude_participants_of(study.slug, [earlier.slug], None)
    closed = close_study(earlier.slug).closed_at
    (held,) = with_id_counts(excluded_studies(study))
    assert (held.ids, held.retention_ends_at) == (1, closed + timedelta(days=30))
    purge_accounts(closed + timedelta(days=30, seconds=1))
    assert not PlatformAccount.objects.exists()
    assert with_id_counts(excluded_studies(study))[0].ids == 0
    assert come(study, "prolific", "5f1e") is None


def member(study: Study, name: str = "rita") -> User:
    user, _ = User.objects.get_or_create(username=name)
    Membership.objects.create(study=study, user=user, role="editor")
    return user


def test_only_studies_that_the_editor_sees(earlier):
    study, secret = make_study(), make_study()
    rita = member(study)
    member(earlier)
    assert set(selectable_studies(study, rita)) == {earlier}
    for name in (secret.slug, study.slug, "nowhere"):
        with pytest.raises(BadStudy, match=f"excluded_studies: {name}; expected names of other"):
            exclude_participants_of(study.slug, [name], rita)
    exclude_participants_of(study.slug, [secret.slug], None)
    exclude_participants_of(study.slug, [earlier.slug], rita)
    assert set(excluded_studies(study)) == {earlier, secret}  # what she does not see stays
    assert config_of(study, rita)["excluded_studies"] == [earlier.slug]
    exclude_participants_of(study.slug, [], rita)
    assert set(excluded_studies(study)) == {secret}


def test_two_editors_notice_each_other(earlier):
    study = make_study()
    version = study.version
    exclude_participants_of(study.slug, [earlier.slug], None, version)
    with pytest.raises(EditConflict, match="excluded_studies"):
        exclude_participants_of(study.slug, [], None, version)


def test_a_study_toml_names_them_and_clones_keep_them(earlier):
    config = {"title": "New", "excluded_studies": [earlier.slug]}
    study = create_study("new", earlier.collection.slug, config)
    assert set(excluded_studies(study)) == {earlier}
    assert set(excluded_studies(clone(study, "copy", "Copy", None))) == {earlier}
    with pytest.raises(BadStudy, match="excluded_studies: 5; expected a list of texts"):
        create_study("b", earlier.collection.slug, {"title": "B", "excluded_studies": 5})
    assert not Study.objects.filter(slug="b").exists()


def test_a_study_that_is_deleted_excludes_nobody(earlier):
    study = make_study()
    exclude_participants_of(study.slug, [earlier.slug], None)
    earlier.delete()
    assert not excluded_studies(study).exists()
