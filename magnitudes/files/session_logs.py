"""Logs of a user study with result lists: what each participant saw, clicked on and saved.

A table, JSONL, CSV or TSV, with the columns participant, query_id, rank, doc_id, event, seconds.
A participant with a query is a session; its rows stand in the order of time, others may stand
between them. Seconds may begin anywhere. Events are

- `view`: the summary of this document comes on the screen, at this rank. A result page is as many
  rows as it has summaries; the first begins the session, a later one is a further page.
- `click`: its summary is clicked on, and the document is shown.
- `save`: the document that is shown is saved. `back`: the list is shown again. After a save, `back`
  may be left out.
- `end`: the session is over. It may be left out.

`save`, `back` and `end` need no rank and no doc_id.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile, Place, shown
from magnitudes.files.parsing.fields import identifier, rank_number, real
from magnitudes.files.parsing.tables import Column, read_rows
from magnitudes.files.parsing.text import read_lines

EVENTS = ("view", "click", "save", "back", "end")
_COLUMNS = (
    Column("participant", ("user", "subject")),
    Column("query_id", ("topic", "qid", "num", "number")),
    Column("rank", required=False),
    Column("doc_id", ("docno", "docid", "document"), required=False),
    Column("event", ("action",)),
    Column("seconds", ("time",)),
)


@dataclass
class View:
    """One showing of one document. `seconds` until saved or left; None if the log does not say."""

    doc_id: str
    begun: float
    seconds: float | None = None
    saved: bool = False


@dataclass
class Session:
    """What a participant did with a query.

    `summaries`: the document at each rank that was shown; `clicked`: ranks; `list_seconds`: time on
    the list that ended with a click or a further page; `last_click`: from the beginning, None
    without one.
    """

    participant: str
    query_id: str
    begun: float
    summaries: dict[int, str] = field(default_factory=dict)
    clicked: set[int] = field(default_factory=set)
    clicks: int = 0
    list_seconds: float = 0.0
    last_click: float | None = None
    views: list[View] = field(default_factory=list)
    # Where it stands: the last event, since when the list is there, whether a document is open.
    now: float = 0.0
    list_since: float | None = None
    is_open: bool = False
    is_over: bool = False

    @property
    def deepest(self) -> int:
        """The rank of the lowest summary that was clicked on, 0 without one."""
        return max(self.clicked, default=0)


def read_sessions(members: Iterable[Member]) -> list[Session]:
    """The sessions of a log, by their first rows.

    Raises BadFile for a row that cannot be read, an event there is none of, or one that cannot
    follow what came before: it says where, what, and what was expected.
    """
    sessions: dict[tuple[str, str], Session] = {}
    files = []
    for member in members:
        files.append(member.name)
        for place, row in _rows(member):
            names = (
                identifier(row["participant"], "participant", place),
                identifier(row["query_id"], "query_id", place),
            )
            seconds = real(row["seconds"].strip(), "seconds", place)
            session = sessions.setdefault(names, Session(*names, begun=seconds, now=seconds))
            _follow(session, row, seconds, place)
    if not sessions:
        raise BadFile(", ".join(files) or "log", "no events", "at least one session")
    return list(sessions.values())


def _rows(member: Member) -> Iterator[tuple[Place, dict[str, str]]]:
    for line, row in read_rows(member.name, read_lines(member), _COLUMNS):
        yield Place(member.name, line), row


def _follow(session: Session, row: dict[str, str], seconds: float, place: Place) -> None:
    """Take one event into a session."""
    event = row["event"].strip()
    if event not in EVENTS:
        raise place.bad(f"the event {shown(event)}", f"one of {', '.join(EVENTS)}")
    if session.is_over:
        raise place.bad(f"{event} after the end of the session", "no event")
    if seconds < session.now:
        raise place.bad(
            f"seconds {seconds:g} after {session.now:g} of the same session", "rows in time"
        )
    session.now = seconds
    if event == "view":
        _view(session, *_summary(row, place), place)
    elif event == "click":
        _click(session, *_summary(row, place), place)
    elif event == "save":
        _save(session, place)
    elif event == "back":
        _back(session, place)
    session.is_over = event == "end"


def _summary(row: dict[str, str], place: Place) -> tuple[int, str]:
    rank = rank_number(row["rank"].strip(), place)
    if not rank:
        raise place.bad("the rank 0", "a rank from 1")
    return rank, identifier(row["doc_id"], "document id", place)


def _view(session: Session, rank: int, doc_id: str, place: Place) -> None:
    if session.summaries.setdefault(rank, doc_id) != doc_id:
        problem = f"document {doc_id} at rank {rank}, where {session.summaries[rank]} was"
        raise place.bad(problem, "one list for each session")
    if session.is_open and session.list_since is None:
        raise place.bad("a view while a document is shown", "back or save before it")
    _leave_list(session)
    session.list_since = session.now


def _click(session: Session, rank: int, doc_id: str, place: Place) -> None:
    if session.summaries.get(rank) != doc_id:
        problem = f"a click on document {doc_id} at rank {rank}, which was not in view"
        raise place.bad(problem, "a view of it before")
    if session.list_since is None:
        raise place.bad("a click while a document is shown", "back or save before it")
    _leave_list(session)
    session.clicked.add(rank)
    session.clicks += 1
    session.last_click = session.now - session.begun
    session.views.append(View(doc_id, session.now))
    session.is_open = True


def _leave_list(session: Session) -> None:
    if session.list_since is not None:
        session.list_seconds += session.now - session.list_since
    session.list_since, session.is_open = None, False


def _save(session: Session, place: Place) -> None:
    view = _shown(session, "save", place)
    if view.saved:
        raise place.bad("a second save", "each document saved once")
    view.saved, view.seconds = True, session.now - view.begun
    session.list_since = session.now  # until back, if it comes, says otherwise


def _back(session: Session, place: Place) -> None:
    view = _shown(session, "back", place)
    if not view.saved:
        view.seconds = session.now - view.begun
    session.list_since, session.is_open = session.now, False


def _shown(session: Session, event: str, place: Place) -> View:
    if not session.is_open:
        raise place.bad(f"{event} without a document", "a click before it")
    return session.views[-1]
