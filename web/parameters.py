"""The parameters of an address of the API: declared once, checked, described, and no others."""

from typing import Any

from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from web.described import Described
from web.problems import BadParameter


class Parameters(serializers.Serializer[Any]):
    """The parameters that an address takes: fields, of which none is required."""

    @classmethod
    def of_request(cls, request: Request) -> dict[str, Any]:
        """What a request asks for.

        Raises:
            BadParameter: a parameter is unknown, or its value is not valid.
        """
        asked = cls(data=dict(request.query_params.items()))
        unknown = [name for name in request.query_params if name not in asked.fields]
        if unknown:
            known = f"there are {', '.join(asked.fields)}" if asked.fields else "there are none"
            raise BadParameter({name: [f"no such parameter here; {known}"] for name in unknown})
        if not asked.is_valid():
            raise BadParameter(asked.errors)
        return dict(asked.validated_data)


class OneOf(serializers.ChoiceField):
    """A parameter that is one of a few words."""

    def __init__(self, choices: Any, **options: Any) -> None:
        expected = f"“{{input}}”: expected one of {', '.join(choices)}"
        messages: dict[str, Any] = {"invalid_choice": expected}
        super().__init__(choices, required=False, error_messages=messages, **options)


class Text(serializers.CharField):
    """A parameter that is any text; whoever uses it checks it."""

    def __init__(self, help_text: str) -> None:
        super().__init__(
            required=False, allow_blank=True, trim_whitespace=False, help_text=help_text
        )


class Moment(serializers.DateTimeField):
    """A parameter that is a moment."""

    def __init__(self, help_text: str) -> None:
        expected = "expected a moment like 2026-11-22T12:00:00Z"
        messages: dict[str, Any] = dict.fromkeys(("invalid", "date", "overflow"), expected)
        super().__init__(required=False, error_messages=messages, help_text=help_text)


class Whole(serializers.IntegerField):
    """A parameter that is a whole number within bounds."""

    def __init__(self, least: int, most: int, **options: Any) -> None:
        expected = f"expected a whole number from {least} to {most}"
        faults = ("invalid", "min_value", "max_value", "max_string_length")
        messages: dict[str, Any] = dict.fromkeys(faults, expected)
        super().__init__(
            min_value=least, max_value=most, required=False, error_messages=messages, **options
        )


class WithParameters(APIView):
    """A view that takes the parameters it declares for GET, and for others none.

    `asked` holds those of the request.
    """

    schema = Described()
    parameters: type[Parameters] = Parameters
    asked: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.asked = self.parameters_of(request.method or "").of_request(request)

    def parameters_of(self, method: str) -> type[Parameters]:
        """The parameters that a method takes."""
        return self.parameters if method in SAFE_METHODS else Parameters
