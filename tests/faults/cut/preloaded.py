"""What a command needs, imported once by the process from which they are forked."""

import os
from importlib import import_module

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
for name in (
    "operations.management.commands.migrate",
    "operations.management.commands.backup",
    "operations.management.commands.restore",
    "judging.management.commands.import_collection",
    "evaluation.management.commands.recompute",
):
    import_module(name)
