"""What a study has of the quantities that papers print, in the form in which they print them.

Each function takes the kept numbers of an analysis, and gives nothing where one is not known.
"""

import re
from collections.abc import Mapping
from typing import Any

from evaluation.presentation.parts import interval, number

Numbers = Mapping[str, Any]
OF_UG = re.compile(r"([a-z]+)_((?:nG|P\+|nERR)@\d+)_UG, p = 0\.2")  # a number, and its measure
OPTIONS = re.compile(r"\(.*\)")  # of a measure
BY_T = ", paired t"  # ends the name of a share of pairs, after the measure's
MEASURES_OF_POWER = "AP", "P", "nDCG"  # of those that the paper has


def known(numbers: Numbers, *names: str) -> bool:
    """Whether all of these numbers are there; one that is not defined is not."""
    values = [numbers.get(name) for name in names]
    return not any(value is None or value != value for value in values)


def where_it_lies(numbers: Numbers, key: str, text: str) -> str:
    """Whether a paper's value lies in the study's interval, where the study has one.

    >>> where_it_lies({"alpha_low": 0.30, "alpha_high": 0.35}, "alpha", ".31")
    '.31 lies within our 95% interval, 0.300 to 0.350'
    >>> where_it_lies({"pairs_low": 0.85, "pairs_high": 0.9}, "pairs", "80%")
    '80% lies outside our 95% interval, 85% to 90%'
    """
    if not known(numbers, f"{key}_low", f"{key}_high"):
        return ""
    low, high = (numbers[f"{key}_{end}"] for end in ("low", "high"))
    is_share = text.endswith("%")
    value = float(text.rstrip("%")) / (100 if is_share else 1)
    ends = f"{low:.0%} to {high:.0%}" if is_share else interval(low, high)
    where = "within" if low <= value <= high else "outside"
    return f"{text} lies {where} our 95% interval, {ends}"


def reader(numbers: Numbers) -> str:
    line = _line(numbers)
    return line and f"T_D(l) = {line} s; a study of judges has no click or save"


def time_on_a_document(numbers: Numbers) -> str:
    if not (line := _line(numbers)) or not known(numbers, "mean_again"):
        return ""
    again = number(numbers["mean_again"])
    return f"T_D(l) = {line} seconds; documents judged again, and near duplicates, {again} seconds"


def _line(numbers: Numbers) -> str:
    if not known(numbers, "slope", "intercept"):
        return ""
    a, b = numbers["slope"], numbers["intercept"]
    return f"{a:.3f} l {'+' if b >= 0 else '−'} {abs(b):.3g}"


def alphas(numbers: Numbers) -> str:
    """Of ratios: pooled, as the paper's, and within topics, which topics far apart do not raise."""
    if numbers.get("level") != "ratio" or not known(numbers, "alpha", "alpha_p"):
        return ""
    p = numbers["alpha_p"]
    alpha = f"{numbers['alpha']:.3f}, p {'< .001' if p < 0.001 else f'= {p:.3f}'}"
    asides = [_ends(numbers, "alpha")]
    if known(numbers, within := "alpha_within_topics"):
        ends = _ends(numbers, within)
        asides.append(f"within topics {numbers[within]:.3f}{ends and f', {ends}'}")
    aside = "; ".join(filter(None, asides))
    return f"{alpha} ({aside})" if aside else alpha


def _ends(numbers: Numbers, name: str) -> str:
    low, high = f"{name}_low", f"{name}_high"
    if not known(numbers, low, high):
        return ""
    return f"95% interval {numbers[low]:.3f} to {numbers[high]:.3f}"


def pairs_of_documents(numbers: Numbers) -> str:
    """With labels of the kinds that the study has; of graded ones the levels above 0 are one."""
    is_graded = known(numbers, "pairs_graded")
    forms = {
        "pairs_graded": "{:.0%} of pairs with graded labels",
        "pairs_binary": f"{{:.0%}} {'with these as binary' if is_graded else 'with binary labels'}",
        "pairs_label_sets": "the two kinds of labels {:.0%}",
    }
    shares = [form.format(numbers[name]) for name, form in forms.items() if known(numbers, name)]
    return "; ".join(shares)


def exponential_is_above(numbers: Numbers) -> str:
    """Where the exponential profile of gains lies; which profile is nearer takes a test."""
    if not known(numbers, "exponential_above", "levels"):
        return ""
    above, of = numbers["exponential_above"], numbers["levels"]
    where = "above all" if above == of else "above some" if above else "above none of the"
    return f"The exponential profile is {where} medians of levels"


def ratios_of_levels(numbers: Numbers) -> str:
    """Of each two levels, where there are three such ratios."""
    if len(numbers.get("medians", ())) < 3 or None in (*numbers["medians"], *numbers["means"]):
        return ""
    *medians, last_median = (f"{value:,.2f}" for value in numbers["medians"])
    *means, last_mean = map(number, numbers["means"])
    return (
        f"Medians {', '.join(medians)} and {last_median}; means {', '.join(means)} and {last_mean} "
        f"({', '.join(numbers['of'])})"
    )


def power(numbers: Numbers) -> str:
    """By the paired t test, of those measures that the paper has as well."""
    shares = {
        OPTIONS.sub("", name.removesuffix(BY_T)): share
        for name, share in numbers.items()
        if name.endswith(BY_T)
    }
    of_paper = (name for name in sorted(shares) if name.partition("@")[0] in MEASURES_OF_POWER)
    return ", ".join(f"{name} {shares[name]:.1%}" for name in of_paper)


def unanimity_taus(numbers: Numbers) -> str:
    taus = _by_measure(numbers, "tau")
    if not taus:
        return ""
    each = ", ".join(f"{tau:.3f} by {by}" for by, tau in taus.items())
    ends = f"tau from {min(taus.values()):.3f} to {max(taus.values()):.3f}"
    return f"{ends} (UG, p = .2, with the sum: {each})"


def unanimity_pairs(numbers: Numbers) -> str:
    pairs = _by_measure(numbers, "discrepancies")
    if not pairs:
        return ""
    each = ", ".join(f"{n} by {by}" for by, n in pairs.items())
    return f"Up to {max(pairs.values())} of {numbers['pairs']:,} pairs at a setting ({each})"


def _by_measure(numbers: Numbers, what: str) -> dict[str, Any]:
    """One of the numbers of UG by each measure of the paper that has it, whatever its cutoff."""
    names = (OF_UG.fullmatch(name) for name in numbers)
    of_what = (name for name in names if name and name[1] == what)
    return {name[2]: numbers[name[0]] for name in of_what if known(numbers, name[0])}
