"""Messages are stored in a cookie, or in the session if they are long."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage

from web.cookie_names import MESSAGES, host_cookie


class InCookie(CookieStorage):
    cookie_name = host_cookie(MESSAGES, https=settings.HTTPS)


class Storage(FallbackStorage):
    storage_classes = (InCookie, *FallbackStorage.storage_classes[1:])
