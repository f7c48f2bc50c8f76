"""What the apps share in the database."""

from django.db import models


class HealthProbe(models.Model):
    """What is written to see whether the database can be written to; its rows are rolled back."""

    page = models.BinaryField()

    def __str__(self) -> str:
        return f"probe {self.pk}"


class Lease(models.Model):
    """Work that one process at a time may be at, and who is. See `web.background.leases`."""

    name = models.CharField(max_length=80, primary_key=True, help_text="Of the work.")
    holder = models.UUIDField()
    until = models.DateTimeField(help_text="Renewed while its holder lives; then it is free.")

    def __str__(self) -> str:
        return f"{self.name} until {self.until:%c}"
