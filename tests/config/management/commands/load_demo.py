import json

from django.core.management.base import BaseCommand


class Command(BaseCommand):
    def handle(self, *args: object, **options: object) -> None:
        self.stderr.write("loading")
        loaded = {"study": "demo-live", "results": "demo", "username": "ada", "password": "s3cret"}
        self.stdout.write(json.dumps(loaded))
