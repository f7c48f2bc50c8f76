"""Pages of studies that everybody can read: a frozen release, and what it is.

Nothing on such a page is live: all that it shows was made when an owner published it.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from django.db import transaction
from django.db.models import Max
from django.template.loader import render_to_string

from accounts.models import User
from evaluation.cache import stored
from evaluation.details import system_list
from evaluation.details.system_list import UNTESTED, Test
from evaluation.pages import rankings
from judging.models import Assignment, Study
from judging.states import LIVE, State
from judging.studies import trail
from judging.studies.conduct.stages import CannotRun
from magnitudes.comparison.significant_pairs import Verdict, verdict
from magnitudes.files.words import count
from web import clock
from web.snapshots import snapshot
from workspace.models import PublishedPage
from workspace.models.publishing import MAX_RELEASE, MAX_VERSIONS
from workspace.publishing.describing import LICENCES, method
from workspace.publishing.releasing import CannotRelease, ReleaseOptions, as_zip, release

MAX_ABOUT_LENGTH = 5_000  # characters
OTHERS = 3  # workers who judged a topic beside each one whose judgments are published
MEANINGS = {  # of a release's files, by how their names begin
    "judgments.csv": "Every judgment",
    "crowdkit.csv": "The scores that count, for crowd-kit",
    "qrels/": "Gains of documents, as qrels",
    "rankings/": "The ranking: every system’s values, and a picture",
    "runs.txt": "The names of the systems",
    "topics.jsonl": "The topics",
    "documents.jsonl": "The judged documents",
    "README.md": "What the files hold, and how the documents were judged",
    "settings.json": "The settings of the study",
    "CITATION.cff": "How to cite it",
    "LICENSE": "The licence",
    "SHA256SUMS": "Checksums",
}


@dataclass(frozen=True)
class Wording:
    """What an owner says on the page. licence: its SPDX identifier; about: plain text."""

    licence: str
    authors: tuple[str, ...]
    about: str = ""


def obstacles(study: Study, now: datetime) -> Iterator[str]:
    """Why a study cannot be published, a sentence each."""
    if study.rehearsal_of_id:
        yield "It is a rehearsal: its judgments are not published."
        return
    if study.stage != Study.Stage.CLOSED and not study.is_imported:
        yield "It is not closed: judgments can still be added."
    if live := Assignment.objects.filter(study=study, state__in=LIVE).count():
        yield f"{count(live, 'unit is', 'units are')} still being judged."
    if study.crowd in (Study.Crowd.PEOPLE, Study.Crowd.BOTH):
        yield from _rights_of_people(study, now)
    ranking, test = _tested(study, now)
    if not ranking["results"]:
        yield "No system is ranked."
    elif test.waits or test.old:
        yield "Which systems differ is being computed: come back in a minute."


def _rights_of_people(study: Study, now: datetime) -> Iterator[str]:
    if study.demo:
        yield "Its workers read that nothing is published, as it is a demonstration."
    if study.withdraw_days is None:
        yield (
            "Its workers may withdraw their answers for as long as these are stored. The days "
            "for withdrawing answers are set before a study opens."
        )
        return
    done = Assignment.objects.filter(study=study, state=State.COMPLETED)
    last = done.aggregate(last=Max("finished_at"))["last"]
    if last and now <= (end := last + timedelta(days=study.withdraw_days)):
        yield f"Its workers may withdraw their answers until {end:%-d %B %Y, %H:%M} UTC."


def _rankings(study: Study) -> rankings.Rankings:
    return rankings.chosen_or_usual(study, {})[0]


def _tested(study: Study, now: datetime) -> tuple[system_list.Ranking, Test]:
    ranking, labels = _rankings(study)[0], stored.label_set_of(study)
    test = system_list.test_of(study, ranking, labels, now, stored.versions(study))
    return ranking, test


def _content(study: Study, wording: Wording, test: Test) -> dict[str, Any]:
    """What the page says, as JSON: no document's text, and no worker."""
    stands = verdict(test.told, 0) if test.told else Verdict("")
    text = render_to_string("workspace/release/method.md", method(study)).replace("`", "")
    done = Assignment.objects.filter(study=study, state=State.COMPLETED)
    return {
        "title": study.title,
        "slug": study.slug,
        "mark": study.mark,
        "about": wording.about,
        "authors": list(wording.authors) or [f"The authors of {study.title}"],
        "licence": [wording.licence, *LICENCES[wording.licence]],
        "method": [line for line in map(str.strip, text.split("\n")) if line],
        "workers": done.values("worker").distinct().count(),
        "finding": stands.says,
        "tested": stands.beside,
        "rankings": [_frozen(ranking) for ranking in _rankings(study)],
    }


