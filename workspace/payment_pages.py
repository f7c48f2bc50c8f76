from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.models import User, logged_in
from judging.acts import Question
from judging.models import Payment, Role, Study
from judging.payments import decisions
from judging.payments.matching import match_payments
from judging.payments.pay_lists import LAYOUTS, PaymentLine, lines_of, payment_list, payments
from judging.payments.refusals import MAX_REASON_LENGTH, platform_of_payment
from judging.payments.sums import PlatformSums, still_to_pay, sums
from judging.platforms import platform_of
from judging.studies import table_one
from judging.studies.access import has_role, sees_platform_ids, study_for
from judging.studies.faults import BadStudy
from magnitudes.files.words import count
from web import long_lists
from web.files import accepts_files, attachment
from web.formats import csv_lines
from workspace.confirm import add_faults, ask_to_confirm
from workspace.decorators import staff_page

REFUSED = 422
MAX_UNKNOWN_NAMES = 10  # names of no payment that are listed
State = Payment.State
Decide = Callable[[Study, Collection[int], User | None], int]
DECIDE: dict[str, Decide] = {"approve": decisions.approve, "paid": decisions.mark_paid}
DONE = {"approve": "approved", "paid": "marked as paid", "owe": "owed again"}
TARGETS = {"approve": State.APPROVED, "paid": State.PAID}
BUTTONS = {"approve": "Approve", "paid": "Mark as paid"}
NOTHING_COUNTS = "There is no code or id in it that counts."
DECISIONS = {"approve": "Approve them", "paid": "Mark them as paid"}


class PlatformPayments(forms.Form):
    """All payments of a platform, up to the newest when the page was shown."""

    platform = forms.CharField(required=False, widget=forms.HiddenInput)
    newest = forms.IntegerField(min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput)


class PaymentList(forms.Form):
    names = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        label="Codes or ids",
        help_text="Completion codes, or ids of submissions or participants.",
    )
    file = forms.FileField(
        required=False,
        label="Or a file",
        help_text="Of codes or ids, or a platform’s CSV file: its rows whose status is not "
        "approved or paid are passed over.",
    )
    decision = forms.ChoiceField(
        choices=list(DECISIONS.items()), label="What to do", initial="paid"
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if file := cleaned.pop("file", None):
            try:
                cleaned["names"] = f"{file.read().decode('utf-8-sig')}\n{cleaned['names']}"
            except UnicodeDecodeError:
                self.add_error("file", "This is not UTF-8 text: save it as CSV.")
        if not (self.errors or cleaned.get("names", "").strip()):
            self.add_error("names", "Enter codes or ids, or choose a file.")
        return cleaned


class Refusal(forms.Form):
    category = forms.ChoiceField(label="For what")
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 4}), label="Why"
    )

    def __init__(self, payment: Payment, *args: Any) -> None:
        super().__init__(*args)
        platform = platform_of_payment(payment)
        kinds = [(name, f"{name}: {words}") for name, words in platform.refusals.items()]
        self.fields["category"].choices = kinds  # type: ignore[attr-defined]
        limit = platform.min_reason_length
        length = f"At least {limit} characters: the platform asks for them. " if limit > 1 else ""
        self.fields["reason"].help_text = f"{length}Write it as the worker may read it."


class PaymentFilter(forms.Form):
    layout = forms.ChoiceField(choices=[(name, name) for name in LAYOUTS], required=False)
    platform = forms.CharField(required=False)
    state = forms.ChoiceField(choices=[("", "any"), *Payment.State.choices], required=False)

    def filters(self) -> dict[str, str]:
        named = {name: self.cleaned_data[name] for name in ("platform", "state")}
        return {name: value for name, value in named.items() if value or name in self.data}


@accepts_files
@staff_page
def pay(request: HttpRequest, slug: str) -> HttpResponse:
    study = _study(request, slug, Role.OWNER if request.method == "POST" else Role.VIEWER)
    action = request.POST.get("action", "")
    if action in DECIDE:
        return _decide_on_platform(request, study, action)
    if action == "listed":
        return _decide_on_list(request, study)
    return _page(request, study, PaymentList(auto_id="listed_%s"))


def _study(request: HttpRequest, slug: str, role: Role) -> Study:
    study = study_for(request.user, slug, role)
    if not study.takes_people:
        raise Http404(f"Study {study} takes no people: nobody is paid here.")
    return study


def _page(
    request: HttpRequest, study: Study, listed: forms.Form, status: int = 200
) -> HttpResponse:
    user = logged_in(request)
    payment_filter = PaymentFilter(request.GET)
    rows = payments(study, **(payment_filter.filters() if payment_filter.is_valid() else {}))
    by_platform = sums(study)
    context = {
        "study": study,
        "sums": by_platform,
        "still_to_pay": still_to_pay(by_platform),
        "states": State.values,
        "payment_filter": payment_filter,
        "newest": Payment.objects.of_study(study).aggregate(key=Max("pk"))["key"],
        "list": long_lists.listed(rows.order_by("-question", "-pk"), request.GET, (), "list"),
        "questions": Payment.objects.of_study(study).exclude(question="").count(),
        "hour": table_one.pay(study),
        "listed": listed,
        "form": listed,
        "is_owner": has_role(user, study, Role.OWNER),
        "sees_ids": sees_platform_ids(user, study),
        "pay_lists": list(_pay_lists(by_platform)),
    }
    return render(request, "workspace/pay.html", context, status=status)


