import json
import re
from typing import Any

from django.db import models
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from web.bounds import bounds_of

# The JSON types that a field accepts; DRF would accept "yes" for true, and 5 for "5".
KINDS: list[tuple[type[serializers.Field[Any, Any, Any, Any]], tuple[type, ...], str]] = [
    (serializers.BooleanField, (bool,), "true or false"),
    (serializers.IntegerField, (int,), "a whole number"),
    (serializers.FloatField, (int, float), "a number"),
    (serializers.CharField, (str,), "a text"),
    (serializers.DecimalField, (int, float, str), "a number"),
    (serializers.ChoiceField, (str,), "a text"),
    (serializers.ListField, (list,), "a list"),
    (serializers.DictField, (dict,), "an object"),
]

ZERO_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes it


class StorableJson(JSONParser):
    def parse(self, *arguments: Any, **options: Any) -> Any:
        try:
            value = super().parse(*arguments, **options)
            written = json.dumps(value, ensure_ascii=False, allow_nan=False)
            written.encode()
        except RecursionError as fault:
            raise ParseError("The body is nested too deeply.") from fault
        except ValueError as fault:  # a lone surrogate, or an infinite number
            raise ParseError(f"The body cannot be stored: {fault}.") from fault
        if ZERO_BYTE.search(written):
            raise ParseError("The body has a zero byte in a text.")
        return value


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "string", "format": "decimal"}]})
class Decimal(serializers.DecimalField):
    """An amount, as a number or, to be exact, as a text."""


class Body(serializers.Serializer[Any]):
    """What a request brings: the fields that are declared, and no others."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (faults := self._faults(data)):
            raise ValidationError(faults)
        return super().to_internal_value(data)

    def _faults(self, data: dict[str, Any]) -> dict[str, Any]:
        allowed = ", ".join(self.fields) or "none"
        unknown = {
            name: [f"no such field here; there are {allowed}"]
            for name in data
            if name not in self.fields
        }
        wrong = {
            name: wrong_kind(field, data[name])
            for name, field in self.fields.items()
            if name in data
        }
        return unknown | {name: fault for name, fault in wrong.items() if fault}


class ModelBody(Body, serializers.ModelSerializer[Any]):
    """Fields of a model, with the bounds of its numbers in error messages."""

    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.DecimalField: Decimal,
    }

    def build_standard_field(self, field_name: str, model_field: Any) -> Any:
        field_class, options = super().build_standard_field(field_name, model_field)
        if bounds := bounds_of(model_field):
            options["error_messages"] = bounds.messages
        return field_class, options


def checked(body: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    serializer = body(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def wrong_kind(field: serializers.Field[Any, Any, Any, Any], value: Any) -> Any:
    """The faults of the JSON types of a value and of those within it."""
    if value is None:
        return []  # DRF itself refuses it where it is not allowed
    kinds, expected = next(
        ((kinds, words) for base, kinds, words in KINDS if isinstance(field, base)), ((), "")
    )
    is_bool = isinstance(value, bool) and bool not in kinds
    if kinds and (is_bool or not isinstance(value, kinds)):
        return [f"expected {expected}"]
    if isinstance(field, serializers.ListField):
        return _within(field, dict(enumerate(value)))
    return _within(field, value) if isinstance(field, serializers.DictField) else []


def _within(field: Any, values: dict[Any, Any]) -> dict[str, Any]:
    wrong = {str(name): wrong_kind(field.child, value) for name, value in values.items()}
    return {name: fault for name, fault in wrong.items() if fault}
