"""What all participant platforms have in common."""

from collections.abc import Mapping
from dataclasses import dataclass

from web.text import storable

LONGEST_ID = 255  # characters


@dataclass(frozen=True)
class Participant:
    """Somebody whom a platform sent.

    ids: the platform's other ids that came along. signed: the platform vouches for it all, by its
    signature; otherwise anybody may have written the address.
    """

    platform: str
    external_id: str
    ids: dict[str, str]
    signed: bool = False


@dataclass(frozen=True)
class Platform:
    """A platform whose links carry ids as plain parameters.

    participant: the parameter that names the participant; others: those that come with it;
    session: of those, the one that names a single submission, which only the participant and the
    platform know; empty: the platform has none.
    """

    name: str
    participant: str
    others: tuple[str, ...] = ()
    session: str = ""

    def read(self, parameters: Mapping[str, str], host: str) -> Participant | None:
        """Whom the parameters of an address on `host` name; None: nobody of this platform."""
        external_id = _clean(parameters.get(self.participant, ""))
        if not external_id:
            return None
        ids = {name: _clean(parameters[name]) for name in self.others if name in parameters}
        return Participant(self.name, external_id, ids)

    def same_session(self, known: Mapping[str, str], ids: Mapping[str, str]) -> bool:
        """Whether two visits came from one submission."""
        session = known.get(self.session, "")
        return bool(session) and session == ids.get(self.session)


def _clean(value: object) -> str:
    return storable(str(value)).strip()[:LONGEST_ID]
