from collections.abc import Collection

from django.db import models
from django.db.models import Q, Value


class BatchedChecksModel(models.Model):
    """A model with many check constraints, which one statement validates.

    Django uses a statement and a savepoint for each, a hundred round trips for a study; here it
    does so only if the one statement fails, for the message.
    """

    class Meta:
        abstract = True

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        left_out = set(exclude or ())
        checks = [c for c in self._meta.constraints if isinstance(c, models.CheckConstraint)]
        conditions = [
            check.condition
            for check in checks
            if isinstance(check.condition, Q)
            and not check.condition.referenced_base_fields & left_out
        ]
        values = {
            field.name: Value(getattr(self, field.attname), field)
            for field in self._meta.local_concrete_fields
            if field.name not in left_out
        }
        has_others = len(checks) < len(self._meta.constraints)
        if has_others or not Q(*conditions).check(values):
            super().validate_constraints(exclude)
