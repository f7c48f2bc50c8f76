"""What the product says of small studies, in one file that is read as prose.

`sentences.txt` beside this has what analyses, cards and report say of the studies of `studies.py`,
a sentence a line. A change of wording is a change of that file, which `python -m tests.golden`
writes anew; whoever reviews it reads its diff.
"""


class Rewrite:
    """A plugin of pytest: the file is written, instead of compared."""
