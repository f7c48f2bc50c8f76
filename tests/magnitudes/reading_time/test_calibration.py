"""Calibration: a simulated log gives back what it was made with."""

import json
import math
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from magnitudes.files.containers.archives import open_members
from magnitudes.files.duplicates import read_classes
from magnitudes.files.labels.qrels import read_qrels
from magnitudes.files.lengths import all_lengths
from magnitudes.files.session_logs import read_sessions
from magnitudes.measures.calibrated import calibrated, parameters
from magnitudes.measures.names import parse
from magnitudes.reading_time import ReadingError
from magnitudes.reading_time.activity import Activity, activity
from magnitudes.reading_time.calibration import calibrate, decay, half_life, staying

TRUTH = {
    "half_life": 400.0,
    "summary": 3.0,
    "slope": 0.02,
    "intercept": 6.0,
    "click": 0.6,
    "click_nonrel": 0.3,
    "save": 0.8,
    "save_nonrel": 0.25,
    "seconds_of_later_views": 5.0,
}
HEAD = "participant\tquery_id\trank\tdoc_id\tevent\tseconds\n"
DEPTH, PEOPLE, TOPICS = 900, 60, 4


def simulated(folder: Path, seed: int) -> dict[str, str]:
    """Readers as the measure assumes them; every tenth document is a copy of the one above it."""
    rng = np.random.default_rng(seed)
    lines, labels, lengths, classes = [HEAD], [], ["doc_id\twords\n"], []
    for topic in range(TOPICS):
        words, relevant = rng.integers(50, 1500, DEPTH), rng.random(DEPTH) < 0.4
        copied = np.maximum.accumulate(np.where(rng.random(DEPTH) < 0.1, 0, np.arange(DEPTH)))
        for n in range(DEPTH):
            labels.append(f"{topic} 0 d{topic}-{n} {int(relevant[n])}\n")
            lengths.append(f"d{topic}-{n}\t{words[n]}\n")
            classes.append(f"d{topic}-{n} c{topic}-{copied[n]}\n")
        for person in range(PEOPLE):
            lines += session(rng, person, topic, words, relevant, copied)
    texts = {"log": lines, "qrels": labels, "lengths": lengths, "classes": classes}
    for name, parts in texts.items():
        folder.joinpath(name).write_text("".join(parts))
    return {name: str(folder / name) for name in texts}


def session(rng, person, topic, words, relevant, copied):
    """One reader down one list, from page to page, until time is over."""
    stops = rng.exponential(TRUTH["half_life"] / math.log(2))
    now, lines, seen = 0.0, [], set()

    def row(event, n=None):
        rank, doc_id = ("", "") if n is None else (n + 1, f"d{topic}-{n}")
        lines.append(f"p{person}\t{topic}\t{rank}\t{doc_id}\t{event}\t{now:.4f}\n")

    for n in range(DEPTH):
        if n % 10 == 0:
            for m in range(n, min(n + 10, DEPTH)):
                row("view", m)
        now += rng.gamma(4, TRUTH["summary"] / 4)
        if now > stops:
            break
        kind = "" if relevant[n] else "_nonrel"
        if rng.random() >= TRUTH["click" + kind]:
            continue
        row("click", n)
        reading = TRUTH["intercept"] + TRUTH["slope"] * words[n]
        now += rng.gamma(4, (TRUTH["seconds_of_later_views"] if copied[n] in seen else reading) / 4)
        seen.add(copied[n])
        if rng.random() < TRUTH["save" + kind]:
            row("save")
            now += 0.5
        row("back")
    return lines


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return simulated(tmp_path_factory.mktemp("log"), 7)


@pytest.fixture(scope="module")
def log(files):
    return activity(
        read_sessions(open_members([files["log"]])),
        read_qrels(open_members([files["qrels"]])),
        all_lengths(open_members([files["lengths"]])),
        read_classes(open_members([files["classes"]])),
    )


@pytest.mark.parametrize("name", [name for name in TRUTH if name != "half_life"])
def test_parameters_are_found_within_their_errors(log, name):
    found = {row.parameter: row for row in parameters(calibrate(log))}[name]
    assert found.reason == ""
    assert found.participants > 0.8 * PEOPLE
    assert abs(found.value - TRUTH[name]) < 3 * found.error + allowed(log, name)
    assert 0 < found.error < 0.06 * TRUTH[name]


