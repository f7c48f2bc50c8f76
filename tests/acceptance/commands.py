"""Runs commands next to a site, all in one process, as it takes seconds to load what they need.

A line on its standard input is a command and its arguments, as a list; a line on its standard
output is what that command printed.
"""

import json
import os
import sys
from io import StringIO

import django
from django.core.management import call_command


def work() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what else is printed is no answer
    for line in sys.stdin:
        out = StringIO()
        call_command(*json.loads(line), stdout=out, stderr=sys.stderr)
        print(json.dumps(out.getvalue()), file=answers, flush=True)


if __name__ == "__main__":
    django.setup()
    work()
