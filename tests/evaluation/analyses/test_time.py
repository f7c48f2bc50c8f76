"""What is said of time: values on small studies, and no stumbling over strange ones."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evaluation.cache.page import Links, answering
from tests.factory.arrays import analysed, make_study, make_topic, random_study, table
from tests.factory.texts import WITH_TEXTS, with_texts

# --- reading ----------------------------------------------------------------------------------


def times(data, a, b):
    """The same study, with a s for a word and b s besides, half of it more for odd workers."""
    topics = [
        replace(
            topic,
            seconds=(a * data.lengths[number][topic.codes[topic.places]] + b)
            * (1 + topic.workers[:, np.newaxis] % 2 / 2),
        )
        for number, topic in enumerate(data.topics)
    ]
    return replace(data, topics=topics)


def test_the_line_is_that_of_first_views():
    data = times(with_texts(random_study(units=30)), 0.2, 10)
    data = replace(data, topics=[replace(t, workers=np.arange(30)) for t in data.topics])
    found = analysed("reading", data)
    words = np.concatenate([data.lengths[0][t.codes[t.places]].ravel() for t in data.topics])
    slope, intercept = np.polyfit(words, data.judgments.seconds, 1)
    assert (found.numbers["slope"], found.numbers["intercept"]) == pytest.approx((slope, intercept))
    rows = {row[0]: row for row in table(found, "lines").rows}
    for topic in data.topics:
        of = np.polyfit(data.lengths[0][topic.places].ravel(), topic.seconds.ravel(), 1)
        assert (rows[topic.query_id][3], rows[topic.query_id][5]) == pytest.approx(tuple(of))
        assert rows[topic.query_id][2] == 30


def test_documents_seen_before_and_near_duplicates_are_apart():
    """One worker judges the topic's only unit and one of another topic, then another worker."""
    text = "one and the same words " * 9
    topics = [
        make_topic([[1, 2, 3, 4]], [[0, 1, 2, 3]], [0, 3, 1, 1], query_id=query, workers=[worker])
        for query, worker in (("401", 0), ("402", 0), ("403", 1))
    ]
    topics = [replace(topic, doc_ids=["A", "B", "C", "D"]) for topic in topics]
    topics[1] = replace(topics[1], doc_ids=["E", "C", "F", "G"], finished=np.array([60.0]))
    data = with_texts(make_study(*topics), B=text, D=text, G="something else")
    found = analysed("reading", data)
    rows = {row[0]: row for row in table(found, "lines").rows}
    # D is like B, in 401 and in 403; C was seen on 401.
    assert (rows["first views"][1], rows["repeated"][1]) == (9, 3)
    assert [rows[query][-1] for query in ("401", "402", "403")] == [2, 0, 2]


def test_what_comes_later_is_what_is_repeated():
    topics = [
        make_topic([[1, 2, 3, 4]], [[0, 1, 2, 3]], [0, 3, 1, 1], query_id=query, workers=[0])
        for query in ("401", "402")
    ]
    first, second = (replace(topic, doc_ids=["A", "B", "C", "D"]) for topic in topics)
    first = replace(first, finished=np.array([99.0]))
    rows = table(analysed("reading", with_texts(make_study(first, second))), "lines").rows
    assert [row[1] for row in rows] == [4, 4, 4, 0, 4]


def test_long_views_are_counted_and_left_out_beside():
    data = times(with_texts(random_study(units=30)), 0.1, 20)
    data.topics[0].seconds[0, 0] = 3000
    found = analysed("reading", data)
    rows = {row[0]: row for row in table(found, "lines").rows}
    assert rows["first, up to 10 minutes"][1] == rows["first views"][1] - 1
    assert rows["first, up to 10 minutes"][8] < rows["first views"][8]


def test_predictions_are_of_units_left_out():
    data = with_texts(random_study(units=30))
    rows = table(analysed("reading", data), "predictions").rows
    assert [row[0] for row in rows] == ["one line", "one line a topic"]
    assert all(row[1] + row[2] == rows[0][1] for row in rows)
    assert all(row[-1] == data.seed for row in rows)


# --- reader -----------------------------------------------------------------------------------


def tbg(topic, lengths, listed, a=0.018, b=7.8):
    """Equations (3), (4) and (6), one document after the other."""
    of = {c: g for c, g in zip(topic.codes, topic.gains, strict=True) if not np.isnan(g)}
    least = np.sqrt(topic.gains[topic.h_k] * topic.gains[topic.n_k])
    seconds, saved = 0.0, 0.0
    for code in listed:
        if code < 0:
            break
        relevant = of.get(code, 0) >= least
        saved += relevant * 0.64 * 0.77 * 2 ** (-seconds / 224)
        seconds += 4.4 + (a * lengths[code] + b) * (0.64 if relevant else 0.39)
    return saved


def test_tbg_is_that_of_a_plain_loop_for_either_reader():
    data = times(with_texts(random_study(3, units=30, runs=9, topics=7)), 0.01, 9)
    found = analysed("reader", data)
    line = analysed("reading", data).numbers
    rows = {row[0]: row for row in table(found, "systems").rows}
    columns = table(found, "systems").columns
    for a_b, name in (((), "tbg"), ((line["slope"], line["intercept"]), "tbg_of_study")):
        for run, system in enumerate(data.runs):
            each = [
                tbg(topic, lengths, topic.lists[run], *a_b)
                for topic, lengths in zip(data.topics, data.lengths, strict=True)
            ]
            assert rows[system][columns.index(name)] == pytest.approx(np.mean(each))
    order = [row[columns.index("tbg")] for row in table(found, "systems").rows]
    assert order == sorted(order, reverse=True)
    assert all(
        row[columns.index("expected_saved")] >= row[columns.index("tbg")] for row in rows.values()
    )


