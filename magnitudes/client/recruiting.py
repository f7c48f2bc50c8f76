"""How people get to a study, and what is done about recruiting on Prolific."""

from __future__ import annotations

from typing import Any

import pandas as pd

from magnitudes.client.part import Part, framed


class Recruiting(Part):
    """The people of a study."""

    def entry_link(self) -> str:
        """The link to be entered on the platform, with the places where it fills in ids."""
        return str(self._get("links/")["entry"])

    def personal_links(self) -> pd.DataFrame:
        """A link for each participant on the list, for editors who may see ids."""
        return framed(self._get("personal-links/"), "participant")

    def signals(self) -> pd.DataFrame:
        """Signals of careless or machine work, a row for each worker: evidence, no verdict."""
        rows = self._get("signals/")["workers"]
        return pd.json_normalize(rows).set_index("worker") if rows else framed([], "worker")

    def random_givers(self) -> pd.DataFrame:
        """The share of workers with random numbers, and of careful ones, within limits of tries."""
        return pd.json_normalize(self._get("random-givers/"))

    def on_prolific(self) -> pd.Series[Any]:
        """How the study stands on Prolific, and what is to be decided there.

        Raises:
            Refused: it is not connected.
        """
        return pd.Series(self._get("prolific/"), dtype=object)

    def submissions(self, *, status: str | None = None) -> pd.DataFrame:
        """The submissions on Prolific, a row for each, by id; of one `status`, or all."""
        return framed(self._rows("prolific/submissions/", status=status), "id")

    def prolific(self, act: str, **values: Any) -> pd.Series[Any]:
        """Do something about recruiting on Prolific, as the study's owner.

        Args:
            act: connect, limit, events, create, publish, places, pause, resume, stop, approve,
                bonuses, settle-bonuses, return or reject.
            values: what it takes. What costs money is done with its `cost` alone, what cannot be
                taken back with `sure=True`; without, nothing is done.

        Returns:
            Whether it is `done`, what the site `says`, the `cost`, and the `bonus` to be paid.
        """
        return pd.Series(self._do(f"prolific/{act}", **values), dtype=object)
