"""Colours by day and by night: text as WCAG 2.2, 1.4.3 wants it; edges and marks as 1.4.11 does.

axe-core does not measure the second, and sees the first only on the pages that it visits.
"""

import re

import pytest
from django.conf import settings

from evaluation.presentation.plots import MARK, OTHER

TOKENS = (settings.BASE_DIR / "static/css/tokens.css").read_text()
COLOURS = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", TOKENS)
PALETTES = {
    "light": {name: day for name, day, _ in COLOURS},
    "dark": {name: night for name, _, night in COLOURS},
}
GROUNDS = ("ground", "page", "raised", "warn-ground", "accent-ground")
ON = {
    **dict.fromkeys(("ink", "quiet", "accent", "accent-hover"), GROUNDS),
    "wrong": (*GROUNDS, "wrong-ground"),
    "good": ("ground", "page", "good-ground"),
    "accent-ink": ("accent", "accent-hover"),
}
LINES = ("edge", "focus", "mark", "other")  # of controls and pictures


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_has_a_contrast_of_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_colour_is_faint(theme):
    palette = PALETTES[theme]
    poor = {
        (text, ground): round(ratio, 2)
        for text, grounds in ON.items()
        for ground in grounds
        if (ratio := contrast(palette[text], palette[ground])) < 4.5
    }
    faint = {
        (line, ground): round(ratio, 2)
        for line in LINES
        for ground in GROUNDS
        if (ratio := contrast(palette[line], palette[ground])) < 3
    }
    assert not poor
    assert not faint


@pytest.mark.parametrize(("colour", "token"), [(MARK, "mark"), (OTHER, "other")])
def test_charts_on_pages_take_the_colours_of_the_theme(colour, token):
    style = (settings.BASE_DIR / "static/css/staff.css").read_text()
    for what in ("fill", "stroke"):
        assert f'svg [{what}="{colour}"] {{ {what}: var(--{token}); }}' in style
