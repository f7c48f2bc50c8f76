from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from judging.models.study import Study, StudyQuerySet


class Role(models.TextChoices):
    """What somebody may do with a study; each may do what those after it may."""

    OWNER = "owner", "Owner: everything, including the team"
    EDITOR = "editor", "Editor: change the study"
    VIEWER = "viewer", "Viewer: see everything"


class Membership(models.Model):
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=6, choices=Role)
    sees_platform_ids = models.BooleanField(
        default=False, help_text="May see the ids by which participant platforms know workers."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="member_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.study}"


def seen_by_team_of(study: Study) -> StudyQuerySet:
    members = Membership.objects.filter(study=OuterRef(OuterRef("pk"))).values("user")
    of_team = Membership.objects.filter(study=study.team_study_id, user__is_superuser=False)
    return Study.objects.filter(~Exists(of_team.exclude(user__in=members)))


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def pending(self, now: datetime) -> "InvitationQuerySet":
        return self.filter(accepted_at=None, expires_at__gt=now)


class Invitation(models.Model):
    """To an account, and to a role in a study if it names one; shown once, stored as a digest."""

    digest = models.CharField(max_length=64, unique=True)
    study = models.ForeignKey(
        Study, on_delete=models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    role = models.CharField(max_length=6, choices=Role, blank=True)
    sees_platform_ids = models.BooleanField(default=False)
    note = models.CharField(max_length=200, blank=True, help_text="For whom it is.")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations"
    )
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="accepted_invitations",
    )
    accepted_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(study__isnull=True, role="")
                | Q(study__isnull=False, role__in=Role.values),
                name="invitation_role_of_a_study",
            ),
            models.CheckConstraint(
                condition=Q(accepted_by__isnull=True, accepted_at__isnull=True)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False),
                name="invitation_accepted_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.study}" if self.study else "an account"
