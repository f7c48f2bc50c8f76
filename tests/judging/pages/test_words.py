"""Words of workers' pages: all are marked, gathered and translated."""

import re
from collections.abc import Iterator
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from babel.messages import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(settings.BASE_DIR)
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
KEYWORDS: dict[str, Any] = DEFAULT_KEYWORDS | {
    "gettext_noop": None,
    "gettext_lazy": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
PLACE = re.compile(r"%\((\w+)\)s")
Message = tuple[str, str]  # its context and its singular


def sources() -> Iterator[str]:
    """Python files as they are, templates as Python that calls gettext."""
    for app in ("accounts", "crowd", "evaluation", "judging", "web", "workspace"):
        texts_of_files = (path.read_text() for path in (ROOT / app).rglob("*.py"))
        yield from (text for text in texts_of_files if "gettext" in text)
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text()
        if "i18n" in text:
            yield "\n".join(line.strip() for line in templatize(text).splitlines())


def marked() -> set[Message]:
    """The messages that sources mark."""
    found = set()
    for source in sources():
        for _, messages, _, context in extract("python", BytesIO(source.encode()), KEYWORDS):
            singular = messages if isinstance(messages, str) else messages[0]
            found.add((context or "", singular))
    return found


def folder(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES"


def catalog(language: str) -> Catalog:
    with (folder(language) / "django.po").open("rb") as file:
        return read_po(file)


def singular(message: Any) -> str:
    return message.id[0] if isinstance(message.id, tuple) else message.id


def texts(message: Any) -> list[str]:
    return list(message.string) if isinstance(message.string, tuple) else [message.string]


def places(text: str) -> set[str]:
    """The names of what is put into a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name} | set(PLACE.findall(text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_gathered_and_translated(language: str) -> None:
    """If this fails, run `make messages` and translate what is empty or fuzzy."""
    messages = [message for message in catalog(language) if message.id]
    assert {(message.context or "", singular(message)) for message in messages} == marked()
    assert [message.id for message in messages if message.fuzzy or not all(texts(message))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_name_what_their_messages_do(language: str) -> None:
    for message in catalog(language):
        of_message = places(singular(message)) if message.id else set()
        wrong = [text for text in texts(message) if message.id and places(text) != of_message]
        assert wrong == [], message.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_read_is_what_was_written(language: str) -> None:
    """If this fails, run `make messages`."""
    with (folder(language) / "django.mo").open("rb") as file:
        compiled = GNUTranslations(file)
    for message in catalog(language):
        context = f"{message.context}\4" if message.context else ""
        if isinstance(message.id, tuple):
            singular, plural = message.id
            read = [compiled.ngettext(f"{context}{singular}", plural, n) for n in (1, 2)]
        else:
            read = [compiled.gettext(f"{context}{message.id}")]
        assert not message.id or read == texts(message), message.id


def test_what_takes_the_focus_is_not_announced_besides():
    """Or screen readers read it twice."""
    tags = (
        f"{path.relative_to(ROOT)}: {tag}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for tag in re.findall(r"<\w(?:{%.*?%}|[^>])*>", path.read_text())
        if "autofocus" in tag and re.search(r'role="(alert|status)"', tag)
    )
    assert list(tags) == []
