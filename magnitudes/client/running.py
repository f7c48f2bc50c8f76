"""Running a study: who may come, who judges more, whose scores count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from magnitudes.client.part import Moment, Part, between, framed, in_address
from magnitudes.client.tables import documents_by_topic


@dataclass(frozen=True)
class Monitor:
    """How work on a study goes at a moment.

    lights, machine: by light, of the study and of the machine: colour, word, sentence. topics,
    workers: attempts, and failures and tries of each check. standouts: a row for each reason why a
    worker stands out, never a verdict. figures: their data, by name.
    """

    now: pd.Timestamp
    lights: pd.DataFrame
    machine: pd.DataFrame
    topics: pd.DataFrame
    workers: pd.DataFrame
    standouts: pd.DataFrame
    figures: dict[str, pd.DataFrame]


class Running(Part):
    """The course of a study."""

    def terms(self) -> pd.Series[Any]:
        """Units, people, money and time that opening it means; `confirm` stands for all of it."""
        return pd.Series(self._get("open/"), dtype=object)

    def open(self, confirm: str, *, low_pay_reason: str | None = None) -> None:
        """Let workers in. From now on settings, pool and texts stay as they are.

        Args:
            confirm: as `terms` gave it: what you have seen.
            low_pay_reason: why an hour pays less than the study's minimum, where it does.

        Raises:
            Refused: with everything that is missing, or has changed since.
        """
        self._do("open", confirm=confirm, low_pay_reason=low_pay_reason)

    def pause(self) -> None:
        """Let nobody begin a unit for now; whoever has begun one may finish it."""
        self._do("pause")

    def resume(self) -> None:
        """Let workers in again."""
        self._do("resume")

    def close(self, *, final: bool) -> None:
        """Admit nobody new; `final=True` says that you know it is for good."""
        self._do("close", final=final)

    def archive(self) -> None:
        """Leave a closed study out of the list of studies."""
        self._do("archive")

    def unarchive(self) -> None:
        """Take it into the list again."""
        self._do("unarchive")

    def raise_payment(self, payment: float | str) -> None:
        """Pay more for units that are begun from now on."""
        self._do("raise-payment", payment=payment)

    def release_unit(self, unit: str) -> pd.Series[Any]:
        """Take a unit in progress, as 402-17, from its worker, and free it for others."""
        return pd.Series(self._do("release-unit", unit=unit))

    def withdraw(self, code: str) -> pd.Series[Any]:
        """Delete the judgments of a unit whose worker takes them back, by its completion code."""
        return pd.Series(self._do("withdraw", code=code))

    def batches(self) -> pd.DataFrame:
        """Units that were added, a row for each batch, by its number."""
        return framed(self._rows("batches/"), "number")

    def add_batch(
        self,
        redundancy: int,
        documents: pd.DataFrame | Mapping[str, Sequence[str]] | None = None,
        seed: int | None = None,
        *,
        all_judgments: bool = True,
    ) -> pd.Series[Any]:
        """Add units by which each chosen document gets so many more judgments.

        Args:
            documents: rows with query_id and doc_id, as some of `qrels`; or document ids by topic,
                an empty list for all of one. Left out: all documents of the study.
            seed: draws the same units again.
            all_judgments: all judgments of the study count from now on; False: as before.
        """
        if isinstance(documents, pd.DataFrame):
            documents = documents_by_topic(documents)
        body = {"documents": documents, "redundancy": redundancy, "seed": seed}
        body["all_judgments"] = all_judgments
        return pd.Series(self._do("batches", **body), dtype=object)

    def count_judgments(self, *, all_judgments: bool) -> None:
        """Say whether judgments of batches count beyond the study's redundancy too."""
        self._do("count-judgments", all_judgments=all_judgments)

    def exclusions(self) -> pd.DataFrame:
        """The workers whose scores no computation takes, and why."""
        return framed(self._rows("exclusions/"), "worker")

    def exclude(self, worker: str, reason: str) -> None:
        """Let no computation take a worker's scores. Their units stay completed, and are paid."""
        self._do("exclusions", worker=worker, reason=reason)

    def take_back_exclusion(self, worker: str) -> None:
        """Let a worker's scores count again."""
        self.site.send("DELETE", f"{self._path}exclusions/{in_address(worker)}/")

    def pay(self) -> pd.DataFrame:
        """What people are owed: number and amount by platform, currency and state."""
        rows = self._get("pay/")["sums"]
        of_states = [
            {"platform": row["platform"], "currency": row["currency"]}
            | share
            | {"amount": float(share["amount"])}
            for row in rows
            for share in row["states"]
        ]
        return framed(of_states)

    def payments(
        self,
        *,
        state: str | None = None,
        platform: str | None = None,
        kind: str | None = None,
        query_id: str | None = None,
        worker: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> pd.DataFrame:
        """Payments, a row for each, by id; `since` and `until` are of their last change."""
        asked = {"state": state, "platform": platform, "kind": kind}
        asked |= {"query_id": query_id, "worker": worker}
        return framed(self._rows("payments/", **asked, **between(since, until)), "id")

    def approve_payments(self, payments: Sequence[int] = (), names: str = "") -> pd.Series[Any]:
        """Approve what is owed; see `mark_paid`."""
        return self._decide("approve-payments", payments, names)

    def mark_paid(self, payments: Sequence[int] = (), names: str = "") -> pd.Series[Any]:
        """Note that the money of payments has gone.

        Args:
            payments: their ids.
            names: completion codes, or the text of a platform's list.

        Returns:
            How many changed, how many did not, and the names that are of no payment.
        """
        return self._decide("mark-paid", payments, names)

    def owe_again(self, payments: Sequence[int]) -> pd.Series[Any]:
        """Take refusals and approvals back; see `mark_paid`."""
        return self._decide("owe-again", payments, "")

    def refuse_payment(self, payment: int, category: str, reason: str) -> None:
        """Refuse one payment, for a category of its platform, in words that the worker reads."""
        self._do("refuse-payment", payment=payment, category=category, reason=reason)

    def _decide(self, verb: str, payments: Sequence[int], names: str) -> pd.Series[Any]:
        body = {"payments": [int(key) for key in payments]} | ({"names": names} if names else {})
        return pd.Series(self._do(verb, **body), dtype=object)

    def monitor(self, last: str | None = None) -> Monitor:
        """How work goes: lights with their sentences, figures over time, checks, workers.

        Args:
            last: shortens what is shown over time: 6h, 24h or 7d.
        """
        answer = self._get("monitor/", last=last)
        lights = {name: framed(answer[name], "light") for name in ("lights", "machine")}
        tallies = {
            name: framed([_flat(row) for row in answer[name]], "name")
            for name in ("topics", "workers")
        }
        figures = {
            each["name"]: pd.DataFrame(each["rows"], columns=each["columns"])
            for each in answer["figures"]
        }
        standouts = [
            {"worker": each["worker"], **reason, "often": each["often"]}
            for each in answer["standouts"]
            for reason in each["reasons"]
        ]
        now = pd.Timestamp(answer["now"])
        return Monitor(now, **lights, **tallies, figures=figures, standouts=framed(standouts))

    def alerts(self) -> pd.DataFrame:
        """The open alerts, by id: light, at, sentence; for editors.

        `attrs` of the frame has whom alerts go to: mail_to, webhook_url, has_feed.
        """
        answer = self._get("alerts/")
        frame = pd.DataFrame(framed(answer["open_alerts"], "id"))
        frame.attrs.update({name: answer[name] for name in ("mail_to", "webhook_url", "has_feed")})
        return frame

    def trail(self) -> pd.DataFrame:
        """Who changed what and when, oldest first; for owners."""
        return framed(self._rows("trail/"))


def _flat(tally: Mapping[str, Any]) -> dict[str, Any]:
    """A row of topics or workers, each check in columns of its own."""
    row = {name: value for name, value in tally.items() if name != "checks"}
    for each in tally["checks"]:
        row[f"{each['check']}_failures"] = each["failures"]
        row[f"{each['check']}_tries"] = each["tries"]
    return row