def test_names_of_systems_are_said_by_dots_so_that_one_can_be_marked():
    found = analysed("reader", with_texts(random_study(units=30)))
    for part in found.parts:
        if part.name.startswith("systems-"):
            assert [row["name"].split(": ")[0] for row in part.data["rows"]] == [
                row[0] for row in part.rows
            ]
    (gain,) = (part for part in found.parts if part.name == "gain-in-time")
    plain = gain.to_json()["svg"]
    links = Links("lamps", frozenset(), "")
    one = answering(plain, {"system": "run-02"}, links)
    assert re.findall(r'class="one-line" [^>]*><title>([^:]*): ', one) == ["run-02"]
    assert answering(plain, {"system": "run-0"}, links) == answering(plain, {}, links)


def test_who_has_a_document_of_unknown_length_is_left_out_by_name():
    data = with_texts(random_study(units=30, topics=1))
    [topic] = data.topics
    assert (topic.lists[:, 0] != topic.lists[0, 0]).any()
    code = topic.lists[0, 0]
    data.collected.lengths[code] = np.nan
    found = analysed("reader", data)
    named = next(said for said in found.sentences if said.startswith("Left out"))
    systems = {row[0] for row in table(found, "systems").rows}
    assert systems
    assert all((run in named) != (run in systems) for run in data.runs)


def test_nobody_was_timed_elsewhere():
    found = analysed("reader", WITH_TEXTS["opinions given elsewhere"]())
    assert [row[0] for row in table(found, "agreement").rows] == ["the paper's reader"]


def test_lines_that_fall_are_no_reader():
    data = times(with_texts(random_study(units=30)), -0.01, 90)
    found = analysed("reader", data)
    assert [row[0] for row in table(found, "agreement").rows] == ["the paper's reader"]


def test_where_the_slope_may_be_nothing_no_time_is_named():
    """Times have nothing to do with length, and one line in twenty would seem to."""
    data = with_texts(random_study(4, topics=3, units=30))
    rng = np.random.default_rng(3)
    for topic in data.topics:
        topic.seconds[:] = rng.lognormal(4, 1, topic.seconds.shape)
    found = analysed("reading", data)
    (figure,) = (part for part in found.parts if part.name == "seconds-by-words")
    assert all(row["mean_seconds"] >= 0 for row in figure.data["line"])


def test_time_to_a_rank_adds_up_what_came_before():
    data = times(with_texts(random_study(units=30)), 0.2, 10)
    data = replace(data, topics=[replace(t, workers=np.arange(30)) for t in data.topics])
    found = analysed("reading", data)
    (figure,) = (part for part in found.parts if part.name == "time-to-rank")
    size = data.topics[0].places.shape[1]
    measured = np.mean([t.seconds.mean(axis=0) for t in data.topics], axis=0)
    assert [row[0] for row in figure.rows] == list(range(1, size + 2))
    assert [row[2] for row in figure.rows] == pytest.approx([0, *np.cumsum(measured)])
    assert figure.rows[-1][1] == pytest.approx(figure.rows[-1][2], rel=0.1)
    reached = np.concatenate([t.seconds.cumsum(axis=1) for t in data.topics])
    band = np.quantile(reached, (0.1, 0.9), axis=0)
    assert [row[3:] for row in figure.rows[1:]] == [pytest.approx(ends) for ends in band.T]
    assert [(row["low"], row["high"]) for row in figure.data["rows"][1:]] == [
        pytest.approx(ends) for ends in band.T
    ]
    off = re.search(r"not fitted to within ([\d.]+) s on average", figure.title)
    units = np.concatenate([t.seconds.sum(axis=1) for t in data.topics])
    assert off
    assert 0.5 < float(off[1]) / np.abs(units - units.mean()).mean() < 1.5


def test_how_long_workers_go_on_is_drawn_beside_the_curve_that_fits():
    """Times that fall off exponentially, and one who did all."""
    data = with_texts(random_study(4, topics=2, units=60))
    rng = np.random.default_rng(1)
    size = data.topics[0].places.shape[1]
    each = rng.exponential(100, 120)
    for place, topic in enumerate(data.topics):
        topic.seconds[:] = each[60 * place : 60 * (place + 1), np.newaxis] / size
    data = replace(
        data,
        topics=[
            replace(t, workers=np.arange(60) + 60 * place) for place, t in enumerate(data.topics)
        ],
        workers=[f"worker-{n}" for n in range(120)],
    )
    (figure,) = (p for p in analysed("reading", data).parts if p.name == "staying")
    for seconds, share, fitted in figure.rows:
        assert share == pytest.approx((each > seconds + 1e-9).mean(), abs=1 / 120)
        assert fitted == pytest.approx(2 ** (-seconds / (100 * np.log(2))), abs=0.1)
    assert not [
        p
        for p in analysed("reading", with_texts(random_study(units=3))).parts
        if p.name == "staying"
    ]


def test_intervals_of_topics_allow_for_few_workers():
    found = analysed("reading", with_texts(random_study(4, topics=3)))
    lines = {row[0]: row for row in table(found, "lines").rows}
    (slopes,) = (part for part in found.parts if part.name == "slopes")
    assert len(slopes.rows) == 3
    for topic, mean, low, high in slopes.rows:
        _, _, workers, slope, error, *_ = lines[topic]
        assert mean == pytest.approx(1000 * slope)
        assert high - mean == pytest.approx(1000 * stats.t.ppf(0.975, workers - 1) * error)
        assert mean - low == pytest.approx(high - mean)
