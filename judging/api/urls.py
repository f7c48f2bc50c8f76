"""Addresses of the API's part on judging, below /api/v1/.

A thing has a noun. What is done to a study is an act, by POST.
"""

from judging.acts import studies as acts
from judging.api import entering, making, payments, running, study_topics, team, views, watching
from judging.api.verbs import addresses

RUNNING = ("pause", "resume", "close", "archive", "unarchive", "raise-payment", "count-judgments")
urlpatterns = [
    *addresses("Collections", {"collections/": views.Collections}, ""),
    *addresses("Making a study", {"studies/": making.Studies}, ""),
    *addresses(
        "Making a study",
        {
            "": making.OneStudy,
            "rename/": acts.MAKING["rename"],
            "clone/": acts.MAKING["clone"],
            "plan/": making.Plan,
            "config/": making.Config,
            "topics/": study_topics.Topics,
            "topics/<id:query_id>/": study_topics.Topic,
            "missing/": making.Missing,
        },
    ),
    *addresses(
        "Recruiting",
        {
            "entry/": entering.Entry,
            "participants/": (entering.Participants, acts.PEOPLE["add-participants"]),
            "participants/remove/": acts.PEOPLE["remove-participants"],
            "excluded-studies/": entering.Earlier,
        },
    ),
    *addresses(
        "Running a study",
        {
            **{f"{name}/": acts.RUNNING[name] for name in (*RUNNING, "release-unit", "withdraw")},
            "monitor/": watching.Monitor,
            "signals/": watching.AllSignals,
            "batches/": (running.Batches, acts.RUNNING["add-batch"]),
            "exclusions/": (running.Exclusions, acts.RUNNING["exclude"]),
            "exclusions/<id:pseudonym>/": running.Exclusion,
            "trail/": running.Trail,
        },
    ),
    *addresses(
        "Payments",
        {
            **{f"{name}/": act for name, act in acts.PAYMENTS.items()},
            "pay/": payments.Pay,
            "payments/": payments.Payments,
        },
    ),
    *addresses(
        "Results",
        {
            "units/": views.Units,
            "failures/": views.Failures,
            "completions/": views.Completions,
        },
    ),
    *addresses(
        "Team",
        {
            "team/": team.Team,
            "team/<id:username>/": team.Member,
            "invitations/": team.Invitations,
        },
    ),
    *addresses(
        "Team",
        {
            "invitations/": team.SiteInvitations,
            "invitations/<int:key>/": team.OneInvitation,
            "invitations/accept/": team.Accept,
        },
        "",
    ),
]
