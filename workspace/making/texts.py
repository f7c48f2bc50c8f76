"""The label and the help text of each setting, with its value in the paper."""

from typing import NamedTuple

from judging.currencies import MINIMUM_HOURLY_PAY
from judging.departures import SETTINGS
from judging.platforms import platforms_taking
from judging.studies.setup.consent import PASTING_IS_RECORDED
from judging.studies.setup.missing import Step


class Text(NamedTuple):
    """The label of a setting, and one sentence on what it changes."""

    label: str
    hint: str

    def with_hint(self, more: str) -> "Text":
        """The same, with another sentence."""
        return self._replace(hint=f"{self.hint} {more}")


def _minimum_pay_by_currency() -> str:
    return ", ".join(f"{minimum} {currency}" for currency, minimum in MINIMUM_HOURLY_PAY.items())


TEXTS = {
    "title": Text("Title", "What colleagues and workers read on top of every page."),
    "scale": Text(
        "Scale", "Whether workers type any positive number, or choose a level."
    ),
    "levels": Text(
        "Levels", "Their names, one a line, the lowest first; for a graded scale alone."
    ),
    "level_descriptions": Text(
        "What each level means", "A sentence for each, one a line, the lowest first, shown with "
        "the level wherever workers choose; empty: the names alone."
    ),
    "unit_size": Text(
        "Documents in a unit", "What one worker judges at a time, both anchors among them."
    ),
    "redundancy": Text(
        "Judgments of each document", "More make a gain more certain, and cost as much more."
    ),
    "minimum_seconds": Text(
        "Seconds on each document, at least", "Whoever is faster on any of them must revise before "
        "the unit counts."
    ),
    "practice": Text(
        "Practice with lines", "Before every unit, or before a worker's first alone: who has "
        "passed a unit then begins the next at its topic."
    ),
    "show_previous_score": Text(
        "Show the score of the document before", "Each score is given in relation to it."
    ),
    "ratios_after_practice": Text(
        "Show the ratios after practice", "After the first practice that they pass, workers read "
        "how many times the number of the line before each line got."
    ),
    "hints": Text(
        "Give hints on the first number and on other topics", "Workers read that their first "
        "number should leave room above and below, and that a text which has nothing to do with "
        "the topic gets a small number."
    ),
    "check_before_finish": Text(
        "List the answers before the end", "Workers see their own numbers and reasons once more "
        "before they finish."
    ),
    "most_failed_finishes": Text(
        "Failed checks at the end, at most", "The attempt ends with this one; empty: 3 on a "
        "platform that names its people, else no limit."
    ),
    "pay_after_limit": Text(
        "Pay workers who reach that limit", "Platforms expect it; their scores count nowhere."
    ),
    "expiry_minutes": Text(
        "Minutes until a unit is free again", "Counted from a worker's last page. As a rule: 60."
    ),
    "practice_minutes": Text(
        "Minutes until the first document is sent", "A unit is held so long for somebody who has "
        "not sent its first document yet, counted from their last page. As a rule: 10."
    ),
    "long_visit_minutes": Text(
        "Long visits, in minutes", "Times are told with and without visits that last longer. As a "
        "rule: 10."
    ),
    "payment": Text(
        "Payment for a unit", "What a worker earns with a completed unit; 0: volunteers, unpaid. "
        "In the paper, of 2017: 0.20."
    ),
    "currency": Text("Currency", "In which workers are paid, by its code of ISO 4217."),
    "platform_fee": Text(
        "The platform's share on top, in percent", "Of what workers are paid; they do not get it."
    ),
    "minimum_hourly_pay": Text(
        "Pay an hour, at least", "Where the median person earns less you are warned, and asked why "
        f"before the study opens. Empty: {_minimum_pay_by_currency()}; 0: no minimum."
    ),
    "entry": Text(
        "Who may enter", "Anybody with the link, or only those whom a participant platform sends. "
        "Usual is the latter where the study names a platform that sends ids."
    ),
    "max_units_per_worker": Text(
        "Units of one worker, at most", "Fewer bring more different people; empty: one on each "
        "topic, unless further units are not offered."
    ),
    "language": Text(
        "Language of the workers' pages", "Buttons, instructions and messages are in it; what you "
        "write yourself you write in it. Your own pages stay in English."
    ),
    "text_language": Text(
        "Language of topics and documents", "A tag, as en or pt-BR, by which browsers choose "
        "letters and voices; for texts that name none themselves. Empty: that of the pages."
    ),
    "most_workers": Text(
        "People, at most", "Whoever stops or fails gives the place to somebody else; empty: any "
        "number."
    ),
    "newcomers_an_hour": Text(
        "New people within an hour, at most", "Others are told when to come back; empty: any "
        "number."
    ),
    "newcomers_a_day": Text(
        "New people within 24 hours, at most", "Spreads a crowd over days and times of day; empty: "
        "any number."
    ),
    "quiet_hours": Text(
        "Hours without a form until the monitor says so", "Then its light for the flow is amber: "
        "nobody is here. Choose more than a night."
    ),
    "platform": Text(
        "Participant platform", "Where the people come from: it settles the link that you enter "
        "there, and how they go back."
    ),
    "completion_code": Text(
        "Completion code", "Of the study on Prolific, or of the project on Connect where it has no "
        "redirect: by it the platform knows that somebody is done."
    ),
    "completion_address": Text(
        "Address to go back to", "Connect’s redirect address, or SONA’s client-side completion "
        "URL, as they are shown there."
    ),
    "screen_out_code": Text(
        "Code for a paid screen-out", "On Prolific alone, and only if its study has one: for those "
        "who have begun and may not go on. Empty: they are asked to return their submission."
    ),
    "screen_out_reward": Text(
        "Reward for a screen-out", "What that code pays on Prolific, as those who get it are told."
    ),
    "return_code": Text(
        "Code for a return", "On Prolific alone, and only if its study has one: Prolific then asks "
        "whoever leaves or cannot go on to return the submission. Empty: the page asks."
    ),
    "further_units": Text(
        "After the first unit", "A platform pays a submission once, so there is no other unit, or "
        "one for a bonus. Elsewhere others are paid as the first, as in the paper."
    ),
    "submission_minutes": Text(
        "Minutes for a submission", "The platform’s maximum time: who goes on for a bonus is told "
        "by when to go back."
    ),
    "question_tries": Text(
        "Answers to the question on the topic", "A wrong one ends the unit, or is asked for once "
        "more. Empty: 2 on Prolific, else 1."
    ),
    "attempts": Text(
        "Failures of practice or question, at most", "Whoever has failed as often is given no "
        "further unit; empty: no limit."
    ),
    "demo": Text(
        "This is a demonstration", "Takes people and artificial workers, and pays nothing."
    ),
    "pool_depth": Text(
        "Depth", "How many documents of each run's list are judged."
    ),
    "pool_by": Text(
        "Which documents come first", "By the rank field as it is written, or by score, as lists "
        "are evaluated."
    ),
    "cutoff": Text(
        "Compare systems to rank", "The cutoff of the measures that rank them. Empty: 10, or less "
        "where not every run is judged so far down."
    ),
    "labels": Text("Label set", "Where anchors are proposed and drawn from."),
    "unlabelled_n_k": Text(
        "Draw N_k from documents without a label", "Where labels name relevant documents alone. "
        "Somebody must read each N_k then."
    ),
    "unlabelled_as_zero": Text(
        "Unlabelled documents count as 0", "Judged documents without a label, where pairs of "
        "documents, orders of systems or gains are compared with labels, as tools that read qrels "
        "have it. Anchors do not."
    ),
    "introduction": Text(
        "Introduction", "What the study is about, as the first thing that workers read."
    ),
    "practice_instructions": Text(
        "Practice with lines", "How to give numbers to lines. That the numbers must rise with the "
        "lengths is said below it in any case."
    ),
    "instructions": Text(
        "How to judge", "What to judge documents by. The levels of a graded scale, and what the "
        "pages do, stand below it in any case."
    ),
    "consent": Text(
        "What workers agree to", "Who runs it, what for, how long it takes, what is recorded, for "
        "how long, and what is published. A blank line begins a paragraph."
    ),
    "consent_by": Text(
        "How workers agree", "By the button “I agree, begin” alone, or by ticking a box first."
    ),
    "record_pasting": Text(
        "Record pasting and hidden pages", "How many characters are pasted into a page, and for "
        "how many seconds it is hidden; no keystrokes. The text above must say so: "
        f"“{PASTING_IS_RECORDED}”"
    ),
    "contact": Text("Contact", "Whom workers write to: a name and an address."),
    "ethics_approval": Text("Ethics approval", "Board and number, as workers read it."),
    "ethics_exemption": Text(
        "Exempt, because …", "If no approval is needed: the reason, as workers read it. It stands "
        "in the place of an approval."
    ),
    "withdraw_days": Text(
        "Days for withdrawing answers", "Counted from the end of a unit, for workers by themselves "
        "on their own page; empty: for as long as the answers are stored."
    ),
    "retention_days": Text(
        "Days that platforms' ids are kept", "Counted from the closing; empty: until somebody "
        "deletes them."
    ),
}  # fmt: skip
TEXTS |= {
    setting.name: TEXTS[setting.name].with_hint(f"In the paper: {setting.paper_text}.")
    for setting in SETTINGS
}

