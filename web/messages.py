"""Storage of messages: in a cookie, or in the session if they are long."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage

from web.cookie_names import MESSAGES, host_cookie


class InCookie(CookieStorage):
    """Django's, with our name for the cookie."""

    cookie_name = host_cookie(MESSAGES, https=settings.HTTPS)


class Storage(FallbackStorage):
    """Django's, with this cookie."""

    storage_classes = (InCookie, *FallbackStorage.storage_classes[1:])
