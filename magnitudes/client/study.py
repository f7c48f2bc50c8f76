"""One study, from its making to its results."""

from magnitudes.client.making import Making
from magnitudes.client.recruiting import Recruiting
from magnitudes.client.results import Results
from magnitudes.client.running import Running


class Study(Making, Recruiting, Running, Results):
    """A study of a site."""

    def __repr__(self) -> str:
        return f"Study({self.slug!r})"

    def clone(self, slug: str, title: str) -> "Study":
        """Make a draft with the same settings, topics, questions and anchors."""
        self._do("clone", slug=slug, title=title)
        return Study(self.site, slug)
