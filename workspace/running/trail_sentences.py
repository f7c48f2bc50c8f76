from collections.abc import Mapping
from typing import Any

from judging.models import TrailEntry
from judging.settings import name_of
from magnitudes.files.words import count

MAX_LENGTH = 80  # characters of a value
SENTENCES = {
    "made": "created the study on collection {collection}",
    "cloned": "created the study as a clone of {source}",
    "planned": "planned {units} units by seed {seed}",
    "drew topics": "drew {number} of {of} topics by seed {seed}",
    "discarded the plan": "discarded the plan of {units} units",
    "invited": "invited {note} as {role}",
    "took back invitation": "took back the invitation of {note}",
    "joined": "joined the team as {role}",
    "changed team": "changed the team: {member}, role {role}",
    "opened": "opened the study",
    "closed": "closed the study for good",
    "paused": "paused the study",
    "resumed": "resumed the study",
    "archived": "archived the study",
    "imported an archive": "imported the study from an archive of {made_on}",
    "asked for a forecast": "asked for a forecast from {replications} simulated studies",
    "unarchived": "took the archived study back into the list",
    "released": "took unit {unit} back from worker {worker}",
    "withdrew": "deleted the judgments of unit {unit}, as worker {worker} asked",
    "withdrawn by worker": "withdrew the answers of unit {unit}, being worker {worker}",
    "approved payments": "approved payments: {number}",
    "marked payments as paid": "noted payments as paid: {number}",
    "owed payments again": "let payments be owed again: {number}",
    "refused a payment": "refused a payment of worker {worker} ({category}): {reason}",
    "excluded": "excluded worker {worker}: {reason}",
    "took back exclusion": "let the scores of worker {worker} count again",
    "added batch": "added batch {number}: {units} units; {redundancy} more for each document of "
    "{documents}",
    "listed participants": "put {number} participants on the list",
    "took participants off the list": "took {number} participants off the list",
    "gave a verdict": "gave a verdict on document {document} of topic {topic}: {finding}",
    "connected with Prolific": "connected the study with the workspace {workspace} of Prolific",
    "had Prolific send events": "had the workspace {workspace} of Prolific send events",
    "made a study on Prolific": "created a draft on Prolific, of {places} places",
    "published on Prolific": "published {places} places on Prolific, for {cost}",
    "paused on Prolific": "paused the study on Prolific",
    "resumed on Prolific": "resumed the study on Prolific",
    "stopped on Prolific": "stopped the study on Prolific for good",
    "rejected a submission on Prolific": "rejected a submission on Prolific ({category}): {reason}",
    "added places on Prolific": "raised the places on Prolific to {places}, for {cost} in all",
    "approved submissions on Prolific": "approved {number} submissions on Prolific",
    "paid bonuses on Prolific": "paid {number} bonuses on Prolific, for {cost}",
    "asked for the return of a submission": "asked for the return of a submission: {reason}",
    "renewed the secret of alerts": "made a new secret for the webhook of alerts",
    "opened a feed of alerts": "opened a feed of alerts at a new address",
    "closed the feed of alerts": "closed the feed of alerts",
    "published a page": "published version {version} of the study for everybody",
    "withdrew a page": "withdrew version {version} of the published study",
    "made a model's run": "created study {slug}, for {model} to judge",
    "let the model judge": "let {model} judge, at the endpoint {endpoint}",
    "paused the model": "paused the language model",
    "stopped the model": "stopped the language model for good",
    "ended the model": "saw the language model through",
    "counted all": "let all judgments of batches count",
    "counted redundancy": "let judgments count up to the redundancy alone",
}


def in_words(entry: TrailEntry) -> str:
    """What was done, as the end of a sentence that begins with who did it.

    >>> in_words(TrailEntry(action="released", details={"unit": "402-7", "worker": "ab"}))
    'took unit 402-7 back from worker ab'
    >>> in_words(TrailEntry(action="changed settings", details={"changes": {"title": ["A", "B"]}}))
    'changed settings: “Title” from A to B'
    >>> topics = {"402": {"options": [[], ["A", "B"]], "answer": ["", "B"]}}
    >>> in_words(TrailEntry(action="changed topics", details={"topics": topics}))
    'changed topics: 402: options from nothing to A, B, answer from nothing to B'
    """
    details = {name: value for name, value in entry.details.items() if name != "version"}
    sentence = SENTENCES.get(entry.action)
    if sentence:
        why = details.get("low_pay_reason")
        paid = f"; paid below the minimum, because: {_value(why)}" if why else ""
        read = "; having read: " + " ".join(details["read"]) if details.get("read") else ""
        seen = "; ordered after a ranking was visible" if details.get("after_ranking") else ""
        return sentence.format_map(_Details(details)) + paid + read + seen
    parts = [text for name, value in details.items() if (text := _detail(name, value))]
    return f"{entry.action}: {'; '.join(parts)}" if parts else entry.action


class _Details(dict[str, Any]):
    """A missing detail becomes a question mark."""

    def __missing__(self, name: str) -> str:
        return "?"

    def __getitem__(self, name: str) -> str:
        value = super().__getitem__(name)
        return _documents(value) if isinstance(value, Mapping) else _value(value)


def _documents(by_topic: Mapping[str, Any]) -> str:
    """Topics, with the number of documents where not all were chosen."""
    return ", ".join(
        f"topic {topic}" if number == "all" else f"topic {topic} ({count(number, 'document')})"
        for topic, number in by_topic.items()
    )


def _detail(name: str, value: Any) -> str:
    if name == "changes" and isinstance(value, Mapping):
        return _changes(value)
    if name == "topics" and isinstance(value, Mapping):
        return "; ".join(f"{topic}: {_changes(changes)}" for topic, changes in value.items())
    words = name.replace("_", " ")
    if isinstance(value, bool):
        return f"{'with' if value else 'without'} {words}"
    return "" if value in ("", [], {}, None) else f"{words} {_value(value)}"


def _changes(by_field: Mapping[str, Any]) -> str:
    return ", ".join(_change(field, change) for field, change in by_field.items())


def _change(field: str, change: Any) -> str:
    if isinstance(change, list) and len(change) == 2:
        return f"{name_of(field)} from {_value(change[0])} to {_value(change[1])}"
    return f"{name_of(field)}: {_value(change)}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    elif isinstance(value, Mapping):
        value = ", ".join(f"{name}: {_value(part)}" for name, part in value.items())
    text = "nothing" if value in ("", None) else " ".join(str(value).split())
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH].rstrip()}…"
