"""The admin of what was computed: to be looked at; `recompute` makes it anew."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from evaluation import models
from judging.admin import ReadOnlyAdmin


@admin.register(models.Evaluation)
class EvaluationAdmin(ReadOnlyAdmin):
    list_display = ("study", "number", "units", "judgments", "computed_at", "code_version")


@admin.register(models.TopicEvaluation)
class TopicEvaluationAdmin(ReadOnlyAdmin):
    list_display = ("study_topic", "revision", "gamma")
    list_filter = ("evaluation",)
    list_select_related = ("study_topic__topic",)


@admin.register(models.Ranking)
class RankingAdmin(ReadOnlyAdmin):
    list_display = ("evaluation", "measure")


@admin.register(models.CachedAnalysis)
class CachedAnalysisAdmin(ReadOnlyAdmin):
    list_display = (
        "name",
        "study",
        "label_set",
        "asked",
        "wanted_at",
        "computed_at",
        "seconds",
        "fault",
    )
    list_filter = ("study",)
    exclude = ("result", "whole")

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.CachedAnalysis]:
        return super().get_queryset(request).defer("result", "whole", "thumbnails")


@admin.register(models.WrittenReport)
class WrittenReportAdmin(ReadOnlyAdmin):
    list_display = ("study", "state", "asked_at", "asked_by", "made_at", "size", "fault")
    exclude = ("archive",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.WrittenReport]:
        return super().get_queryset(request).defer("archive")


@admin.register(models.Verdict)
class VerdictAdmin(ReadOnlyAdmin):
    list_display = ("document", "label_set", "finding", "by", "at")
    list_filter = ("finding", "label_set")
    list_select_related = ("document", "by")
