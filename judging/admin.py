"""The admin: look at everything, change what may be changed, withdraw a unit by its code."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from judging import flow, models
from judging.states import State


class ReadOnly(admin.ModelAdmin):
    """What only the product itself writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Collection)
class CollectionAdmin(ReadOnly):
    list_display = ("slug", "created_at")


@admin.register(models.Topic)
class TopicAdmin(ReadOnly):
    list_display = ("query_id", "title", "collection")
    list_filter = ("collection",)
    search_fields = ("query_id", "title")


@admin.register(models.Document)
class DocumentAdmin(ReadOnly):
    list_display = ("doc_id", "title", "words", "collection")
    list_filter = ("collection",)
    search_fields = ("doc_id", "title")


@admin.register(models.Run)
class RunAdmin(ReadOnly):
    list_display = ("tag", "collection")
    list_filter = ("collection",)
    search_fields = ("tag",)


class StudyTopicInline(admin.TabularInline):
    model = models.StudyTopic
    extra = 0
    can_delete = False
    fields = ("topic", "h_k", "n_k", "question", "options", "answer")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Study)
class StudyAdmin(admin.ModelAdmin):
    """Settings may be changed while a study is a draft; payment also later, for units to come."""

    list_display = ("slug", "title", "collection", "scale", "stage", "demo", "created_at")
    list_filter = ("stage", "scale", "demo")
    inlines = (StudyTopicInline,)
    fixed = ("slug", "collection", "stage", "scale", "levels", "demo", "pool_by", "plan_seed")
    fixed_too = ("created_at", "opened_at", "closed_at")
    may_change_later = ("payment", "platform_fee", "minimum_hourly_pay")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None or obj.stage == models.Study.Stage.DRAFT:
            return self.fixed + self.fixed_too
        names = (field.name for field in models.Study._meta.concrete_fields)
        return tuple(name for name in names if name not in (*self.may_change_later, "id"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # create_study does it, and looks at everything

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Worker)
class WorkerAdmin(ReadOnly):
    list_display = ("pseudonym", "study", "simulated", "consented_at")
    list_filter = ("study", "simulated")
    search_fields = ("pseudonym",)


@admin.register(models.PlatformAccount)
class PlatformAccountAdmin(ReadOnly):
    """Personal data: may be deleted, when a worker asks or when their time is over."""

    list_display = ("worker", "platform", "study")
    list_filter = ("study", "platform")
    search_fields = ("external_id", "worker__pseudonym")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


class JudgmentInline(admin.TabularInline):
    model = models.Judgment
    extra = 0
    can_delete = False
    fields = ("position", "document", "score_text", "score", "justification", "submitted_at")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Assignment)
class AssignmentAdmin(admin.ModelAdmin):
    """Attempts at units. A completed one is found by its code and may be withdrawn."""

    list_display = ("completion_code", "study", "study_topic", "worker", "state", "started_at")
    list_filter = ("study", "state")
    search_fields = ("completion_code", "worker__pseudonym")
    search_help_text = "Completion code, or pseudonym of a worker"
    list_select_related = ("study", "study_topic__topic", "worker")
    inlines = (JudgmentInline,)
    actions = ("withdraw",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return tuple(field.name for field in models.Assignment._meta.concrete_fields)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Withdraw: delete the judgments, free the unit, leave the pay")
    def withdraw(self, request: HttpRequest, chosen: QuerySet[models.Assignment]) -> None:
        """Delete what workers take back; anything but a completed unit is left alone."""
        codes = chosen.filter(state=State.COMPLETED).values_list("completion_code", flat=True)
        done = [code for code in codes if code and flow.withdraw(code, timezone.now())]
        self.message_user(request, f"Withdrawn: {', '.join(done) or 'none of these is completed'}")


@admin.register(models.CheckFailure)
class CheckFailureAdmin(ReadOnly):
    list_display = ("at", "check_name", "assignment", "attempt")
    list_filter = ("check_name", "assignment__study")
    date_hierarchy = "at"


admin.site.site_header = admin.site.site_title = "Magnitudes"
