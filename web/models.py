from django.db import models


class HealthProbe(models.Model):
    """Written to check that the database can be written to; the rows are rolled back."""

    page = models.BinaryField()

    def __str__(self) -> str:
        return f"probe {self.pk}"


class Lease(models.Model):
    name = models.CharField(max_length=80, primary_key=True, help_text="Of the work.")
    holder = models.UUIDField()
    until = models.DateTimeField(help_text="Renewed while its holder lives; then it is free.")

    def __str__(self) -> str:
        return f"{self.name} until {self.until:%c}"
