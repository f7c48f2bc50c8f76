"""A site that has studies, and what one asks it for."""

from collections.abc import Iterator
from typing import Any, Self

import httpx
import pandas as pd

from magnitudes.study import Study

PAGE_SIZE = 1000


class Refused(Exception):
    """The site did not do what it was asked.

    status: of HTTP; title, detail: what is wrong; errors: the same by field or parameter.
    """

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status = status
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", "")
        self.errors: dict[str, Any] = problem.get("errors", {})
        super().__init__(f"{status} {self.title}: {self.detail}")


class Site:
    """A site with studies, as somebody with a token sees it."""

    def __init__(
        self,
        address: str,
        token: str,
        *,
        timeout: float = 120,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """
        Args:
            address: of the site, as in https://judging.example.org.
            token: one that was made on the page Account there; reading is enough to look.
            timeout: seconds that an answer may take.
            transport: how requests travel, in place of the network.
        """
        self._http = httpx.Client(
            base_url=f"{address.rstrip('/')}/api/v1/",
            headers={"Authorization": f"Token {token}"},
            timeout=timeout,
            transport=transport,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self._http.close()

    def studies(self) -> pd.DataFrame:
        """The studies that one may see, a row each, by their slugs."""
        return pd.DataFrame(self.rows("studies/")).set_index("slug")

    def collections(self) -> pd.DataFrame:
        """The collections that one may see, a row each, by their slugs."""
        return pd.DataFrame(self.rows("collections/")).set_index("slug")

    def study(self, slug: str) -> Study:
        """One study; Refused where there is none that one may see."""
        self.get(f"studies/{slug}/")
        return Study(self, slug)

    def rows(self, path: str, **parameters: Any) -> list[dict[str, Any]]:
        """All rows of a paged list, oldest first."""
        return list(self._rows(path, parameters | {"page_size": PAGE_SIZE}))

    def _rows(self, path: str, parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
        page = self.get(path, **parameters)
        yield from page["results"]
        while page["next"]:
            page = self.send("GET", page["next"]).json()
            yield from page["results"]

    def get(self, path: str, **parameters: Any) -> Any:
        """The JSON below an address of the API; a parameter that is None is left out."""
        return self.send("GET", path, params=_asked(parameters)).json()

    def text(self, path: str, **parameters: Any) -> str:
        """A file below an address of the API."""
        return self.send("GET", path, params=_asked(parameters)).text

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request, as httpx has it.

        Raises:
            Refused: the site answers with an error; it says what is wrong.
        """
        response = self._http.request(method, path, **options)
        if response.is_error:
            raise Refused(response.status_code, _problem(response))
        return response


def _asked(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


def _problem(response: httpx.Response) -> dict[str, Any]:
    if "json" not in response.headers.get("Content-Type", ""):
        return {"title": response.reason_phrase, "detail": response.text[:200]}
    problem: dict[str, Any] = response.json()
    return problem
