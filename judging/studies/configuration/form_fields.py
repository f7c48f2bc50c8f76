from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator

from judging.levels import InvalidLevels, read_descriptions, read_levels


class TrueOrFalse(forms.Field):
    """TOML's own true or false, and nothing that might mean one of them."""

    def to_python(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError(f"{value}; expected true or false")
        return value


class Levels(forms.Field):
    read: Callable[[Any], list[str]] = staticmethod(read_levels)

    def to_python(self, value: Any) -> list[str]:
        try:
            return [] if value == [] else self.read(value)
        except InvalidLevels as fault:
            raise ValidationError(f"{fault}.") from fault


class LevelDescriptions(Levels):
    read = staticmethod(read_descriptions)


class Lines(forms.CharField):
    widget = forms.Textarea(attrs={"rows": 5})

    def __init__(self, *, base_field: Any = None, **options: Any) -> None:
        super().__init__(**options)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        return [line.strip() for line in super().clean(value).splitlines() if line.strip()]


class Paragraphs(forms.CharField):
    """A text of some paragraphs, its line ends as the server stores them."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")  # which browsers send


class Text(forms.Field):
    default_validators = [ProhibitNullCharactersValidator()]

    def to_python(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError(f"{value}; expected a text")
        return value.replace("\r\n", "\n")  # which browsers send


class Texts(forms.Field):
    def to_python(self, value: Any) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise ValidationError(f"{value}; expected a list of texts")
        return value

    def validate(self, value: list[str]) -> None:
        for text in value:
            ProhibitNullCharactersValidator()(text)
