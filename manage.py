#!/usr/bin/env python
"""Run a management command."""

import os
import signal
import sys

if __name__ == "__main__":
    if sys.argv[1:2] == ["evaluate"]:
        # Files in, numbers out: settings and apps would take longer to load than it works.
        from evaluation.management.commands.evaluate import Command

        Command().run_from_argv(sys.argv)
        sys.exit()
    if sys.argv[1:2] == ["migrate"]:
        os.environ["PROCESS"] = "migrate"  # to the settings: nobody may wait for it
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # A plain TERM would skip what is done on the way out, such as stopping embedded servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:
        sys.exit(f"The set-up is wrong. {fault}")