def allowed(log, name):
    """The last summary that counts was clicked on: about (1 - P) / M more, in the mean by M."""
    if not name.startswith("click"):
        return 0.0
    deep = log.deepest[log.deepest > 0]
    return (1 - TRUTH[name]) * len(deep) / deep.sum()


def test_views_of_copies_are_kept_out_of_the_line(log, files):
    without = activity(
        read_sessions(open_members([files["log"]])),
        words=all_lengths(open_members([files["lengths"]])),
    )
    assert log.view_again.sum() > 100
    assert not without.view_again.any()
    lines = calibrate(log).line, calibrate(without).line
    assert lines[0].views[0] + log.view_again.sum() == lines[1].views[0]
    assert lines[0].r2[0] > lines[1].r2[0] + 0.01


def lasting(ends, people=None):
    """A log that tells nothing but when sessions ended."""
    n = len(ends)
    none = np.empty(0, dtype=np.int64)
    people = np.arange(n) if people is None else people
    five = np.full(n, 5)
    empty = [none, none, np.empty(0), none.astype(bool)]
    views = [none, np.empty(0), none.astype(bool), np.empty(0), np.empty(0), none.astype(bool)]
    return Activity(people, np.zeros(n), five, five, np.asarray(ends, float), *empty, *views)


def test_half_lives_are_found_as_often_as_their_errors_say():
    """Two sessions of each person are as long as one another."""
    within = 0
    for seed in range(200):
        ends = np.random.default_rng(seed).exponential(224 / math.log(2), 80)
        found = half_life(lasting(np.repeat(ends, 2), np.repeat(np.arange(80), 2)))
        within += abs(found.value - 224) < 1.99 * found.error
    assert 0.90 <= within / 200 <= 0.99


def test_the_half_life_is_of_the_nearest_curve():
    ends = np.random.default_rng(0).gamma(2, 120, 300)
    log = lasting(ends)
    times = np.linspace(0, 20_000, 2_000_001)
    shares = staying(log, times)
    found = half_life(log).value

    def off(h):
        return ((shares - 2 ** (-times / h)) ** 2).sum()

    assert off(found) < min(off(found * 1.001), off(found * 0.999))
    assert staying(log, [0, np.median(ends), ends.max(), 1e9]).tolist() == pytest.approx(
        [1, 0.5, 1 / 300, 0]
    )


def test_sessions_that_do_not_tell_the_half_life():
    log = lasting([100, 200, 300, 1801])
    log.clicks[0] = 4
    assert half_life(log).entries == 2
    for ends in ([], [0, 0], [2000]):
        found = half_life(lasting(ends))
        assert math.isnan(found.value)
        told = "at least 5 clicks in 1800 s"
        expected = f"all sessions of {told} end at 0" if 0 in ends else f"no session of {told}"
        assert found.reason == expected
    assert np.isnan(staying(lasting([]), [1])).all()
    one = half_life(lasting([100, 200], np.zeros(2, dtype=int)))
    assert one.value > 0
    assert math.isnan(one.error)
    assert "one participant" in one.reason


def test_why_there_is_no_half_life_is_what_is_so():
    people = np.arange(9)
    most = decay([0, 0, 0, 0, 0, 0, 0, 10, 20], people, "worker", " of two units")
    assert most.reason == "more than three quarters of workers of two units end at 0"
    assert decay([0] * 9, people, "worker").reason == "all workers end at 0"
    enough = decay([0, 0, 0, 0, 0, 0, 10, 10, 20], people, "worker")
    assert enough.value > 0
    assert "end at 0" not in enough.reason


def test_arrays_that_do_not_fit():
    with pytest.raises(ReadingError, match="view_session"):
        calibrate(lasting([1, 2])._replace(view_words=np.zeros(3)))
    with pytest.raises(ReadingError, match="participant"):
        calibrate(lasting([1, 2])._replace(clicks=np.zeros(3)))


