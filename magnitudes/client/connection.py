"""Requests to a site: sent, sent again where that does no harm, and refusals told."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import httpx

from magnitudes.client.problems import Refused, Unreachable, problem_of

PAGE_SIZE = 1000
TRIES = 4
AGAIN = (409, 429, 503)  # with Retry-After: at work still, too many requests, or busy


class Connection:
    """The API of a site, as somebody with a token may use it."""

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
        self.address = address.rstrip("/")
        self._http = httpx.Client(
            base_url=f"{self.address}/api/v1/",
            headers={"Authorization": f"Token {token}"},
            timeout=timeout,
            transport=transport,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        self._http.close()

    def get(self, path: str, **parameters: Any) -> Any:
        """The JSON below an address of the API; a parameter that is None is left out."""
        return self.send("GET", path, params=_asked(parameters)).json()

    def text(self, path: str, **parameters: Any) -> str:
        """A file below an address of the API."""
        return self.send("GET", path, params=_asked(parameters)).text

    def rows(self, path: str, **parameters: Any) -> list[dict[str, Any]]:
        """All rows of a paged list, oldest first."""
        return list(self._rows(path, parameters | {"page_size": PAGE_SIZE}))

    def _rows(self, path: str, parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
        page = self.get(path, **parameters)
        yield from page["results"]
        while page["next"]:
            page = self.send("GET", page["next"]).json()
            yield from page["results"]

    def do(self, path: str, **body: Any) -> Any:
        """POST a body of JSON, without the values that are None; the JSON of the answer.

        It is done once, even if it has to be sent again because the connection breaks.
        """
        options = {"json": _asked(body), "headers": {"Idempotency-Key": uuid4().hex}}
        for _ in range(TRIES - 1):
            with suppress(Unreachable):
                return self.send("POST", path, **options).json()
        return self.send("POST", path, **options).json()

    def save(self, path: str, to: str | Path, **parameters: Any) -> Path:
        """Save a file below an address of the API, whole or not at all."""
        return self._save("GET", path, to, params=_asked(parameters))

    def save_done(self, path: str, to: str | Path, **body: Any) -> Path:
        """POST a body of JSON, and save the file of the answer, whole or not at all."""
        return self._save("POST", path, to, json=body)

    def _save(self, method: str, path: str, to: str | Path, **options: Any) -> Path:
        target = Path(to)
        partial = target.with_name(f"{target.name}.part")
        try:
            answer = self._answer(method, path, stream=True, **options)
            with closing(answer), partial.open("wb") as file, self._reaching():
                file.writelines(answer.iter_bytes())
            return partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request, as httpx has it; once more where the site asks to wait.

        Raises:
            Refused: the site answers with an error; it says what is wrong.
            Unreachable: it does not answer.
        """
        return self._answer(method, path, **options)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except httpx.TransportError as fault:
            raise Unreachable(self.address, fault) from fault

    def _sent(self, request: httpx.Request, *, stream: bool) -> httpx.Response:
        with self._reaching():
            return self._http.send(request, stream=stream)

    def _answer(
        self, method: str, path: str, *, stream: bool = False, **options: Any
    ) -> httpx.Response:
        request = self._http.build_request(method, path, **options)
        response = self._sent(request, stream=stream)
        for _ in range(TRIES - 1):
            if response.status_code not in AGAIN or "Retry-After" not in response.headers:
                break
            response.close()
            time.sleep(float(response.headers["Retry-After"]))
            response = self._sent(request, stream=stream)
        if response.is_error:
            with self._reaching():
                response.read()
            raise Refused(response.status_code, problem_of(response))
        return response


def _asked(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}
