"""What gives the right answer of a question away."""

import pytest

from judging.studies.configuration.question_hints import find_giveaways

WRONG = ["The price of coal", "The habits of whales", "The laws of the sea"]


@pytest.mark.parametrize(
    ("answer", "title", "expected"),
    [
        ("The wreck of a tanker", "Oil spills", []),
        ("The wreck of a tanker and what its oil did to birds", "", ["by far the longest option"]),
        ("Spills", "", ["by far the shortest option"]),
        ("What oil spills did", "Oil spills at sea", ["words of the topic's title: spills"]),
        ("The price of whales", "Whales, their price", []),
        ("", "Oil", []),
    ],
)
def test_the_right_answer_stands_out(answer, title, expected):
    lines = find_giveaways([*WRONG, answer], answer, title)
    assert len(lines) == len(expected)
    assert all(part in line for part, line in zip(expected, lines, strict=True))
