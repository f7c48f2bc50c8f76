from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from judging.flow.offer import NoWork, submission_ends_at
from judging.models import PlatformAccount
from judging.pages.current_page import WorkerPage
from judging.platforms import Platform

ENDS = ("done", "failed", "left", "no-work", "closed")
# No platform waits for them: they did not come from it, or have gone back already.
NO_SUBMISSION = (NoWork.PLATFORM, NoWork.OTHERS, NoWork.RETURNED)
NO_WAY_ON = (NoWork.ATTEMPTS, NoWork.FINAL, NoWork.FULL, NoWork.CLOSED)


class Kind(StrEnum):
    DONE = "done"
    SCREENED_OUT = "screened out"
    RETURNED = "returned"


@dataclass(frozen=True)
class WayBack:
    """address: where a button leads; code: what they enter on the platform; empty: none.

    reward: what being screened out pays; until: when their submission is over, None: unknown.
    """

    platform: Platform
    kind: Kind
    address: str = ""
    code: str = ""
    reward: Decimal | None = None
    until: datetime | None = None

    @property
    def how_to_return(self) -> str:
        return f"worker/returns/{self.platform.name}.html"


def way_back(current: WorkerPage, external_id: str, *, is_paid: bool) -> WayBack | None:
    """None: there is none, or the worker is not at an end; is_paid: they have a completion code."""
    study = current.study
    platform = study.from_platform
    is_end = current.step in ENDS and not current.is_live
    if not (platform.return_settings and is_end) or current.no_work in NO_SUBMISSION:
        return None
    if is_paid:
        return _done(current, platform, external_id)
    if study.screen_out_code and _is_screened_out(current):
        address = platform.way_back(study.screen_out, external_id)
        return WayBack(platform, Kind.SCREENED_OUT, address, reward=study.screen_out_reward)
    return WayBack(platform, Kind.RETURNED, platform.way_back(study.returning, external_id))


def _is_screened_out(current: WorkerPage) -> bool:
    """Who has begun nothing has given no time; a platform that paid them would send the next."""
    return current.worker is not None and current.step != "left" and current.no_work in NO_WAY_ON


def _done(current: WorkerPage, platform: Platform, external_id: str) -> WayBack:
    study = current.study
    address = platform.way_back(study.completion, external_id)
    code = "" if address else study.completion_code
    until = None
    if current.worker and not current.no_work:
        until = submission_ends_at(study, current.worker)
    return WayBack(platform, Kind.DONE, address, code, until=until)


def external_id_of(current: WorkerPage) -> str | None:
    """Empty: somebody who has begun nothing; None: the platform has not sent them."""
    if current.worker is None:
        return ""
    platform = current.study.platform
    account = PlatformAccount.objects.filter(worker=current.worker, platform=platform).first()
    return account.external_id if account else None
