"""Readers of what people type, bring in an address, or keep in a browser."""

import base64
import json
import time
from contextlib import suppress
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from django.core import signing
from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict

from judging.collections.cleaning import clean_text
from judging.levels import parse_level
from judging.models import Study
from judging.numbers import InvalidScore, parse_score
from judging.pages import forms, identity
from judging.platforms import PLATFORMS, Completion, participant_from
from judging.platforms.prolific import TOKEN, published_keys
from judging.studies import personal_links
from tests.fuzzing.reader import Reader, split, text_of
from tests.fuzzing.samples import SGML_WORDS
from tests.hostile_texts import REPEATED
from web.encryption import CannotDecrypt, decrypt, encrypt, name_of

HOST = "example.org"
LEVELS = ["no", "some", "much"]
STUDY = Study(pk=1, slug="demo")
FORMS = (
    *(forms.ConsentForm, forms.LineForm, forms.ResumeForm, forms.WithdrawForm),
    *(forms.NoteForm, forms.TypedForm),
)
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ALGORITHM = jwt.algorithms.RSAAlgorithm(jwt.algorithms.RSAAlgorithm.SHA256)
NOBODY = (signing.BadSignature, SuspiciousOperation)


def _published() -> None:
    """Have one key published, as if it had been fetched, and nothing fetched any more."""
    known = published_keys(settings.PROLIFIC_KEYS_URL)
    public = json.loads(ALGORITHM.to_jwk(KEY.public_key())) | {"kid": "k", "alg": "RS256"}
    known.keys, known.asked_at = {"k": jwt.PyJWK(public)}, time.monotonic() + 1e9


def _typed(data: bytes) -> None:
    text = text_of(data)
    for read in (parse_score, lambda typed: parse_level(typed, LEVELS)):
        try:
            read(text)
        except InvalidScore as refusal:
            str(refusal)


def _forms(data: bytes) -> None:
    sent = QueryDict(data)
    for form in FORMS:
        form(sent).is_valid()
    forms.NoteForm(sent).unsent_note()
    forms.read_submission(sent, 1)
    asked = forms.QuestionForm("what?", ["a", "b", "c", "d"], sent)
    if asked.is_valid():
        assert asked.chosen


def _links(data: bytes) -> None:
    _published()
    participant_from(QueryDict(data), HOST)


def _ways_back(data: bytes) -> None:
    """A completion code, and an address to go back to, as a researcher types them."""
    code, _, address = text_of(data).partition("\n")
    for platform in PLATFORMS.values():
        completion = Completion(code, address)
        if not platform.faults(completion):
            platform.way_back(completion, "1001")


def _tokens(data: bytes) -> None:
    """A token as it comes, and one whose claims are these and which is signed."""
    _published()
    text = text_of(data)
    participant_from({TOKEN: text}, HOST)
    header = _letters(b'{"alg": "RS256", "kid": "k"}')
    signed = b".".join((header, _letters(data)))
    signature = _letters(ALGORITHM.sign(signed, KEY))
    participant_from({TOKEN: b".".join((signed, signature)).decode()}, HOST)


