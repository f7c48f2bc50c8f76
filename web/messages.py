"""Where a message waits for the next page: in a cookie, or in the session if it is long."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage

from web.cookie_names import MESSAGES, of_host


class InCookie(CookieStorage):
    """Django's, under a name of ours."""

    cookie_name = of_host(MESSAGES, https=settings.HTTPS)


class Storage(FallbackStorage):
    """Django's, with it."""

    storage_classes = (InCookie, *FallbackStorage.storage_classes[1:])
