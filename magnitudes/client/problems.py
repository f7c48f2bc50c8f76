"""What can go wrong between a program and a site."""

from typing import Any

import httpx


class Refused(Exception):
    """The site did not do what it was asked.

    status: of HTTP; title, detail: what is wrong; errors: the same by field or parameter; faults:
    the same one by one, each with a JSON pointer into what was sent, or the name of a parameter.
    """

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", "")
        self.errors: dict[str, Any] = problem.get("errors", {})
        self.faults: list[dict[str, str]] = problem.get("faults", [])
        super().__init__(f"{status} {self.title}: {self.detail}")


class Unreachable(Exception):
    """The site did not answer, or not in time; what became of the request is not known.

    address: of the site. The error of httpx is its cause.
    """

    def __init__(self, address: str, fault: httpx.TransportError) -> None:
        self.address = address
        super().__init__(f"{address} does not answer: {fault or type(fault).__name__}")


class ImportFailed(Exception):
    """Files were not imported, none of them; the message says what was expected.

    file, line: where the fault is, as far as it is known.
    """

    def __init__(self, job: dict[str, Any]) -> None:
        self.file: str | None = job["fault_file"] or None
        self.line: int | None = job["fault_line"]
        super().__init__(job["fault"])


def problem_of(response: httpx.Response) -> dict[str, Any]:
    """The problem details of an answer; its first words where it has none."""
    if "json" not in response.headers.get("Content-Type", ""):
        return {"title": response.reason_phrase, "detail": response.text[:200]}
    problem: dict[str, Any] = response.json()
    return problem
