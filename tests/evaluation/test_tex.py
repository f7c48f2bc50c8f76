"""Whatever a table holds is set by pdflatex, and nothing of it vanishes."""

from pathlib import Path

import pytest

from evaluation.cache import tex
from tests.latex import compile_tex


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("σ above µ", r"$\sigma$ above $\mu$"),
        ("10^(1+C)", "$10^{1+C}$"),
        ("n² at x_1 ≤ 5%", r"n$^{2}$ at x\_1 $\leq$ 5\%"),
        ("H_k / N_k", "$H_{k}$ / $N_{k}$"),
        ("run_k1 & #3 {a} ~ ^", r"run\_k1 \& \#3 \{a\} \textasciitilde{} \textasciicircum{}"),
        ("p(T|i) of A|B", r"$p(T\mid i)$ of A\textbar{}B"),
        ("Zoë – “ok” –", "Zoë – “ok” –"),
        ("漢\u200b字", "[U+6F22][U+5B57]"),
        ("two\nlines\tof  text", "two lines of text"),
    ],
)
def test_signs_become_mathematics_or_are_escaped(text: str, expected: str) -> None:
    assert tex.escaped(text) == expected


def test_every_character_that_is_said_to_be_there_is_set(tmp_path: Path) -> None:
    signs = {*map(chr, range(0x20, 0x250)), *tex.MATHS, *tex.SPACES, *tex.DRAWN, *tex.HAS}
    signs |= {*"漢字עברית🙂\ufeff\u200b\u2028", *map(chr, range(0x370, 0x460))}
    for sign in signs:
        assert all(each.isascii() or each in tex.HAS for each in tex.escaped(sign)), sign
    compile_tex("\n\n".join(tex.escaped(sign) for sign in sorted(signs)), tmp_path)
