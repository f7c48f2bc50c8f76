"""Addresses of the API's part on judging, below /api/v1/.

A thing has a noun. What is done to a study is a verb, by POST.
"""

from django.urls import path

from judging.api import entering, making, payments, running, study_topics, team, views, watching

VERBS = {
    "rename": making.Rename,
    "clone": making.Clone,
    "plan": making.Plan,
    "pause": running.Pause,
    "resume": running.Resume,
    "close": running.Close,
    "archive": running.Archive,
    "unarchive": running.Unarchive,
    "raise-payment": running.RaisePayment,
    "count-judgments": running.CountJudgments,
    "release-unit": running.ReleaseUnit,
    "withdraw": running.Withdraw,
    "approve-payments": payments.Approve,
    "mark-paid": payments.MarkPaid,
    "refuse-payment": payments.Refuse,
    "owe-again": payments.OweAgain,
}
OF_STUDY = {
    "": making.OneStudy,
    "config/": making.Config,
    "topics/": study_topics.Topics,
    "topics/<id:query_id>/": study_topics.Topic,
    "monitor/": watching.Monitor,
    "signals/": watching.AllSignals,
    "missing/": making.Missing,
    "entry/": entering.Entry,
    "participants/": entering.Participants,
    "participants/remove/": entering.RemoveParticipants,
    "excluded-studies/": entering.Earlier,
    "units/": views.Units,
    "failures/": views.Failures,
    "completions/": views.Completions,
    "pay/": payments.Pay,
    "payments/": payments.Payments,
    "batches/": running.Batches,
    "exclusions/": running.Exclusions,
    "exclusions/<id:pseudonym>/": running.Exclusion,
    "trail/": running.Trail,
    "team/": team.Team,
    "team/<id:username>/": team.Member,
    "invitations/": team.Invitations,
}
urlpatterns = [
    path("collections/", views.Collections.as_view()),
    path("studies/", making.Studies.as_view()),
    path("invitations/", team.SiteInvitations.as_view()),
    path("invitations/<int:key>/", team.OneInvitation.as_view()),
    path("invitations/accept/", team.Accept.as_view()),
    *(path(f"studies/<slug:slug>/{below}", view.as_view()) for below, view in OF_STUDY.items()),
    *(path(f"studies/<slug:slug>/{verb}/", view.as_view()) for verb, view in VERBS.items()),
]
