"""Labels by several people, from tables of any kind."""

import gzip
import io
import json
import tarfile
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from magnitudes.files.containers.archives import open_members
from magnitudes.files.errors import BadFile
from magnitudes.files.labels.opinions import read_opinions
from magnitudes.files.labels.scales import BadScale, Scale

LEVELS = ("Non", "Rel", "HRel")
ROWS = [
    ("401", "D1", "anna", 2, "", ""),
    ("401", "D1", "ben", -1, "", ""),
    ("402", "D1", "anna", 0, "", ""),
    ("401", "D1", "anna", 1, "", ""),
]
TSV = (
    "topicID\tworkerID\tdocID\tlabel\n"
    "401\tanna\tD1\t2\n"
    "401\tben\tD1\t-2\n"
    "402\tanna\tD1\t0\n"
    "401\tanna\tD1\t1\n"
)


def read(tmp_path, content, scale=None, *, name="labels", **options):
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_opinions(open_members([file]), scale or Scale(LEVELS), **options)


def refused(tmp_path, content, scale=None, **options):
    with pytest.raises(BadFile) as fault:
        read(tmp_path, content, scale, **options)
    return str(fault.value).removeprefix(f"{tmp_path}/")


def jsonl(text):
    head, *rows = (line.split("\t") for line in text.splitlines())
    return "\n".join(json.dumps(dict(zip(head, row, strict=True))) for row in rows)


def tarred(text):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as archive:
        info = tarfile.TarInfo("data/labels.tsv")
        info.size = len(text.encode())
        archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        TSV,
        TSV.replace("\t", ","),
        jsonl(TSV),
        gzip.compress(TSV.encode()),
        tarred(TSV),
        TSV.replace("topicID", "query_id").replace("docID", "DOCNO").replace("label", "rel"),
        TSV.replace("\t2", "\tHREL").replace("\t0", "\t0.0").replace("\t-2", "\t"),
        "\ufeff" + TSV.replace("\n", "\r\n"),
    ],
    ids=["tsv", "csv", "jsonl", "gz", "tar.xz", "spellings", "names", "windows"],
)
def test_a_table_of_any_kind_gives_the_same(tmp_path, content):
    found = read(tmp_path, content)
    assert list(found.rows()) == ROWS
    assert (found.workers, found.pairs) == (["anna", "ben"], [("401", "D1"), ("402", "D1")])
    assert sum(found.missing.values()) == 1
    assert found.golds == 0


def test_files_are_read_as_one(tmp_path):
    head, *rows = TSV.splitlines(keepends=True)
    for name, part in (("a", rows[:1]), ("b", rows[1:])):
        (tmp_path / name).write_text(head + "".join(part))
    assert list(read_opinions(open_members([tmp_path]), Scale(LEVELS)).rows()) == ROWS


def test_columns_have_the_names_that_are_given(tmp_path):
    content = "Who,topic,document,Grade-Given,part,try\nanna,401,D1,2,page,first\n"
    columns = {"worker": "who", "label": "grade_given", "aspect": "Part", "occasion": "try"}
    found = read(tmp_path, content, columns=columns)
    assert list(found.rows()) == [("401", "D1", "anna", 2, "page", "first")]


def test_labels_outside_the_scale_are_counted_as_they_are_written(tmp_path):
    found = read(tmp_path, "worker,query_id,doc_id,label\na,1,D,-2\nb,1,D,-2\nc,1,D,?\nd,1,D,9\n")
    assert found.missing == Counter({"-2": 2, "?": 1, "9": 1})
    assert found.levels.tolist() == [-1] * 4


GOLD = "worker\tquery_id\tdoc_id\tlabel\tgold\n"


