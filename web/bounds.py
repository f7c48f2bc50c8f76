"""Bounds of numbers: the validators of model fields declare them, all else derives from them."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

from django import forms
from django.core.validators import BaseValidator, MaxValueValidator, MinValueValidator
from django.db import models

Limit = int | float | Decimal
ModelClass = TypeVar("ModelClass", bound=type[models.Model])
# The error codes of Django and DRF for numbers out of bounds: the messages of the first two
# contain the number.
CODES = ("min_value", "max_value")
WITHOUT_VALUE = ("invalid", "max_digits", "max_whole_digits", "max_string_length")


class Bounds(NamedTuple):
    """The smallest and the largest number that a field takes.

    >>> str(Bounds(1, 36_500, is_whole=True))
    'a whole number from 1 to 36,500'
    """

    lowest: Limit
    highest: Limit
    is_whole: bool

    def __str__(self) -> str:
        kind = "a whole number" if self.is_whole else "a number"
        return f"{kind} from {self.lowest:,} to {self.highest:,}"

    @property
    def message(self) -> str:
        """Django inserts the value."""
        return f"{self} was expected, not %(value)s."

    @property
    def messages(self) -> dict[str, str]:
        """By Django's codes, for a field of a form or a serializer."""
        without = dict.fromkeys(WITHOUT_VALUE, f"{self} was expected.")
        return without | dict.fromkeys(CODES, self.message)

    def refuse(self, value: object) -> str:
        return f"{self} was expected, not {value}."

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float | Decimal) and self.lowest <= value <= self.highest


def whole_between(lowest: int, highest: int) -> list[BaseValidator]:
    return _validators(Bounds(lowest, highest, is_whole=True))


def between(lowest: Limit, highest: Limit) -> list[BaseValidator]:
    return _validators(Bounds(lowest, highest, is_whole=False))


def _validators(bounds: Bounds) -> list[BaseValidator]:
    return [
        MinValueValidator(bounds.lowest, bounds.message),
        MaxValueValidator(bounds.highest, bounds.message),
    ]


def bounds_of(field: Any) -> Bounds | None:
    lowest = _limits(field._validators, MinValueValidator)
    highest = _limits(field._validators, MaxValueValidator)
    if not (lowest and highest):
        return None
    return Bounds(max(lowest), min(highest), isinstance(field, models.IntegerField))


def _limits(validators: Iterable[Any], kind: type[BaseValidator]) -> list[Any]:
    return [each.limit_value for each in validators if isinstance(each, kind)]


def bounds(model: type[models.Model], name: str) -> Bounds:
    declared = bounds_of(model._meta.get_field(name))
    assert declared is not None, f"{model.__name__}.{name} has no bounds"  # noqa: S101
    return declared


def bounded(model: ModelClass) -> ModelClass:
    """A class decorator that adds check constraints for the bounds of the fields."""
    constraints = [
        models.CheckConstraint(
            condition=models.Q(
                (f"{field.name}__gte", declared.lowest),
                (f"{field.name}__lte", declared.highest),
            ),
            name=f"{model._meta.model_name}_{field.name}_within",
            violation_error_message=f"{field.name}: {declared} was expected.",
        )
        for field in model._meta.local_concrete_fields
        if (declared := bounds_of(field))
    ]
    model._meta.constraints = [*model._meta.constraints, *constraints]
    model._meta.original_attrs["constraints"] = model._meta.constraints
    return model


def field_options(model: type[models.Model], name: str) -> dict[str, Any]:
    """Options of a form or serializer field with the bounds of a model's field."""
    declared = bounds(model, name)
    return {
        "min_value": declared.lowest,
        "max_value": declared.highest,
        "error_messages": declared.messages,
    }


def set_bounds_messages(field: forms.Field, model_field: Any) -> None:
    declared = bounds_of(model_field)
    if declared and isinstance(field, forms.IntegerField | forms.DecimalField | forms.FloatField):
        field.error_messages |= declared.messages
