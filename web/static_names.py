"""Static files under names that tell their content, where `collectstatic` has made them.

So a browser keeps them for good, and one that changed is never an old one. Where nothing was
collected, or what was collected is not what is there now, the names are plain, and a browser asks
again after a minute.
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

MADE_OF = "made-of"  # a file beside what was collected: the hash of what it was collected from
HASHED = re.compile(r"\.[0-9a-f]{12}(?=\.\w+$)")


class Names(CompressedManifestStaticFilesStorage):
    """Names with hashes, and packed copies, if collected from what is there; else plain names."""

    def post_process(self, *arguments: Any, **options: Any) -> Iterator[tuple[str, str, bool]]:
        """Called by `collectstatic` when all is copied."""
        yield from super().post_process(*arguments, **options)
        (Path(self.location) / MADE_OF).write_text(_sources())

    @cached_property
    def are_hashed(self) -> bool:
        """Whether what was collected is what is there; looked at once a process."""
        made_of = Path(self.location or "") / MADE_OF
        return made_of.is_file() and made_of.read_text() == _sources()

    def url(self, name: str | None, force: bool = False) -> str:
        """The address of a file by its plain name."""
        plain: str = FileSystemStorage.url(self, name)
        return super().url(name, force) if self.are_hashed else plain


def _sources() -> str:
    """A hash of all static files, of this product and of the libraries."""
    content = hashlib.blake2b(digest_size=16)
    files: dict[str, Path] = {}
    for finder in finders.get_finders():
        for name, storage in finder.list(None):
            files.setdefault(name, Path(storage.path(name)))  # the first counts
    for name, path in sorted(files.items()):
        content.update(f"{name}\0{path.stat().st_size}\0".encode())
        content.update(path.read_bytes())
    return content.hexdigest()


class StaticFiles(WhiteNoiseMiddleware):
    """Serves them, and leads whoever asks for a file of another release to the one of this.

    While a release takes the place of another, a page of one may ask the other for its files.
    """

    def add_files(self, root: str, prefix: str | None = None) -> None:
        """Nothing need have been collected."""
        if Path(root).is_dir():
            super().add_files(root, prefix)

    def __call__(self, request: HttpRequest) -> Any:
        """Answer."""
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
