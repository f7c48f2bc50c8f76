from typing import Any

from allauth.account.admin import EmailAddress  # which registers it
from allauth.account.decorators import secure_admin_login
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa import admin as factors  # which registers its model
from allauth.socialaccount import admin as institution  # which registers its models
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Permission
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import User, logged_in
from accounts.own_sessions import end_sessions
from magnitudes.files.words import count

# The log-in of the site replaces the admin's, which has no rate limit and no second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
# Whoever may change a user's address could have password links sent to it.
admin.site.unregister(EmailAddress)
# And whoever may add a linked log-in or a provider could log in as anybody.
admin.site.unregister([institution.SocialAccount, institution.SocialApp, institution.SocialToken])
admin.site.unregister(factors.Authenticator)
RIGHTS = ("is_superuser", "groups", "user_permissions")


@admin.register(User)
class PersonAdmin(UserAdmin):
    """Nobody acts on users with more rights, and only superusers give rights."""

    actions = ("password_link", "log_out")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and not (obj and has_more_rights(obj, logged_in(request)))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_delete_permission(request, obj)
        return allowed and not (obj and has_more_rights(obj, logged_in(request)))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        fixed = tuple(super().get_readonly_fields(request, obj))
        return fixed if logged_in(request).is_superuser else (*fixed, *RIGHTS)

    @admin.action(description="Create a link to a new password", permissions=["change"])
    def password_link(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """A link works once, until PASSWORD_RESET_TIMEOUT."""
        for user in self._changeable(request, queryset):
            key = default_token_generator.make_token(user)
            address = reverse(
                "account_reset_password_from_key", args=[user_pk_to_url_str(user), key]
            )
            self.message_user(request, f"{user}: {request.build_absolute_uri(address)}")

    @admin.action(description="Log out of every browser", permissions=["change"])
    def log_out(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in self._changeable(request, queryset):
            self.message_user(
                request, f"Logged out of {count(end_sessions(user), 'browser')}: {user}"
            )

    def _changeable(self, request: HttpRequest, queryset: QuerySet[User]) -> list[User]:
        allowed = {user: self.has_change_permission(request, user) for user in queryset}
        if refused := [str(user) for user, is_allowed in allowed.items() if not is_allowed]:
            self.message_user(request, f"More rights than yours: {', '.join(refused)}", "ERROR")
        return [user for user, is_allowed in allowed.items() if is_allowed]


@admin.register(factors.Authenticator)
class SecondFactorAdmin(factors.AuthenticatorAdmin):
    """Deleted when its owner has lost it. Nobody sets it up for another, or reads its secret."""

    exclude = ("data",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = super().has_delete_permission(request, obj)
        return allowed and not (obj and has_more_rights(obj.user, logged_in(request)))


def has_more_rights(user: User, other: User) -> bool:
    """Whether `user` has a right, active or not, that `other` lacks."""
    if other.is_superuser:
        return False
    return user.is_superuser or not _permissions(user) <= _permissions(other)


def _permissions(user: User) -> set[int]:
    own = Permission.objects.filter(Q(user=user) | Q(group__user=user))
    return set(own.values_list("pk", flat=True))