def _pay_lists(by_platform: Iterable[PlatformSums]) -> Iterator[tuple[str, str]]:
    for name in {row.platform: None for row in by_platform}:
        for pay_list in platform_of(name).pay_lists:
            yield f"{name}-{pay_list.name}", pay_list.title


# --- many at once -------------------------------------------------------------------------------
def _decide_on_platform(request: HttpRequest, study: Study, action: str) -> HttpResponse:
    form = PlatformPayments(request.POST)
    if not form.is_valid():
        return redirect("pay", study.slug)
    newest = form.cleaned_data["newest"]
    lines = lines_of(study, platform=form.cleaned_data["platform"])
    chosen = [line for line in _undecided(lines, action) if line.key <= newest]
    return _confirm_or_decide(request, study, action, chosen, form)


def _undecided(lines: Iterable[PaymentLine], action: str) -> list[PaymentLine]:
    return [line for line in lines if line.state in decisions.SOURCE_STATES[TARGETS[action]]]


def _decide_on_list(request: HttpRequest, study: Study) -> HttpResponse:
    form = PaymentList(request.POST, request.FILES, auto_id="listed_%s")
    if not form.is_valid():
        return _page(request, study, form, REFUSED)
    sees_ids = sees_platform_ids(logged_in(request), study)
    named = match_payments(study, form.cleaned_data["names"], sees_ids=sees_ids)
    if not named.payments:
        what = f"Of no payment here: {_some(named.unknown)}." if named.unknown else NOTHING_COUNTS
        form.add_error("names", what)
        return _page(request, study, form, REFUSED)
    action, keys = form.cleaned_data["decision"], set(named.payments)
    lines = _undecided((line for line in lines_of(study) if line.key in keys), action)
    codes = " ".join(line.code for line in lines)
    recognised = PaymentList({"names": codes, "decision": action})
    return _confirm_or_decide(request, study, action, lines, recognised, named.unknown)


def _some(names: list[str]) -> str:
    more = len(names) - MAX_UNKNOWN_NAMES
    return ", ".join(names[:MAX_UNKNOWN_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def _confirm_or_decide(
    request: HttpRequest,
    study: Study,
    action: str,
    lines: list[PaymentLine],
    form: forms.Form,
    unknown: Sequence[str] = (),
) -> HttpResponse:
    if lines and "sure" not in request.POST:
        question = _question(study, action, lines, list(unknown))
        return ask_to_confirm(request, study, question, form)
    changed = DECIDE[action](study, [line.key for line in lines], logged_in(request))
    messages.success(request, f"{count(changed, 'payment is', 'payments are')} {DONE[action]}.")
    return redirect("pay", study.slug)


def _question(study: Study, action: str, lines: list[PaymentLine], unknown: list[str]) -> Question:
    amount = sum(line.amount for line in lines)
    currencies = " and ".join(sorted({line.currency for line in lines}))
    fee = amount * (1 + study.platform_fee)
    lines_shown = [
        f"{amount:,.2f} {currencies}; {fee:,.2f} with the platform’s fee.",
        "This notes it here, for the trail and for workers’ own pages. It moves no money: that is "
        "done on the platform.",
    ]
    if unknown:
        lines_shown.append(f"The list names others, of no payment here: {_some(unknown)}.")
    title = f"{BUTTONS[action]}: {count(len(lines), 'payment')}?"
    return Question(title, tuple(lines_shown), BUTTONS[action])


# --- one payment --------------------------------------------------------------------------------
@staff_page
def one_payment(request: HttpRequest, slug: str, key: int) -> HttpResponse:
    study = _study(request, slug, Role.OWNER if request.method == "POST" else Role.VIEWER)
    payment = payments(study).filter(pk=key).first()
    if payment is None:
        raise Http404("There is no such payment.")
    action = request.POST.get("action", "")
    if action == "refuse":
        return _refuse(request, study, payment)
    if action in DONE:
        decide = DECIDE.get(action, decisions.owe_again)
        changed = decide(study, [key], logged_in(request))
        if changed:
            messages.success(request, f"The payment is {DONE[action]}.")
        else:
            payment.refresh_from_db()
            messages.warning(request, f"Nothing was changed: the payment is {payment.state}.")
        return redirect("pay", slug)
    return _one_page(request, study, payment, Refusal(payment))


def _refuse(request: HttpRequest, study: Study, payment: Payment) -> HttpResponse:
    form = Refusal(payment, request.POST)
    if form.is_valid():
        try:
            decisions.refuse(study, payment.pk, by=logged_in(request), **form.cleaned_data)
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
        "payment": payment,
        "form": form,
        "is_open": payment.state in Payment.OPEN,
        "is_owner": has_role(user, study, Role.OWNER),
        "sees_ids": sees_platform_ids(user, study),
    }
    return render(request, "workspace/payment.html", context, status=status)


# --- files --------------------------------------------------------------------------------------
@staff_page
@require_safe
def pay_list(request: HttpRequest, slug: str) -> HttpResponse:
    study = _study(request, slug, Role.VIEWER)
    if not sees_platform_ids(logged_in(request), study):
        raise PermissionDenied("You may not see platforms' ids of workers: ask an owner.")
    form = PaymentFilter(request.GET)
    if not form.is_valid():
        raise Http404("There is no such list.")
    name = form.cleaned_data["layout"] or "all"
    layout, rows = LAYOUTS[name], payment_list(study, name, **form.filters())
    lines = csv_lines(layout.columns, rows, for_spreadsheet=True, has_header=layout.has_header)
    return HttpResponse(
        "".join(lines),
        content_type="text/csv; charset=utf-8",
        headers=attachment(study.file_name("payments" if name == "all" else name, "csv")),
    )
