"""People who log in."""

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """Somebody who logs in, with all that Django's own user has.

    It is ours from the first migration on, since Django's cannot be replaced later.
    """
