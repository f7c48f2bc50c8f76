"""Values of a model's field as JSON, and untrusted JSON as values of a field."""

import json
import math
import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models

from magnitudes.files.errors import shown
from magnitudes.files.parsing.fields import UNPRINTABLE, is_identifier
from web.bounds import bounds_of

EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_UNPRINTABLE = re.compile(UNPRINTABLE)
IDENTIFIERS = ("query_id", "doc_id", "tag")


class Invalid(ValueError):
    def __init__(self, problem: str, expected: str) -> None:
        super().__init__(problem, expected)
        self.problem, self.expected = problem, expected


def written(value: Any) -> Any:
    """Times in ISO 8601, money as text, bytes never."""
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def read(field: Any, value: Any) -> Any:
    if value is None:
        if field.null:
            return None
        raise Invalid("null", "a value")
    typed = _typed(field, value)
    blank = typed == "" and field.blank
    if field.choices and not blank and typed not in dict(field.flatchoices):
        choices = ", ".join(str(choice) for choice, _ in field.flatchoices)
        raise Invalid(shown(str(value)), f"one of {choices}")
    try:
        field.run_validators(typed)
    except ValidationError as fault:
        if bounds := bounds_of(field):
            raise Invalid(shown(str(value)), str(bounds)) from fault
        raise Invalid(shown(str(value)), "; ".join(fault.messages)) from fault
    return typed


def _typed(field: Any, value: Any) -> Any:
    if isinstance(field, ArrayField):
        return [read(field.base_field, member) for member in _of(list, value, "a list")]
    if isinstance(field, models.JSONField):
        return _plain(_of(dict, value, "an object"))
    if isinstance(field, models.BooleanField):
        return _of(bool, value, "true or false")
    if isinstance(field, models.IntegerField):
        if isinstance(value, bool):
            raise Invalid(str(value).lower(), "a whole number")
        return _of(int, value, "a whole number")
    if isinstance(field, models.FloatField):
        return number(value)
    if isinstance(field, models.DecimalField):
        return _decimal(value)
    if isinstance(field, models.DateTimeField):
        return _time(value)
    return _text(field, value)


def _of(kind: type, value: Any, expected: str) -> Any:
    if not isinstance(value, kind):
        raise Invalid(shown(json.dumps(value)), expected)
    return value


def number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid(shown(json.dumps(value)), "a number")
    try:
        real = float(value)
    except OverflowError as fault:
        raise Invalid("a number with hundreds of digits", "a number") from fault
    if not math.isfinite(real):
        raise Invalid(str(real), "a finite number")
    return real


def _decimal(value: Any) -> Decimal:
    try:
        amount = Decimal(_of(str, value, "an amount as text"))
    except InvalidOperation as fault:
        raise Invalid(shown(value), "an amount such as 0.20") from fault
    if not amount.is_finite():
        raise Invalid(shown(value), "an amount such as 0.20")
    return amount


def _time(value: Any) -> datetime:
    expected = "a time of the years 1970 to 2199 in ISO 8601, with its zone"
    try:
        moment = datetime.fromisoformat(_of(str, value, expected))
    except ValueError as fault:
        raise Invalid(shown(str(value)), expected) from fault
    if moment.tzinfo is None or not EARLIEST <= moment < LATEST:
        raise Invalid(shown(value), expected)
    return moment


def _text(field: Any, value: Any) -> str:
    text = str(_of(str, value, "a text"))
    _plain(text)
    if getattr(field, "db_collation", None) and _UNPRINTABLE.search(text):
        raise Invalid(shown(text), "an id without control characters")
    if field.name in IDENTIFIERS and not is_identifier(text):
        raise Invalid(shown(text), "an id without blanks")
    return text


def _plain(value: Any) -> Any:
    """JSON or a text that PostgreSQL can store: without NUL and halves of characters."""
    try:
        whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        whole.encode()
    except UnicodeEncodeError as fault:
        raise Invalid(shown(ascii(value)), "whole characters") from fault
    if "\0" in whole or "\\u0000" in whole:
        raise Invalid("a text with a NUL in it", "a text without")
    return value