def _letters(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _personal(data: bytes) -> None:
    text = text_of(data)
    personal_links.participant_of(STUDY, text)
    if not text.strip().lstrip("+-").replace("_", "").isdecimal():  # a number would be looked up
        personal_links.participant_of(STUDY, personal_links._signer(STUDY).sign(text))


def _cookies(data: bytes) -> None:
    """A cookie as it comes, and one that this site signed, perhaps of another release."""
    identity.arrival_of_cookie(1, text_of(data))
    try:
        said = json.loads(text_of(data))
    except (ValueError, RecursionError):
        return
    identity.arrival_of_cookie(1, identity._signer(1).sign_object(said))


def _encrypted(data: bytes) -> None:
    text = text_of(data)
    for stored in (text, f"{NAME}.{text}"):
        with suppress(CannotDecrypt):
            decrypt(stored, "somebody")


NAME = name_of(settings.ENCRYPTION_KEYS[0])
CLAIMS: dict[str, Any] = {
    "exp": 4e9,
    "aud": "https://example.org",
    "prolific": {"PROLIFIC_PID": "a"},
}

PEOPLE = (
    Reader(
        "scores",
        _typed,
        (),
        split("12 0.5 1/3 2½ ٣٫٥ 1,000 1.000,5", b"2 1/2", b"5 kg"),
        "judging.numbers.parse_score judging.numbers.exact_score judging.levels.parse_level",
        split("/ , . ' - ½ ⁄ ² 1e5 inf", b" "),
    ),
    Reader(
        "forms of workers",
        _forms,
        (SuspiciousOperation,),
        (
            b"score=12&justification=a+b&visible_seconds=1.5&hidden_seconds=&pasted_characters=3",
            b"agreed=on&answer=2&code=AB-CD&kind=other&note=%C3%A9&comment=x&score=%D9%A3",
        ),
        "judging.pages.forms.read_submission judging.pages.forms.TypedForm",
        split(
            "&score= &visible_seconds= &pasted_characters= &answer= &code= "
            "%00 %ED%A0%80 1e999 nan + %"
        ),
    ),
    Reader(
        "links of platforms",
        _links,
        (SuspiciousOperation,),
        (
            b"PROLIFIC_PID=5f1&STUDY_ID=s&SESSION_ID=t",
            b"participantId=1&assignmentId=2",
            b"id=1001",
            b"prolific_token=e30.e30.e30&PROLIFIC_PID=x",
        ),
        "judging.platforms.participant_from",
        (b"&prolific_token=", b"%00", b"%ED%A0%80", b"&id=", b"."),
    ),
    Reader(
        "ways back to platforms",
        _ways_back,
        (),
        (
            b"C1A2\nhttps://a.sona-systems.com/webstudy_credit.aspx?experiment_id=1&survey_code=XX",
            b"\nhttp://[::1]/?survey_code=",
        ),
        (
            "judging.platforms.platform.code_fault judging.platforms.platform.address_fault "
            "judging.platforms.sona.Sona.way_back"
        ),
        (b"//[", b"survey_code=", b"&", b";", b"\xe2\x84\x80", b"%ED%A0%80", b"cc="),
    ),
    Reader(
        "signed links of platforms",
        _tokens,
        (),
        (
            json.dumps(CLAIMS).encode(),
            json.dumps({**CLAIMS, "aud": ["a", "example.org"]}).encode(),
            b"eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.e30.AAAA",
        ),
        (
            "judging.platforms.prolific.Prolific.read "
            "judging.platforms.prolific.Prolific._signed_parameters"
        ),
        (b'"aud"', b'"exp"', b'"prolific"', b"//[", b"null", b"[", b"{", b"1e400", b"NaN", b"."),
    ),
    Reader(
        "personal links",
        _personal,
        (),
        (b"12:abc", b"a", b"1:" + b"A" * 43),
        "judging.studies.personal_links.participant_of",
        (b":", b"-", b"\0"),
    ),
    Reader(
        "cookies of workers",
        _cookies,
        (),
        (b'{"pseudonym": "a", "platform": "", "external_id": ""}', b"[1]", b"a:b:c"),
        "judging.pages.identity.arrival_of_cookie",
        (b":", b".", b"null", b"{", b"[", b'"x":'),
    ),
    Reader(
        "encrypted ids",
        _encrypted,
        (),
        (
            encrypt("a", "somebody").partition(".")[2].encode(),
            b"a.b",
        ),
        "web.encryption.decrypt",
        (b"=", b".", b"-_"),
    ),
    Reader(
        "documents to be shown",
        lambda data: clean_text(data.decode(errors="replace"), is_html=True),
        (),
        (
            b"<h1>a</h1><p>b &amp; c<table><tr><td colspan=\"2\" rowspan='3'>d</table><ul><li>e",
            b"<svg><script>x</script></svg><b><i>a</b></i><!-- c --><style>s</style><dl><dt>d<dd>e",
            *(unit.encode() * 3 for unit in REPEATED.values()),
        ),
        "judging.collections.cleaning.clean_text",
        (*SGML_WORDS, b"<td colspan=", b"<td rowspan= ", b"&#x", b"9", b" ", b"<svg/>", b"</p>"),
    ),
)