def test_gold_counts_once_a_document_and_last(tmp_path):
    rows = "a\t1\tD\t0\t2\nb\t1\tD\t1\t2\nb\t1\tE\t1\t-1\n"
    found = read(tmp_path, GOLD + rows, gold="Gold")
    assert list(found.rows())[3:] == [("1", "D", "gold", 2, "", "")]
    assert (len(found), found.golds, found.workers[-1]) == (4, 1, "gold")
    assert "gold" not in read(tmp_path, GOLD + rows).workers


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("", {}, "labels: an empty file; expected at least one line"),
        ("worker,query_id,doc_id,label\n", {}, "labels: no opinions; expected at least one"),
        (
            "worker,query_id,label\na,1,2\n",
            {},
            "labels, line 1: no column doc_id in 'worker, query_id, label'; expected the",
        ),
        (TSV, {"columns": {"worker": "judge"}}, "labels, line 1: no column judge in 'topicid, w"),
        (TSV, {"columns": {"aspect": "part"}}, "labels, line 1: no column part in '"),
        (TSV, {"gold": "truth"}, "labels, line 1: no column truth in '"),
        (TSV + "401\tanna\n", {}, "labels, line 6: 2 cells; expected 4, as in the header"),
        (TSV + "401\t \tD1\t0\n", {}, "labels, line 6: the worker is empty; expected an id"),
        (TSV + "\tben\tD1\t0\n", {}, "labels, line 6: the query_id is empty; expected an id"),
        (TSV + "401\tben\tD 1\t0\n", {}, "labels, line 6: a blank in the doc_id 'D 1'; expected"),
        (TSV + f"401\tben\t{'D' * 256}\t0\n", {}, "has 256 characters; expected at most 255"),
        (TSV + "401\tb\x07n\tD1\t0\n", {}, r"line 6: a control character in the worker 'b\x07n'"),
        (
            TSV.encode() + b"401\tb\xffn\tD1\t0\n",
            {},
            "line 6: the byte 0xff is not UTF-8; expected",
        ),
        (jsonl(TSV) + "\n{", {}, "labels, line 5: not JSON"),
        (
            jsonl(TSV) + '\n{"worker": 1, "query_id": 1, "doc_id": "D", "label": true}',
            {},
            "labels, line 5: 'label' is a bool; expected text or a number",
        ),
        (
            GOLD + "a\t1\tD\t0\t2\na\t1\tD\t0\t-1\na\t1\tD\t0\t1\n",
            {"gold": "gold"},
            "labels, line 4: the gold label '1' is another than in line 2; expected one a document",
        ),
        (
            GOLD + "gold\t1\tD\t0\t2\n",
            {"gold": "gold"},
            "labels, line 2: a worker gold, as labels of a gold column go; expected another name",
        ),
        (
            TSV,
            {"scale": Scale(LEVELS, missing=["-1", "NA"])},
            "labels, line 3: the label '-2'; expected one of Non, Rel, HRel, 0, 1, 2; or, for "
            "none, -1, NA",
        ),
        (
            "worker,query_id,doc_id,label,aspect\na,1,D,2," + "x" * 41 + "\n",
            {},
            "line 2: the aspect 'xxx",
        ),
    ],
)
def test_a_fault_names_file_line_and_what_was_expected(tmp_path, content, options, said):
    assert said in refused(tmp_path, content, **options)


def test_gold_labels_of_two_files_that_contradict_each_other_name_both(tmp_path):
    (tmp_path / "a").write_text(GOLD + "a\t1\tD\t0\t2\n")
    (tmp_path / "b").write_text(GOLD + "b\t1\tD\t0\t1\n")
    with pytest.raises(BadFile, match=r"b, line 2: .* another than in .*/a, line 2;"):
        read_opinions(open_members([tmp_path]), Scale(LEVELS), gold="gold")


@pytest.mark.parametrize(
    ("levels", "values", "missing", "said"),
    [
        (LEVELS, ("0", "1"), None, "2 values; expected 3"),
        (("2", "1", "0"), (), None, "level 2 stands before level 1; expected the lowest first"),
        (("2", "1", "0"), ("a", "b", "c"), None, "level 2 stands before level 1"),
        (("no", "yes"), ("1", "1.0"), None, "'1.0' stands for two levels"),
        (("1", "x"), (), None, "'1' stands for two levels"),
        (("No", "no"), (), None, "'no' stands for two levels"),
        (LEVELS, (), ["-1", "2.0"], "'2.0' is a level"),
    ],
)
def test_a_scale_is_unambiguous(levels, values, missing, said):
    with pytest.raises(BadScale) as fault:
        Scale(levels, values, missing)
    assert said in str(fault.value)


def test_levels_that_are_numbers_are_their_own_values(tmp_path):
    content = "worker,query_id,doc_id,label\na,1,D,1\nb,1,D,3\nc,1,D,0\n"
    assert read(tmp_path, content, Scale(["1", "2", "3"])).levels.tolist() == [0, 2, -1]


def test_missing_labels_may_be_named(tmp_path):
    scale = Scale(LEVELS, missing=["-2"])
    assert list(read(tmp_path, TSV, scale).rows()) == ROWS


names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=8)
opinions = st.tuples(names, names, names, st.integers(-1, 2), st.sampled_from(["", "snippet"]))


@given(st.lists(opinions, min_size=1, max_size=30), st.sampled_from(["csv", "jsonl"]))
def test_what_is_written_is_read(tmp_path_factory, rows, kind):
    keys = ("query_id", "doc_id", "worker", "label", "aspect")
    if kind == "jsonl":
        content = "\n".join(json.dumps(dict(zip(keys, row, strict=True))) for row in rows)
    else:
        quoted = [['"{}"'.format(str(cell).replace('"', '""')) for cell in row] for row in rows]
        content = "\n".join(map(",".join, [keys, *quoted]))
    found = read(tmp_path_factory.mktemp("opinions"), content)
    assert list(found.rows()) == [(*row, "") for row in rows]
