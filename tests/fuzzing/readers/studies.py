"""Readers of what a researcher writes: settings, names of measures, lists of people, uploads."""

import io
import json
from types import SimpleNamespace
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms.utils import ErrorDict
from django.http import QueryDict
from rest_framework.exceptions import APIException

from evaluation.analyses.question import BadQuestion, Question, question
from judging.levels import InvalidLevels, read_descriptions, read_levels
from judging.models import Collection, Study, Topic
from judging.payments.matching import _names_in
from judging.settings import BY_NAME
from judging.studies.configuration.participants import read_ids
from judging.studies.configuration.settings import StudyForm, read_toml
from judging.studies.configuration.topic_settings import TopicForm
from judging.studies.faults import BadStudy, faults_of, unknown_names
from magnitudes.files.containers.recoding import UnknownEncoding, known_encoding
from magnitudes.files.errors import BadFile
from magnitudes.gains import GainError, named
from magnitudes.measures.names import MeasureNameError, parse
from tests.fuzzing.reader import Reader, drained, split, text_of
from web.long_lists import Column, listed
from workspace.api.uploads import _metadata
from workspace.archive import encryption
from workspace.imports.uploads import Refused, _refuse_odd_name
from workspace.payment_pages import PaymentList
from workspace.setup.forms import Ids

STUDY_TOML = b"""\xef\xbb\xbftitle = "A study"
scale = "levels"
levels = ["no", "some", "much"]
level_descriptions = ["a", "b", "c"]
payment = 1.50
platform_fee = 33.3
unit_size = 8
redundancy = 15
demo = false
consent = '''
Some text.
'''
excluded_studies = ["other"]

[topics.401]
h_k = "FT911-1"
n_k = "FT911-2"
question = "What?"
options = ["a", "b", "c", "d"]
answer = "a"

[topics."402"]
documents = []
"""
TOML_WORDS = (
    *split("[ ] { } a. [[ \"\"\" ''' nan inf 1e99999999999999999999"),
    *(b"0x", b"1979-05-27T07:32:00Z", b"25:61:61", b"\\u0000", b"\\ud800", b"true", b"= ", b"# "),
    *(b"-9223372036854775809", b"title", b"payment", b"minimum_seconds", b"levels", b"topics"),
)
MEASURES = (
    b"nDCG(dcg='jk')@10",
    b"P(rel=2)@5",
    b"TBG(half_life=224,slope=0.018)",
    b"ERR(unit='n_k')@10",
    b"udm:1/3",
    b"unanimity:0.5",
    b"RBP(p=.8)",
)
ROWS = list(range(120))
COLUMNS: list[Column[int]] = [Column("number", "Number", lambda row: row)]


class Fields(StudyForm):
    """A study's settings, without what is to be looked up in the database."""

    def _post_clean(self) -> None:
        """The fields alone."""


class TopicFields(TopicForm):
    """A topic's settings, without what is to be looked up in the database."""

    def _unknown_ids(self) -> tuple[str, ...]:
        return ()


def _settings(data: bytes) -> None:
    values = read_toml(io.BytesIO(data))
    tables = values.pop("topics", {})
    drained(unknown_names(values, BY_NAME))
    study = Study(collection=Collection(slug="c"))
    drained(faults_of(Fields(study, {n: v for n, v in values.items() if n in BY_NAME})))
    for table in tables.values() if isinstance(tables, dict) else ():
        if isinstance(table, dict):
            drained(faults_of(TopicFields(Topic(), table)))


def _levels(data: bytes) -> None:
    try:
        given = json.loads(text_of(data))
    except (ValueError, RecursionError):
        return
    for read in (read_levels, read_descriptions):
        try:
            read(given)
        except InvalidLevels:
            continue


def _measures(data: bytes) -> None:
    text = text_of(data)
    for read in (parse, named.parse):
        try:
            read(text)
        except (MeasureNameError, GainError):
            continue


def _question(data: bytes) -> None:
    study = Study(unit_size=8)
    asked = question(
        study, ("measure", "gains", "reader", "first", "tries"), QueryDict(data).dict()
    )
    assert Question.read(str(asked)) == asked
    tries = int(asked.tries or 1)
    assert 1 <= tries <= 999


def _ids(data: bytes) -> None:
    form = Ids({})
    form.cleaned_data = {"file": _file(data)}
    read_ids(form.lines_of_file())


def _payments(data: bytes) -> None:
    form = PaymentList({})
    form._errors = ErrorDict()
    form.cleaned_data = {"file": _file(data), "names": "", "decision": "paid"}
    drained(_names_in(form.clean().get("names", "")))


