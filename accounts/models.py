from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.db.models import Q
from django.http import HttpRequest
from knox.models import AbstractAuthToken

from web.encryption import EncryptedField


class User(AbstractUser):  # type: ignore[django-manager-missing]
    """Ours from the first migration on, since Django's cannot be replaced later."""


Visitor = User | AnonymousUser


def logged_in(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - checked by the view's decorator
    return request.user


class Token(AbstractAuthToken):
    """What a program shows instead of a password; only its digest is stored."""

    class Scope(models.TextChoices):
        READ = "read", "Read: see everything, change nothing"
        WRITE = "write", "Write: everything that its owner may do"

    name = models.CharField(max_length=80, help_text="What it is for.")
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.READ)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "name"], name="token_name_once"),
            models.CheckConstraint(condition=Q(scope__in=["read", "write"]), name="scope_known"),
        ]

    def __str__(self) -> str:
        return self.name


class RequestCount(models.Model):
    """Of a token, or a user with a session, in the latest minute."""

    asker = models.CharField(max_length=160, primary_key=True)
    minute = models.DateTimeField()
    requests = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return self.asker


class StoredResponse(models.Model):
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    key_digest = models.CharField(max_length=64)
    request_digest = models.CharField(max_length=64, help_text="Of method, address and body.")
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    content = EncryptedField(row=("user_id", "key_digest"))
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key_digest"], name="one_response_a_key")
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.at}"
