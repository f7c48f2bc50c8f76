"""Reports are asked for, written in the background as zip archives, and kept for some days."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from accounts.models import User
from evaluation.analyses import of_study
from evaluation.cache import stored
from evaluation.models import WrittenReport
from evaluation.report import folder
from evaluation.report.folder import Report
from evaluation.study import other_studies
from evaluation.study.data import load
from evaluation.waiting import expired_reports
from judging.models import Study
from web import clock
from web.background.work import COMPUTING, Superseded, attempt, one_by_one, throttled_progress
from web.files import File, zipped

State = WrittenReport.State
NOTHING = "No unit of the study is completed yet: there is nothing to report."


class CannotReport(ValueError):
    """There is nothing to report on; the message says so."""


@dataclass(frozen=True)
class CachedResult:
    """A report as whoever looks finds it, and whether it is of today's data."""

    row: WrittenReport
    is_current: bool

    @property
    def waits(self) -> bool:
        return self.row.state in WrittenReport.UNFINISHED


def report_of(study: Study) -> CachedResult | None:
    """The report of a study without its archive; None if there is none that the team may see."""
    rows = WrittenReport.objects.filter(stored.may_be_shown(study), study=study)
    row = rows.select_related("study").defer("archive").first()
    return None if row is None else look_at(row)


def look_at(row: WrittenReport) -> CachedResult:
    return CachedResult(row, row.version == _version(row.study, row.label_set))


def archive_of(study: Study) -> bytes | None:
    """The archive of a study's report, as long as it is kept."""
    rows = WrittenReport.objects.filter(stored.may_be_shown(study), study=study)
    archive = rows.values_list("archive", flat=True).first()
    return None if archive is None else bytes(archive)


def ask_report(study: Study, by: User | None, label_set: str) -> WrittenReport:
    """Have the report of a study written anew; one that is being written is begun again."""
    fresh = {"state": State.WAITING, "progress": 0.0, "tries": 0, "fault": ""}
    wanted = {"label_set": label_set, "asked_by": by, "asked_at": clock.now()}
    row, _ = WrittenReport.objects.update_or_create(study=study, defaults={**wanted, **fresh})
    return row


def _version(study: Study, label_set: str) -> str:
    """A text that changes whenever any analysis may come out differently."""
    versions = sorted({label_set, *stored.versions(study).values()})
    return sha256(repr(versions).encode()).hexdigest()


def bring_up_to_date() -> int:
    """Write reports that were asked for, unless somebody is at it; how many there were.

    One that was interrupted is found again, and begun anew.
    """
    expired_reports(clock.now()).delete()
    unfinished = WrittenReport.unfinished().defer("archive").select_related("study__collection")
    return one_by_one(COMPUTING, lambda: unfinished.order_by("asked_at").first(), _write)


def _write(row: WrittenReport) -> int:
    """Write one report and keep it, or say why it could not be; an older one then stays."""
    row.begin(State.WRITING)
    study, report = row.study, Report()
    known = _version(study, row.label_set)
    others = sorted(other_studies.seen(study).values_list("pk", flat=True))
    try:
        archive, fault = attempt(
            row.tries,
            lambda: b"".join(zipped(_files(row, report))),
            (CannotReport,),
            f"report of {study}",
        )
    except Superseded:
        return 1
    if archive is None:
        row.end(State.FAILED, fault)
    else:
        about = {"size": len(archive), "files": report.files, "missing": sorted(report.faults)}
        made = {"version": known, "others": others, "made_at": clock.now()}
        row.end(State.DONE, "", archive=archive, **about, **made)
    return 1


def _files(row: WrittenReport, report: Report) -> Iterator[File]:
    """The files of a report, in a folder that is named after the study."""
    study = row.study
    known = folder.cached_results(study, row.label_set)
    data = load(study, row.label_set)
    if not data.topics:
        raise CannotReport(NOTHING)
    root = study.file_name("report", "").removesuffix(".")
    for path, content in folder.files(data, report, _noted_on(row), known):
        report.files += 1
        yield File(f"{root}/{path}", [content])


def _noted_on(row: WrittenReport) -> Callable[[str], None]:
    """Notes the share of analyses done on the row, now and then."""
    done, all_of_it = 0, len(of_study(row.study)) + 1
    note = throttled_progress(row.save_progress)

    def on_progress(name: str) -> None:
        nonlocal done
        done += 1
        note(done / all_of_it)

    return on_progress
