"""Calls functions that make or change what the pages show, for as long as a site is there.

A process of its own, as it needs the VAR_DIR of the server, and one for all calls, as it takes
seconds to load what they need. A line on its standard input names a function of this folder and its
arguments; a line on its standard output says that it is done.
"""

import json
import os
import sys
from importlib import import_module


def work() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what is printed is no answer
    for line in sys.stdin:
        place, *arguments = json.loads(line)
        module, _, function = place.rpartition(".")
        getattr(import_module(f"tests.browser.{module}"), function)(*arguments)
        print("done", file=answers, flush=True)


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    work()
