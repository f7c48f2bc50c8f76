"""Logs of sessions: what is counted of them, and rows that cannot be."""

import io

import pytest

from magnitudes.files.containers.archives import Member
from magnitudes.files.errors import BadFile
from magnitudes.files.session_logs import View, read_sessions

HEAD = "participant\tquery_id\trank\tdoc_id\tevent\tseconds\n"


def log(*rows, name="log"):
    """Rows such as 'view 1 a 0', of participant p with query q."""
    lines = []
    for row in rows:
        event, *document, seconds = row.split()
        rank, doc_id = document or ("", "")
        lines.append(f"p\tq\t{rank}\t{doc_id}\t{event}\t{seconds}\n")
    return Member(name, io.BufferedReader(io.BytesIO((HEAD + "".join(lines)).encode())))


PAGE = ("view 1 a 100", "view 2 b 100", "view 3 c 100")


def test_a_session():
    """Six seconds on the list before a, 4 before c; b is passed over; 30 + 5 s on documents."""
    rows = ["click 1 a 106", "save 136", "back 138", "click 3 c 142", "back 147", "end 160"]
    [session] = read_sessions([log(*PAGE, *rows)])
    assert (session.participant, session.query_id) == ("p", "q")
    assert session.summaries == {1: "a", 2: "b", 3: "c"}
    assert (session.clicked, session.deepest, session.clicks) == ({1, 3}, 3, 2)
    assert session.list_seconds == 10
    assert session.last_click == 42
    assert session.views == [View("a", 106, 30, True), View("c", 142, 5, False)]


def test_back_may_be_left_out_after_a_save():
    [session] = read_sessions([log(*PAGE, "click 2 b 103", "save 110", "click 3 c 114")])
    assert session.list_seconds == 7
    assert session.views == [View("b", 103, 7, True), View("c", 114, None, False)]


def test_a_further_page_is_time_on_the_list_and_what_follows_the_last_click_is_not():
    [session] = read_sessions([log(*PAGE, "view 4 d 120", "click 4 d 121", "back 125", "end 400")])
    assert session.list_seconds == 21
    [session] = read_sessions([log(*PAGE, "end 150")])
    assert (session.list_seconds, session.last_click, session.deepest) == (0, None, 0)


def test_sessions_of_several_people_and_files():
    rows = HEAD + "p\tq\t1\ta\tview\t0\nr\tq\t1\ta\tview\t50\np\tq\t1\ta\tclick\t4\n"
    other = Member("other", io.BufferedReader(io.BytesIO(rows.encode())))
    found = read_sessions([other, log("back 8", "view 2 b 9")])
    assert [(session.participant, session.clicks) for session in found] == [("p", 1), ("r", 0)]
    assert found[0].summaries == {1: "a", 2: "b"}


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (["look 1 a 0"], 2, "the event 'look'.*expected one of view, click"),
        (["click 1 a 0"], 2, "was not in view; expected a view"),
        ([*PAGE, "click 1 b 101"], 5, "document b at rank 1, which was not in view"),
        ([*PAGE, "view 1 z 101"], 5, "document z at rank 1, where a was"),
        ([*PAGE, "save 101"], 5, "save without a document"),
        ([*PAGE, "back 101"], 5, "back without a document"),
        ([*PAGE, "click 1 a 101", "click 2 b 102"], 6, "a click while a document is shown"),
        ([*PAGE, "click 1 a 101", "view 4 d 102"], 6, "a view while a document is shown"),
        ([*PAGE, "click 1 a 101", "save 102", "save 103"], 7, "a second save"),
        ([*PAGE, "click 1 a 101", "save 102", "back 103", "back 104"], 8, "back without"),
        ([*PAGE, "click 1 a 99"], 5, "seconds 99 after 100"),
        ([*PAGE, "end 101", "click 1 a 102"], 6, "click after the end"),
        (["view 0 a 0"], 2, "the rank 0"),
        (["view x a 0"], 2, "the rank 'x'"),
        (["view 1 a x"], 2, "the seconds 'x'"),
        (["view 0"], 2, "the rank ''"),
    ],
)
def test_bad_rows(rows, line, message):
    with pytest.raises(BadFile, match=message) as fault:
        read_sessions([log(*rows)])
    assert str(fault.value).startswith(f"log, line {line}: ")


def test_bad_files():
    text = io.BytesIO(b"participant,query_id,seconds\np,q,1\n")
    with pytest.raises(BadFile, match="no column event"):
        read_sessions([Member("log", io.BufferedReader(text))])
    with pytest.raises(BadFile, match=r"^log: no events; expected at least one session"):
        read_sessions([log()])