def _file(data: bytes) -> Any:
    return SimpleUploadedFile("list.csv", data)


def _long_list(data: bytes) -> None:
    listed(ROWS, QueryDict(data), COLUMNS, "place")


def _announced(data: bytes) -> None:
    header = data.decode("latin-1")
    request: Any = SimpleNamespace(headers={"Upload-Metadata": header})
    about = _metadata(request)
    _refuse_odd_name(about.get("filename", ""))
    known_encoding(about.get("encoding", "utf-8"))


STUDIES = (
    Reader(
        "study.toml",
        lambda data: read_toml(io.BytesIO(data)),
        (BadStudy,),
        (STUDY_TOML, b"a = [{b = 1}, {c = 2}]\nd.e.f = 1979-05-27\n[[g]]\nh = 1e3\n"),
        (
            "judging.studies.configuration.settings.read_toml "
            "judging.studies.configuration.settings.read_config"
        ),
        TOML_WORDS,
    ),
    Reader(
        "settings of studies",
        _settings,
        (BadStudy,),
        (STUDY_TOML,),
        (
            "judging.studies.configuration.settings.StudyForm "
            "judging.studies.configuration.topic_settings.TopicForm"
        ),
        TOML_WORDS,
    ),
    Reader(
        "names of levels",
        _levels,
        (),
        (b'["no", "some", "much"]', b'["1", "2", "10"]', b'["a"]'),
        "judging.levels.read_levels judging.levels.read_descriptions",
        (b'"1e400"', b'"nan"', b"null", b"[", b'"\\ud800"'),
    ),
    Reader(
        "names of measures and gains",
        _measures,
        (),
        MEASURES,
        "magnitudes.measures.names.parse magnitudes.gains.named.parse",
        (b"(", b")", b"@", b",", b"=", b"'", b"1e999", b"-", b":", b"/", b"0" * 30),
    ),
    Reader(
        "questions of analyses",
        _question,
        (BadQuestion, SuspiciousOperation),
        (
            b"measure=AP@10&gains=linear&first=all&tries=3",
            b"reader=TBG(slope=0.02)&tries=999",
            b"first=12&gains=udm:1/2",
        ),
        "evaluation.analyses.question.question evaluation.analyses.question.Question.read",
        (b"&tries=", b"&first=", b"&measure=", b"%D9%A3", b"0" * 9, b"\xd9\xa3"),
    ),
    Reader(
        "lists of people",
        _ids,
        (BadStudy,),
        (b"\xef\xbb\xbfada\nben\r\n\n", b"5f1\x0bada"),
        (
            "judging.studies.configuration.participants.read_ids "
            "workspace.setup.forms.Ids.lines_of_file"
        ),
        (b",", b"\x0b", b"\x1c", b"\xe2\x80\xa8", b"\0", b"hmac."),
    ),
    Reader(
        "lists of payments",
        _payments,
        (),
        (
            b'\xef\xbb\xbfcode,status\nAB-1,approved\n"C\nD",paid\n',
            b"P1,1.50\nP2;2\n",
            b"Participant id\tStatus\nx\tAPPROVED\n",
        ),
        "judging.payments.matching._cells judging.payments.matching._column",
        (b"code", b"status", b",", b";", b'"', b"\x0b", b"\x1c", b"\xe2\x80\xa8", b"\0", b"paid"),
    ),
    Reader(
        "places in long lists",
        _long_list,
        (SuspiciousOperation,),
        (b"sort=-number&page=2", b"page=last", b"sort=number&page=99999"),
        "web.long_lists.listed",
        (b"&page=", b"&sort=", b"-", b"%00", b"\xd9\xa3", b"1e9", b"\xc2\xb2"),
    ),
    Reader(
        "announced uploads",
        _announced,
        (APIException, Refused, UnknownEncoding),
        (b"filename dG9waWNzLnR4dA==,encoding bGF0aW4tMQ==", b"name YQ==", b""),
        "workspace.api.uploads._metadata workspace.imports.uploads._refuse_odd_name",
        (b",", b" ", b"filename ", b"encoding ", b"Li4=", b"AA==", b"/w=="),
    ),
    Reader(
        "sealed ids of an archive",
        encryption.parse_content,
        (BadFile,),
        (b'{"accounts": [["ada", "prolific", "P1", {}]], "participants": ["P1"], "codes": []}',),
        "workspace.archive.encryption.decrypt_ids workspace.archive.encryption.parse_content",
        (b"[", b"{", b"null", b"NaN", b"1e400"),
    ),
)
