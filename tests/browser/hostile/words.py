"""Names and sentences that try what documents try, wherever people may write something."""

from tests.browser.hostile.payloads import filled

LEFT_TO_RIGHT = "‪a‭b‬ ‮detrevni⁦c⁩ "
ZALGO = "Z̷̢̛͓̈́a̵l̸g̶o̷ "
INVISIBLE = "a​‌‍⁠﻿­̈\U000e0041 "  # joiners, a tag, a hyphen that may be
LOOK_ALIKES = "раураl.соm ｐａｙｐａｌ "  # Cyrillic and wide letters
ENDS = "'\"></title></textarea></script></style><img src=URL onerror=RUN><svg onload=RUN>"
SHORT = "<svg onload=RUN>"
LINK = "javascript:RUN//"
FORMULAS = ('=HYPERLINK("URL","x")', "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(1+1)", "\t=1+1")


def hostile_word(number: int, url: str, longest: int = 2000) -> str:
    """A text of one line, of at most so many letters."""
    for parts in ((ENDS, LEFT_TO_RIGHT, ZALGO, INVISIBLE, LOOK_ALIKES), (ENDS,), (SHORT,)):
        word = filled("".join(parts), number, url)
        if len(word) <= longest:
            return word
    return "<b onclick=x>"[:longest]


def hostile_id(number: int, url: str) -> str:
    """A name without blanks, as those of documents, topics and runs are."""
    return filled("'\"><svg/onload=RUN>", number, url) + f"/{number}"


def hostile_text(number: int, url: str) -> str:
    return "\n\n".join(
        [hostile_word(number, url), filled(LINK, number, url), *_formulas(number, url), "W" * 300]
    )


def _formulas(number: int, url: str) -> list[str]:
    return [filled(formula, number, url) for formula in FORMULAS]
