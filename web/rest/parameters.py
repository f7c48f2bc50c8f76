"""Query parameters of the API: declared once, validated, documented; others are refused."""

from typing import Any

from rest_framework import serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.views import APIView

from web.rest.openapi import ApiSchema
from web.rest.problems import BadParameter


class Parameters(serializers.Serializer[Any]):
    """Query parameters as fields, of which none is required."""

    @classmethod
    def of_request(cls, request: Request) -> dict[str, Any]:
        """The validated parameters of a request.

        Raises:
            BadParameter: a parameter is unknown, or its value is not valid.
        """
        serializer = cls(data=dict(request.query_params.items()))
        unknown = [name for name in request.query_params if name not in serializer.fields]
        if unknown:
            fault = f"no such parameter here; there are {', '.join(serializer.fields) or 'none'}"
            raise BadParameter({name: [fault] for name in unknown})
        if not serializer.is_valid():
            raise BadParameter(serializer.errors)
        return dict(serializer.validated_data)


class OneOf(serializers.ChoiceField):
    def __init__(self, choices: Any, **options: Any) -> None:
        expected = f"“{{input}}”: expected one of {', '.join(choices)}"
        messages: dict[str, Any] = {"invalid_choice": expected}
        super().__init__(choices, required=False, error_messages=messages, **options)


class Text(serializers.CharField):
    def __init__(self, help_text: str) -> None:
        super().__init__(
            required=False, allow_blank=True, trim_whitespace=False, help_text=help_text
        )


class Moment(serializers.DateTimeField):
    def __init__(self, help_text: str) -> None:
        expected = "expected a moment like 2026-11-22T12:00:00Z"
        messages: dict[str, Any] = dict.fromkeys(("invalid", "date", "overflow"), expected)
        super().__init__(required=False, error_messages=messages, help_text=help_text)


class Whole(serializers.IntegerField):
    def __init__(self, minimum: int, maximum: int, **options: Any) -> None:
        expected = f"expected a whole number from {minimum} to {maximum}"
        faults = ("invalid", "min_value", "max_value", "max_string_length")
        messages: dict[str, Any] = dict.fromkeys(faults, expected)
        super().__init__(
            min_value=minimum, max_value=maximum, required=False, error_messages=messages, **options
        )


class WithParameters(APIView):
    """A view with declared parameters for GET, and none for other methods.

    `params` holds those of the request; `tag` and `description` (of a POST) are for the schema.
    """

    schema = ApiSchema()
    tag = "Results"
    description = ""
    parameters: type[Parameters] = Parameters
    params: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.params = self.parameters_of(request.method or "").of_request(request)

    def parameters_of(self, method: str) -> type[Parameters]:
        return self.parameters if method in SAFE_METHODS else Parameters
