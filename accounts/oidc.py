"""Log-in at an institution by OpenID Connect; imported only where it is on.

allauth does the work: discovery, state, PKCE, tokens, accounts. It leaves three things to sites:
the signature of an ID token that came over TLS, the nonce, and that userinfo is of one subject.
"""

import secrets
from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.utils import get_next_redirect_url
from allauth.core import ratelimit
from allauth.socialaccount import views as allauth
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.forms import DisconnectForm
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from django.views.generic import RedirectView
from requests import RequestException

# What a malformed answer may lead to in allauth.
MALFORMED = (AttributeError, KeyError, TypeError, ValueError, ImproperlyConfigured)


class SignedAdapter(OpenIDConnectOAuth2Adapter):
    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        return request.build_absolute_uri(reverse("oidc-callback"))

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **options: Any) -> Any:
        """The person, with `claims`; the account that is stored has none of them."""
        self.did_fetch_access_token = False  # else allauth leaves the signature unverified
        try:
            login = super().complete_login(request, app, token, **options)
            signed, userinfo = (login.account.extra_data[part] for part in ("id_token", "userinfo"))
            same = userinfo["sub"] == signed["sub"] and signed["iss"] == settings.OIDC_ISSUER
        except MALFORMED as fault:
            raise OAuth2Error("malformed answer") from fault
        if not same:
            raise OAuth2Error("another subject or issuer")
        login.claims = userinfo | signed
        login.account.extra_data = {}
        return login


class Provider(OpenIDConnectProvider):
    oauth2_adapter_class = SignedAdapter


registry.register(Provider)


class UnlinkForm(DisconnectForm):
    """Of log-ins that a former issuer has left behind it shows none."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        own = SocialAccount.objects.filter(user=self.request.user, provider=settings.OIDC_ISSUER)
        self.accounts: Any = own
        self.fields["account"].queryset = own


@require_POST
@never_cache
def log_in(request: HttpRequest) -> HttpResponse:
    return _begin(request, AuthProcess.LOGIN, get_next_redirect_url(request))


@require_POST
@never_cache
@login_required
@reauthentication_required
def link(request: HttpRequest) -> HttpResponse:
    return _begin(request, AuthProcess.CONNECT, None)


def _begin(request: HttpRequest, process: str, next_url: str | None) -> HttpResponse:
    """Go to the institution by a page: the policy of the form would refuse its redirects."""
    if not ratelimit.consume(request, action="oidc"):
        return ratelimit.respond_429(request)
    provider = get_adapter().get_provider(request, settings.OIDC_ISSUER)
    nonce = secrets.token_urlsafe()
    try:
        there = provider.redirect(
            request, process, next_url, auth_params={"nonce": nonce}, nonce=nonce
        )
    except (RequestException, *MALFORMED) as fault:
        return render_authentication_error(request, provider, exception=fault)
    return render(request, "accounts/to_institution.html", {"address": there.url})


@never_cache
def callback(request: HttpRequest) -> HttpResponse:
    return OAuth2CallbackView.adapter_view(SignedAdapter(request, settings.OIDC_ISSUER))(request)


to_log_in = RedirectView.as_view(pattern_name="account_login")
urlpatterns = [
    path("login/oidc/", log_in, name="oidc-login"),
    path("login/oidc/callback/", callback, name="oidc-callback"),
    path("account/oidc/", allauth.connections, name="socialaccount_connections"),
    path("account/oidc/link/", link, name="oidc-link"),
    # Names that allauth asks for.
    path("login/oidc/cancelled/", to_log_in, name="socialaccount_login_cancelled"),
    path("login/oidc/new/", to_log_in, name="socialaccount_signup"),
]
