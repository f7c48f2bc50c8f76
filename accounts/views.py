from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.forms import TokenForm
from accounts.models import Token, logged_in
from accounts.own_sessions import digest_of, end_sessions, sessions_of
from accounts.tokens import NameTaken, make_token
from magnitudes.files.words import count


def _makes_write_token(request: HttpRequest) -> bool:
    return request.method == "POST" and request.POST.get("scope") == Token.Scope.WRITE


@never_cache
@login_required
@reauthentication_required(enabled=_makes_write_token)
def account(request: HttpRequest) -> HttpResponse:
    """A token that may write needs the password again, since it outlives the session."""
    form, secret = TokenForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            secret = make_token(logged_in(request), **form.cleaned_data)
        except NameTaken as fault:
            form.add_error("name", str(fault))
        else:
            mail_context = {"token": form.cleaned_data["name"]}
            get_adapter(request).send_notification_mail(
                "accounts/email/token_made", logged_in(request), mail_context
            )
            form = TokenForm()
    context = {
        "form": form,
        "secret": secret,
        "tokens": Token.objects.filter(user=request.user).order_by("created"),
        "second_factor": is_mfa_enabled(request.user),
    }
    return render(request, "accounts/account.html", context)


@require_POST
@login_required
def delete_token(request: HttpRequest, name: str) -> HttpResponse:
    get_object_or_404(Token, user=request.user, name=name).delete()
    messages.success(request, f"The token {name} works no longer.")
    return redirect("account")


@never_cache
@login_required
@reauthentication_required(allow_get=True)
def sessions(request: HttpRequest) -> HttpResponse:
    user, here = logged_in(request), digest_of(request.session.session_key or "")
    if request.method == "POST":
        number = end_sessions(user, spared=here, name=request.POST.get("name", ""))
        messages.success(request, f"{count(number, 'browser')} logged out.")
        return redirect("sessions")
    context = {"sessions": sessions_of(user), "here": here}
    return render(request, "accounts/sessions.html", context)
