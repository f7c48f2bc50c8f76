"""Text as LaTeX has it: pdflatex with inputenc utf8 and fontenc T1 sets whatever comes out.

Signs of mathematics, and ours such as H_k or 10^(1+C), become mathematics; what means something to
TeX is escaped; a character that its fonts lack is named by its number, as it would vanish.
"""

import re
import unicodedata
from functools import cache

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "|": r"\textbar{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
} | {sign: f"\\{sign}" for sign in "{}$&#%_"}
# In the order of their meaning: operators, relations, sets, brackets, Greek letters.
MATHS = dict(
    entry.split(" ", 1)
    for entry in r"""
× \times|· \cdot|± \pm|− -|∕ /|⁄ /|÷ \div|∑ \sum|∏ \prod|∫ \int|∂ \partial|√ \surd|∞ \infty
< <|≤ \leq|≥ \geq|≠ \neq|≈ \approx|≡ \equiv|→ \rightarrow|← \leftarrow|↔ \leftrightarrow
∈ \in|∩ \cap|∪ \cup|⊂ \subset|∅ \emptyset|¬ \neg
⌈ \lceil|⌉ \rceil|⌊ \lfloor|⌋ \rfloor|′ '|° ^\circ
α \alpha|β \beta|γ \gamma|δ \delta|ε \varepsilon|ζ \zeta|η \eta|θ \theta|ι \iota|κ \kappa|λ \lambda
μ \mu|µ \mu|ν \nu|ξ \xi|ο o|π \pi|ρ \rho|σ \sigma|ς \varsigma|τ \tau|υ \upsilon|φ \varphi
χ \chi|ψ \psi|ω \omega|Γ \Gamma|Δ \Delta|Θ \Theta|Λ \Lambda|Ξ \Xi|Π \Pi|Σ \Sigma|Φ \Phi|Ψ \Psi
Ω \Omega
""".strip()
    .replace("\n", "|")
    .split("|")
)
MATHS |= {
    sign: f"^{{{plain}}}" for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵀ", "0123456789+-nT", strict=True)
}
MATHS |= {
    sign: f"_{{{plain}}}" for sign, plain in zip("₀₁₂₃₄₅₆₇₈₉₊₋ₖ", "0123456789+-k", strict=True)
}
SPACES = dict.fromkeys("\u2009\u202f\u2006", r"\,") | dict.fromkeys("\u00a0\u2007", "~")
DRAWN = {"½": r"$\frac12$", "¼": r"$\frac14$", "¾": r"$\frac34$"}
DRAWN |= {"‑": "-", "‐": "-", "†": r"\dag{}"}
KNOWN = {sign: f"${plain}$" for sign, plain in MATHS.items()} | SPECIAL | SPACES | DRAWN
# What T1 has beside ASCII: the letters of Latin-1 and Latin Extended-A, and some typographic signs.
HAS = frozenset(map(chr, [*range(0xA1, 0x180), 0x218, 0x219, 0x21A, 0x21B])) - frozenset(
    "\u00ad\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167\u017f"
) | frozenset("–—‘’“”„…‰€•‹›")
# Ours: the anchors, a largest level, p(T|i), a power in brackets, and a power of one number.
NOTATION = re.compile(
    r"(?P<base>\b[A-Za-z0-9]+)\^"
    r"(?:\((?P<bracket>[A-Za-z0-9+\-*/. ]{1,20})\)|(?P<power>-?[\d.]+\b|[A-Z]\w*))"
    r"|\b(?P<letter>[HNTDγ])_(?P<index>[kDu])\b"
    r"|\bp\(T\|(?P<level>\w)\)"
)


def escaped(text: str) -> str:
    """A text in one line, as TeX sets it.

    >>> escaped("10^(1+C) of H_k, μ ± 2σ, 50% of run_a")
    '$10^{1+C}$ of $H_{k}$, $\\\\mu$ $\\\\pm$ 2$\\\\sigma$, 50\\\\% of run\\\\_a'
    >>> escaped("漢 ħ")
    '[U+6F22] h'
    """
    pieces, end = [], 0
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    for match in NOTATION.finditer(text):
        pieces += [_signs(text[end : match.start()]), _notation(match)]
        end = match.end()
    return "".join([*pieces, _signs(text[end:])])


def _notation(match: re.Match[str]) -> str:
    if match["letter"]:
        letter = MATHS.get(match["letter"], match["letter"])
        return f"${letter}_{{{match['index']}}}$"
    if match["level"]:
        return rf"$p(T\mid {match['level']})$"
    return f"${match['base']}^{{{match['bracket'] or match['power']}}}$"


def _signs(text: str) -> str:
    return "".join(map(_sign, text))


@cache
def _sign(sign: str) -> str:
    """A character as TeX has it, or what stands for one that the fonts lack."""
    if sign in KNOWN:
        return KNOWN[sign]
    if " " <= sign <= "~" or sign in HAS:
        return sign
    if unicodedata.category(sign) in ("Cf", "Mn", "Cc"):  # nothing that one would see
        return ""
    if sign in "ħĦ":
        return "h" if sign == "ħ" else "H"
    plain = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return "".join(SPECIAL.get(letter, letter) for letter in plain) or f"[U+{ord(sign):04X}]"
