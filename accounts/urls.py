"""Names are those that allauth expects."""

from allauth.account import views as allauth
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from django.conf import settings
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from accounts import token_scheme as token_scheme  # registers itself
from accounts import views

urlpatterns = [
    path("login/", allauth.login, name="account_login"),
    path("login/code/", second_factor.authenticate, name="mfa_authenticate"),
    path("logout/", allauth.logout, name="account_logout"),
    path("account/", views.account, name="account"),
    path("account/tokens/<id:name>/delete/", views.delete_token, name="delete-token"),
    path("account/sessions/", views.sessions, name="sessions"),
    path("account/inactive/", allauth.account_inactive, name="account_inactive"),
    path("account/confirm/", allauth.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code/", second_factor.reauthenticate, name="mfa_reauthenticate"),
    path("account/password/", allauth.password_change, name="account_change_password"),
    path("account/password/first/", allauth.password_set, name="account_set_password"),
    path("account/code/", second_factor.index, name="mfa_index"),
    path("account/code/on/", totp.activate_totp, name="mfa_activate_totp"),
    path("account/code/off/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path(
        "account/code/recovery/",
        recovery_codes.view_recovery_codes,
        name="mfa_view_recovery_codes",
    ),
    path(
        "account/code/recovery/new/",
        recovery_codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/code/recovery/file/",
        recovery_codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
    path("password/", allauth.password_reset, name="account_reset_password"),
    path("password/sent/", allauth.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/changed/",
        allauth.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    # allauth asks for this name, although there is no sign-up.
    path("signup/", RedirectView.as_view(pattern_name="account_login"), name="account_signup"),
]
if settings.OIDC_ISSUER:
    urlpatterns.append(path("", include("accounts.oidc")))