WAY_BACK = (
    *("completion_code", "completion_address", "screen_out_code", "screen_out_reward"),
    *("return_code", "submission_minutes"),
)


def ways_back() -> dict[str, tuple[str, ...]]:
    """The settings of the way back, by headings that name the platforms that take them."""
    groups: dict[str, tuple[str, ...]] = {}
    for name in WAY_BACK:
        *titles, last = (platform.title for platform in platforms_taking(name))
        heading = f"The way back to {', '.join(titles)}{' and ' if titles else ''}{last}"
        groups[heading] = (*groups.get(heading, ()), name)
    return groups


PAGES: dict[str, dict[str, tuple[str, ...]]] = {
    Step.SETTINGS: {
        "What is asked": ("title", "scale", "levels", "level_descriptions"),
        "Texts": ("language", "text_language"),
        "Units": ("unit_size", "redundancy"),
        "Checks": (
            *("minimum_seconds", "practice", "ratios_after_practice", "hints"),
            *("show_previous_score", "check_before_finish"),
            *("most_failed_finishes", "pay_after_limit"),
        ),
        "Time": ("expiry_minutes", "practice_minutes", "long_visit_minutes"),
        "Pay": ("payment", "currency", "platform_fee", "minimum_hourly_pay"),
        "Comparison with labels": ("unlabelled_as_zero",),
        "Trying it out": ("demo",),
    },
    Step.TEXTS: {"": ("introduction", "practice_instructions", "instructions")},
    Step.RECRUITING: {
        "Where people come from": ("platform", "entry"),
        **ways_back(),
        "How much each does": ("further_units", "max_units_per_worker"),
        "Further tries": ("question_tries", "attempts"),
    },
    Step.POOL: {"": ("pool_depth", "pool_by", "cutoff")},
    Step.ANCHORS: {"": ("labels", "unlabelled_n_k")},
    Step.ENTRY: {"": ("most_workers", "newcomers_an_hour", "newcomers_a_day", "quiet_hours")},
    Step.CONSENT: {
        "": (
            "consent",
            "consent_by",
            "contact",
            "ethics_approval",
            "ethics_exemption",
            "retention_days",
            "withdraw_days",
            "record_pasting",
        )
    },
}

# What of a topic is changed, where its name of a program is not yet a word.
OF_TOPICS = {
    "h_k": "H_k",
    "n_k": "N_k",
    "anchors_drawn": "anchors drawn",
    "anchors_unread": "anchors unread",
    "answer_sentence": "sentence of the answer",
    "anchors_reason": "reason for anchors against their labels",
    "pool": "list of documents",
}


def name_of(field: str) -> str:
    """What forms call a setting, or what is set of a topic.

    >>> name_of("redundancy"), name_of("n_k"), name_of("options")
    ('“Judgments of each document”', 'N_k', 'options')
    """
    return f"“{TEXTS[field].label}”" if field in TEXTS else OF_TOPICS.get(field, field)
