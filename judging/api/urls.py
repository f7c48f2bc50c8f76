"""Addresses of the API's part on judging, below /api/v1/.

A thing has a noun. What is done to a study is an act, by POST.
"""

from judging.acts.studies import MAKING, PAYMENTS, PEOPLE, RUNNING
from judging.api import creation, entering, lifecycle, payments, study_topics, team, views, watching
from judging.api.verbs import addresses

NOUNS = ("add-batch", "exclude", "take-back-exclusion")  # POST to a list, or DELETE
urlpatterns = addresses(
    {
        "Collections": {"/collections/": views.Collections},
        "Making a study": {
            "/studies/": creation.Studies,
            "": creation.OneStudy,
            "rename/": MAKING["rename"],
            "clone/": MAKING["clone"],
            "plan/": creation.Plan,
            "config/": creation.Config,
            "topics/": study_topics.Topics,
            "draw-topics/": MAKING["draw-topics"],
            "topics/<id:query_id>/": study_topics.Topic,
            "missing/": creation.Missing,
        },
        "Recruiting": {
            "entry/": entering.Entry,
            "participants/": (entering.Participants, PEOPLE["add-participants"]),
            "participants/remove/": PEOPLE["remove-participants"],
            "excluded-studies/": entering.Earlier,
        },
        "Running a study": {
            **{f"{name}/": act for name, act in RUNNING.items() if name not in NOUNS},
            "monitor/": watching.Monitor,
            "signals/": watching.AllSignals,
            "batches/": (lifecycle.Batches, RUNNING["add-batch"]),
            "exclusions/": (lifecycle.Exclusions, RUNNING["exclude"]),
            "exclusions/<id:pseudonym>/": lifecycle.Exclusion,
            "trail/": lifecycle.Trail,
        },
        "Payments": {
            **{f"{name}/": act for name, act in PAYMENTS.items()},
            "pay/": payments.Pay,
            "payments/": payments.Payments,
        },
        "Results": {
            "units/": views.Units,
            "failures/": views.Failures,
            "completions/": views.Completions,
        },
        "Team": {
            "team/": team.Team,
            "team/<id:username>/": team.Member,
            "invitations/": team.Invitations,
            "/invitations/": team.SiteInvitations,
            "/invitations/<int:key>/": team.OneInvitation,
            "/invitations/accept/": team.Accept,
        },
    }
)
