"""The page from which people are paid: sums, the list, one payment, and files to pay from."""

from collections.abc import Callable, Collection
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User, logged_in
from judging.models import Payment, Role, Study
from judging.paying import deciding
from judging.paying.listing import LAYOUTS, list_to_pay_from, payments
from judging.paying.naming import named_in
from judging.paying.sums import pay_an_hour, still_to_pay, sums
from judging.studies.access import has_role, sees_platform_ids, study_for
from judging.studies.faults import BadStudy
from trec.words import count
from web.files import attachment, takes_files
from web.formats import csv_lines
from workspace import pay_forms as typed
from workspace.running_forms import add_faults
from workspace.sure import Question, ask

REFUSED = 422
MOST = 200  # payments in the list of the page
NAMED_UNKNOWN = 10  # names that are told to be of no payment
State = Payment.State
Values = dict[str, Any]
Decide = Callable[[Study, Collection[int], User | None], int]
DECIDE: dict[str, Decide] = {"approve": deciding.approve, "paid": deciding.mark_paid}
DONE = {"approve": "approved", "paid": "marked as paid", "owe": "owed again"}
BUTTONS = {"approve": "Approve", "paid": "Mark as paid"}


@takes_files
@never_cache
@login_required
def pay(request: HttpRequest, slug: str) -> HttpResponse:
    """What people are owed and were paid; owners decide."""
    study = _study(request, slug, Role.OWNER if request.method == "POST" else Role.VIEWER)
    action = request.POST.get("action", "")
    if action in DECIDE:
        return _decide_on_platform(request, study, action)
    if action == "listed":
        return _decide_on_list(request, study)
    return _page(request, study, typed.Listed(auto_id="listed_%s"))


def _study(request: HttpRequest, slug: str, role: Role) -> Study:
    study = study_for(request.user, slug, role)
    if study.is_imported:
        raise Http404(f"Study {study} was judged elsewhere: nobody is paid here.")
    return study


def _page(
    request: HttpRequest, study: Study, listed: forms.Form, status: int = 200
) -> HttpResponse:
    user = logged_in(request)
    wanted = typed.Wanted(request.GET)
    rows = payments(study, **(wanted.wanted() if wanted.is_valid() else {}))
    by_platform = sums(study)
    context = {
        "study": study,
        "here": "pay",
        "sums": by_platform,
        "still_to_pay": still_to_pay(by_platform),
        "states": State.values,
        "wanted": wanted,
        "newest": Payment.objects.of(study).aggregate(key=Max("pk"))["key"],
        "rows": _in_order(rows)[:MOST],
        "number": rows.count(),
        "questions": Payment.objects.of(study).exclude(question="").count(),
        "hour": pay_an_hour(study),
        "listed": listed,
        "form": listed,
        "is_owner": has_role(user, study, Role.OWNER),
        "sees_ids": sees_platform_ids(user, study),
        "has_prolific": any(row.platform == "prolific" for row in by_platform),
    }
    return render(request, "workspace/pay.html", context, status=status)


def _in_order(rows: QuerySet[Payment, Any]) -> QuerySet[Payment, Any]:
    """Those that somebody is asked about come first, then the newest."""
    return rows.order_by("-question", "-pk")


# --- many at once -------------------------------------------------------------------------------
def _decide_on_platform(request: HttpRequest, study: Study, action: str) -> HttpResponse:
    """Approve all that a platform's people are owed, or mark it as paid, after a question."""
    form = typed.OfPlatform(request.POST)
    if not form.is_valid():
        return redirect("pay", study.slug)
    platform = form.cleaned_data["platform"]
    rows = payments(study, platform=platform).filter(pk__lte=form.cleaned_data["newest"])
    rows = rows.filter(state__in=deciding.FROM[_state(action)])
    return _asked_or_done(request, study, action, list(rows), form)


def _state(action: str) -> Payment.State:
    return {"approve": State.APPROVED, "paid": State.PAID}[action]