def command(*arguments):
    out, said = StringIO(), StringIO()
    call_command("calibrate_time", *arguments, stdout=out, stderr=said)
    return out.getvalue(), said.getvalue()


def with_files(files):
    return [
        files["log"],
        *("--qrels", files["qrels"], "--documents", files["lengths"]),
        *("--duplicates", files["classes"]),
    ]


def test_the_command_prints_what_can_be_pasted(files, log):
    out, said = command(*with_files(files))
    *table, name = out.splitlines()
    assert parse(name) == calibrated(parameters(calibrate(log)))
    assert set(parse(name).options) == {*TRUTH} - {"save_nonrel", "seconds_of_later_views"}
    head, *cells = (line.split("\t") for line in table)
    assert head == ["parameter", "value", "error", "entries", "participants", "reason"]
    assert {row[0] for row in cells} > set(TRUTH)
    assert said.startswith(f"{PEOPLE * TOPICS} sessions of {PEOPLE} participants, ")
    told = json.loads(command(*with_files(files), "--format", "json")[0])
    assert told["measure"] == name
    assert [row["parameter"] for row in told["parameters"]] == [row[0] for row in cells]
    for row, cell in zip(told["parameters"], cells, strict=True):
        assert ("" if row["error"] is None else repr(row["error"])) == cell[2]


def test_what_a_log_alone_tells(files):
    out, said = command(files["log"])
    assert set(parse(out.splitlines()[-1]).options) == {"half_life", "summary"}
    assert "slope: 0.018, the paper's (needs --documents)" in said
    assert "click: 0.64, the paper's (needs --qrels)" in said


@pytest.mark.parametrize(
    ("events", "labels", "said"),
    [
        ("", "1 0 a 1\n", ["summary no session with a click", "click no session with a click"]),
        ("", "1 0 a 1\n", ["save no session with a click", "save_nonrel no session with a click"]),
        (
            "p,1,1,a,click,1\np,1,,,back,2\n",
            "1 0 a 1\n1 0 b 0\n",
            [
                "click_nonrel no non-relevant summary down to the last that was clicked on",
                "save_nonrel no non-relevant document was viewed",
                "seconds_of_later_views no later view has a known end",
            ],
        ),
    ],
)
def test_why_there_is_no_number(tmp_path, events, labels, said):
    head = "participant,query_id,rank,doc_id,event,seconds\n"
    (tmp_path / "log").write_text(f"{head}p,1,1,a,view,0\np,1,2,b,view,0\n{events}")
    (tmp_path / "qrels").write_text(labels)
    out, _ = command(str(tmp_path / "log"), "--qrels", str(tmp_path / "qrels"))
    cells = [line.split("\t") for line in out.splitlines()[1:-1]]
    assert set(said) <= {f"{row[0]} {row[5]}" for row in cells}


def test_a_number_that_the_measure_cannot_have(tmp_path):
    """Shorter documents took longer: no time has a negative slope."""
    rows = ["p,1,1,a,view,0", "p,1,2,b,view,0", "p,1,3,c,view,0"]
    for n, (doc_id, seconds) in enumerate([("a", 30), ("b", 20), ("c", 5)]):
        rows += [f"p,1,{n + 1},{doc_id},click,{100 * n}", f"p,1,,,back,{100 * n + seconds}"]
    (tmp_path / "log").write_text(
        "participant,query_id,rank,doc_id,event,seconds\n" + "\n".join(rows)
    )
    (tmp_path / "lengths").write_text("doc_id,words\na,1\nb,2\nc,3\n")
    out, said = command(str(tmp_path / "log"), "--documents", str(tmp_path / "lengths"))
    assert "slope" not in parse(out.splitlines()[-1]).options
    assert "slope: 0.018, the paper's (not for the measure: must lie from 0" in said


def test_bad_files_are_named(files, tmp_path):
    bad = tmp_path / "bad"
    bad.write_text(HEAD + "p\t1\t1\ta\tlook\t0\n")
    with pytest.raises(CommandError, match="bad, line 2: the event 'look'; expected one of view"):
        command(str(bad))
    bad.write_text("a 1\na 2\n")
    with pytest.raises(CommandError, match="in the class 2, and in the class 1"):
        command(files["log"], "--duplicates", str(bad))
