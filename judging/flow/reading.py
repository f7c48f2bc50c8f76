"""What a request of a worker reads, by statements written once (see `web.database.rows`)."""

from functools import lru_cache
from typing import Any, NamedTuple

from judging.models import Assignment, Document, DocumentNote, Judgment, Study, Topic, Worker
from web.database.rows import columns, instance, select

# A study has ninety columns and seldom changes: a process reads it anew when its row is another.
ASSIGNMENT = f"""
SELECT
    assignment.study_id,
    (SELECT xmin::text || ctid::text FROM judging_study WHERE id = assignment.study_id),
    {columns(Assignment, "assignment")}
FROM judging_assignment assignment
"""
OF_WORKER = """
assignment.worker_id = (
    SELECT id FROM judging_worker
    WHERE study_id = (SELECT id FROM judging_study WHERE slug = %s) AND pseudonym = %s
)
"""
# Of a judgment, what a page needs.
ANSWERED = (
    *("position", "score", "score_text", "justification"),
    *("draft_score_text", "draft_justification"),
)
DOCUMENT = f"""
SELECT {columns(Topic, "topic")}, document.title, document.cleaned, document.language,
    note.kind, note.text,
    (SELECT resume_code FROM judging_worker WHERE id = %s),
    ARRAY(
        SELECT completion_code FROM judging_assignment
        WHERE worker_id = %s AND completion_code IS NOT NULL ORDER BY finished_at
    ),
    (SELECT json_agg(json_build_array({", ".join(ANSWERED)}))
        FROM judging_judgment WHERE assignment_id = %s)
FROM judging_pooleddocument pooled
JOIN judging_document document ON document.id = pooled.document_id
JOIN judging_topic topic ON topic.id = (
    SELECT topic_id FROM judging_studytopic WHERE id = pooled.study_topic_id
)
LEFT JOIN judging_documentnote note ON note.assignment_id = %s AND note.position = %s
WHERE pooled.id = %s
"""
WORKER = f"SELECT {columns(Worker, 'worker')} FROM judging_worker worker WHERE id = %s"
JUDGMENTS = f"SELECT {columns(Judgment, 'judgment')} FROM judging_judgment judgment "


def read_assignment(condition: str, *parameters: Any) -> Assignment | None:
    """The first that there is, with its study.

    condition: what follows WHERE, about `assignment`; OF_WORKER takes a slug and a pseudonym.
    """
    for key, version, *values in select(f"{ASSIGNMENT}WHERE {condition}", *parameters):
        assignment = instance(Assignment, values)
        assignment.study = read_study(key, version)
        return assignment
    return None


def read_with_worker(condition: str, *parameters: Any) -> Assignment | None:
    assignment = read_assignment(condition, *parameters)
    return read_worker(assignment) if assignment else None


def read_worker(assignment: Assignment) -> Assignment:
    """The same, with its worker."""
    [values] = select(WORKER, assignment.worker_id)
    assignment.worker = instance(Worker, values)
    assignment.worker.study = assignment.study
    return assignment


def read_study(key: int, version: str) -> Study:
    """An instance of its own, which nobody else changes."""
    study = instance(Study, _study_values(key, version))
    study.row_version = f"{key} {version}"
    return study


@lru_cache(maxsize=64)
def _study_values(key: int, version: str) -> list[Any]:
    study = Study.objects.get(pk=key)
    return [getattr(study, field.attname) for field in Study._meta.concrete_fields]


class Shown(NamedTuple):
    """On a document's page; codes: of the worker's units paid before, oldest first."""

    topic: Topic
    document: Document
    note: DocumentNote | None
    resume_code: str
    codes: list[str]
    judgments: list[Judgment]  # of the unit, with the fields in ANSWERED


def read_shown(assignment: Assignment) -> Shown:
    """For the page that an assignment is on."""
    worker, key, position = assignment.worker_id, assignment.pk, assignment.position
    parameters = (worker, worker, key, key, position, assignment.order[position - 1])
    [[*topic, title, cleaned, language, kind, text, code, codes, judged]] = select(
        DOCUMENT, *parameters
    )
    return Shown(
        instance(Topic, topic),
        Document(title=title, cleaned=cleaned, language=language),
        kind and DocumentNote(kind=kind, text=text),
        code,
        codes,
        [Judgment(**dict(zip(ANSWERED, values, strict=True))) for values in judged or ()],
    )


def read_judgments(condition: str, *parameters: Any) -> list[Judgment]:
    """condition: what follows FROM, about `judgment`."""
    return [instance(Judgment, values) for values in select(JUDGMENTS + condition, *parameters)]