def _decide_on_list(request: HttpRequest, study: Study) -> HttpResponse:
    """Approve payments that a list names, or mark them as paid, after a question."""
    form = typed.Listed(request.POST, request.FILES, auto_id="listed_%s")
    if not form.is_valid():
        return _page(request, study, form, REFUSED)
    sees_ids = sees_platform_ids(logged_in(request), study)
    named = named_in(study, form.cleaned_data["names"], sees_ids=sees_ids)
    if named.unknown:
        some = ", ".join(named.unknown[:NAMED_UNKNOWN])
        more = len(named.unknown) - NAMED_UNKNOWN
        form.add_error("names", f"Of no payment here: {some}{f' and {more} more' * (more > 0)}.")
    if not (named.payments or named.unknown):
        form.add_error("names", "There is no code or id in it that counts.")
    if form.errors:
        return _page(request, study, form, REFUSED)
    action = form.cleaned_data["decision"]
    rows = payments(study).filter(pk__in=named.payments, state__in=deciding.FROM[_state(action)])
    codes = " ".join(str(row.assignment.completion_code) for row in rows)
    recognised = typed.Listed({"names": codes, "decision": action})
    return _asked_or_done(request, study, action, list(rows), recognised)


def _asked_or_done(
    request: HttpRequest, study: Study, action: str, rows: list[Payment], form: forms.Form
) -> HttpResponse:
    if rows and "sure" not in request.POST:
        return ask(request, study, "pay", _question(study, action, rows), form)
    changed = DECIDE[action](study, [row.pk for row in rows], logged_in(request))
    messages.success(request, f"{count(changed, 'payment is', 'payments are')} {DONE[action]}.")
    return redirect("pay", study.slug)


def _question(study: Study, action: str, rows: list[Payment]) -> Question:
    amount = sum(row.amount for row in rows)
    currencies = " and ".join(sorted({row.currency for row in rows}))
    fee = amount * (1 + study.platform_fee)
    lines = (
        f"{amount:,.2f} {currencies}; {fee:,.2f} with the platform’s fee.",
        "This notes it here, for the trail and for workers’ own pages. It moves no money: that is "
        "done on the platform.",
    )
    number = count(len(rows), "payment")
    return Question(f"{BUTTONS[action]}: {number}?", lines, f"{BUTTONS[action]}")


# --- one payment --------------------------------------------------------------------------------
@never_cache
@login_required
def one_payment(request: HttpRequest, slug: str, key: int) -> HttpResponse:
    """One payment, and what an owner can decide about it."""
    study = _study(request, slug, Role.OWNER if request.method == "POST" else Role.VIEWER)
    payment = payments(study).filter(pk=key).first()
    if payment is None:
        raise Http404("There is no such payment.")
    action = request.POST.get("action", "")
    if action == "refuse":
        return _refuse(request, study, payment)
    if action in DONE:
        decide = DECIDE.get(action, deciding.owe_again)
        changed = decide(study, [key], logged_in(request))
        messages.success(
            request, f"The payment is {DONE[action]}." if changed else "It is already."
        )
        return redirect("pay", slug)
    return _one_page(request, study, payment, typed.Refusal(payment))


def _refuse(request: HttpRequest, study: Study, payment: Payment) -> HttpResponse:
    form = typed.Refusal(payment, request.POST)
    if form.is_valid():
        try:
            deciding.refuse(study, payment.pk, by=logged_in(request), **form.cleaned_data)
        except BadStudy as refusal:
            add_faults(form, refusal.faults)
        else:
            messages.success(request, "The payment is refused. It can be owed again.")
            return redirect("pay", study.slug)
    return _one_page(request, study, payment, form, REFUSED)


def _one_page(
    request: HttpRequest, study: Study, payment: Payment, form: forms.Form, status: int = 200
) -> HttpResponse:
    user = logged_in(request)
    context = {
        "study": study,
        "here": "payment",
        "payment": payment,
        "form": form,
        "is_open": payment.state in Payment.OPEN,
        "is_owner": has_role(user, study, Role.OWNER),
        "sees_ids": sees_platform_ids(user, study),
    }
    return render(request, "workspace/payment.html", context, status=status)


# --- files --------------------------------------------------------------------------------------
@never_cache
@login_required
@require_safe
def pay_list(request: HttpRequest, slug: str) -> HttpResponse:
    """A file to pay from, with platforms' ids, for those who may see them."""
    study = _study(request, slug, Role.VIEWER)
    if not sees_platform_ids(logged_in(request), study):
        raise PermissionDenied("You may not see platforms' ids of workers: ask an owner.")
    form = typed.Wanted(request.GET)
    if not form.is_valid():
        raise Http404("There is no such list.")
    name = form.cleaned_data["layout"] or "all"
    layout, rows = LAYOUTS[name], list_to_pay_from(study, name, **form.wanted())
    lines = csv_lines(layout.columns, rows, for_spreadsheet=True, has_header=layout.has_header)
    return HttpResponse(
        "".join(lines),
        content_type="text/csv; charset=utf-8",
        headers=attachment(study.file_name("payments" if name == "all" else name, "csv")),
    )
