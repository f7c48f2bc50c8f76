"""The admin of the people who log in: Django's own pages, and links to new passwords."""

from allauth.account.decorators import secure_admin_login
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import User
from accounts.own_sessions import end
from trec.words import count

# The admin has no log-in of its own, where neither tries are counted nor a code is asked for.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


@admin.register(User)
class PersonAdmin(UserAdmin):
    actions = ("password_link", "log_out")

    @admin.action(description="Make a link to a new password, to hand over")
    def password_link(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Show a link for each; it works once, for as long as PASSWORD_RESET_TIMEOUT says."""
        for user in chosen:
            key = default_token_generator.make_token(user)
            address = reverse(
                "account_reset_password_from_key", args=[user_pk_to_url_str(user), key]
            )
            self.message_user(request, f"{user}: {request.build_absolute_uri(address)}")

    @admin.action(description="Log out of every browser")
    def log_out(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """End every session of each."""
        for user in chosen:
            self.message_user(request, f"Logged out of {count(end(user), 'browser')}: {user}")