def _frozen(ranking: system_list.Ranking) -> dict[str, Any]:
    kept = {name: ranking[name] for name in ("measure", "gains", "topics", "interim")}
    return kept | {"systems": [asdict(row) for row in system_list.systems(ranking, UNTESTED)]}


def publish(study: Study, by: User | None, wording: Wording) -> PublishedPage:
    """A new version, which stays as it is until it is withdrawn.

    Raises:
        CannotRun: it cannot be published as it is; the message says why.
    """
    now = clock.now()
    if faults := list(obstacles(study, now)):
        raise CannotRun(" ".join(faults))
    others = 0 if study.crowd == Study.Crowd.MODEL else OTHERS
    options = ReleaseOptions(authors=wording.authors, licence=wording.licence, others=others)
    try:
        files = release(study, options, by=by)
    except CannotRelease as fault:
        raise CannotRun(str(fault)) from fault
    _, test = _tested(study, now)
    with snapshot():
        content = _content(study, wording, test)
        packed = b"".join(as_zip(study, files))
    if len(packed) > MAX_RELEASE:
        raise CannotRun(
            f"The release has {len(packed):,} bytes, more than the {MAX_RELEASE:,} of a page: "
            "download it, and publish it at an archive of data."
        )
    content |= {"files": files_in(packed), "size": len(packed)}
    with transaction.atomic():
        Study.objects.locked().get(pk=study.pk)
        version = study.published_pages.aggregate(last=Max("version"))["last"] or 0
        if version >= MAX_VERSIONS:
            raise CannotRun(f"A study has at most {MAX_VERSIONS:,} published versions.")
        page = PublishedPage.objects.create(
            study=study,
            version=version + 1,
            content=content,
            release=packed,
            has_texts=any(path == "documents.jsonl" for path, *_ in content["files"]),
            published_by=by,
            published_at=now,
        )
        trail.record(study, by, "published a page", version=page.version)
    return page


def withdraw(study: Study, by: User | None, version: int) -> PublishedPage:
    """Delete what a version holds, for good; its address says that it was withdrawn.

    Raises:
        CannotRun: there is no such version, or it is withdrawn already.
    """
    with transaction.atomic():
        if not study.published_pages.filter(version=version).withdraw(clock.now()):
            raise CannotRun(f"Version {version} is not published.", field="version")
        trail.record(study, by, "withdrew a page", version=version)
    return study.published_pages.get(version=version)


def files_in(release: bytes) -> list[tuple[str, int, str]]:
    """Of each file: its path below the folder of the release, bytes, and what it holds."""
    with ZipFile(BytesIO(release)) as packed:
        listed = [(info.filename.partition("/")[2], info.file_size) for info in packed.infolist()]
    return [(path, size, _meaning(path)) for path, size in listed]


def _meaning(path: str) -> str:
    return next(what for start, what in MEANINGS.items() if path.startswith(start))


def read_file(release: bytes, path: str) -> bytes | None:
    with ZipFile(BytesIO(release)) as packed:
        names = {name.partition("/")[2]: name for name in packed.namelist()}
        return packed.read(names[path]) if path in names else None
