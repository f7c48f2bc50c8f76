"""Static files with hashes in their names, where `collectstatic` has made them.

Browsers cache these for ever. Where nothing was collected, or the sources have changed since, names
are plain, and browsers ask again after a minute.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.files.storage import FileSystemStorage
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound, HttpResponseRedirect
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

SOURCES_HASH = "made-of"  # a file beside the collected ones with the hash of their sources
HASHED = re.compile(r"\.[0-9a-f]{12}(?=\.\w+$)")


class StaticStorage(CompressedManifestStaticFilesStorage):
    def post_process(self, *arguments: Any, **options: Any) -> Iterator[tuple[str, str, bool]]:
        yield from super().post_process(*arguments, **options)
        (Path(self.location) / SOURCES_HASH).write_text(_sources())

    @cached_property
    def are_hashed(self) -> bool:
        """Whether the present sources were collected; checked once a process."""
        sources_hash = Path(self.location or "") / SOURCES_HASH
        return sources_hash.is_file() and sources_hash.read_text() == _sources()

    def url(self, name: str | None, force: bool = False) -> str:
        plain: str = FileSystemStorage.url(self, name)
        return super().url(name, force) if self.are_hashed else plain


def _sources() -> str:
    """A hash of all static files, ours and those of libraries."""
    content = hashlib.blake2b(digest_size=16)
    files: dict[str, Path] = {}
    for finder in finders.get_finders():
        for name, storage in finder.list(None):
            files.setdefault(name, Path(storage.path(name)))  # the first counts
    for name, path in sorted(files.items()):
        content.update(f"{name}\0{path.stat().st_size}\0".encode())
        content.update(path.read_bytes())
    return content.hexdigest()


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """Redirects requests for a file of another release to ours.

    During an upgrade, a page of one release may request its files from the other.
    """

    def add_files(self, root: str, prefix: str | None = None) -> None:
        """The folder need not exist."""
        if Path(root).is_dir():
            super().add_files(root, prefix)

    def __call__(self, request: HttpRequest) -> Any:
        response = super().__call__(request)
        if isinstance(response, HttpResponseNotFound):
            return self._of_this_release(request.path_info) or response
        return response

    def _of_this_release(self, path: str) -> HttpResponse | None:
        plain = HASHED.sub("", path)
        if plain == path or not plain.startswith(self.static_prefix):
            return None
        name = plain.removeprefix(self.static_prefix)
        if finders.find(name) is None:
            return None
        return HttpResponseRedirect(
            staticfiles_storage.url(name), headers={"Cache-Control": "no-store"}
        )
