from collections.abc import Iterable
from contextlib import suppress
from copy import copy
from typing import Any

from django.contrib import admin
from django.contrib.postgres.fields import ArrayField
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import CharField, ModelForm
from django.http import HttpRequest

from accounts.models import logged_in
from judging import flow, models
from judging.settings import BY_NAME
from judging.states import State
from judging.studies.conduct.stages import CannotRun
from judging.studies.configuration.changing import change_settings, fill_settings, fixed_settings
from judging.studies.configuration.form_fields import Lines
from judging.studies.faults import BadStudy
from magnitudes.files.words import count
from web import clock
from web.bounds import set_bounds_messages
from web.encryption import digests


class ExternalIdSearchAdmin(admin.ModelAdmin):
    """Platforms' ids of people are encrypted: only a whole id matches."""

    def get_search_results(
        self, request: HttpRequest, queryset: Any, search_term: str
    ) -> tuple[Any, bool]:
        matches, may_have_duplicates = super().get_search_results(request, queryset, search_term)
        if search_term:
            matches |= queryset.filter(external_id_hash__in=digests(search_term.strip()))
        return matches, may_have_duplicates


class ReadOnly(admin.options.BaseModelAdmin):
    """Rows that only the product itself writes."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin):
    pass


class DeletableAdmin(ReadOnlyAdmin):
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(models.Collection)
class CollectionAdmin(DeletableAdmin):
    list_display = ("slug", "created_at")

    def get_deleted_objects(
        self, objs: Iterable[models.Collection], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        collections = list(objs)
        studies = models.Study.objects.filter(collection__in=collections)
        return (
            [f"{collection}: {_content_counts(collection)}" for collection in collections],
            {"collections": len(collections)},
            set(),
            [f"study {study} on collection {study.collection}" for study in studies],
        )


def _content_counts(collection: models.Collection) -> str:
    labels = models.Label.objects.filter(label_set__collection=collection)
    numbers = {
        "topic": collection.topics.count(),
        "document": collection.documents.count(),
        "run": collection.runs.count(),
        "label": labels.count(),
    }
    return ", ".join(count(number, name) for name, number in numbers.items())


for model, columns, searched in (
    (models.Topic, ("query_id", "title", "collection"), ("query_id", "title")),
    (models.Document, ("doc_id", "title", "words", "collection"), ("doc_id", "title")),
    (models.Run, ("tag", "collection"), ("tag",)),
):
    admin.site.register(
        model,
        ReadOnlyAdmin,
        list_display=columns,
        list_filter=("collection",),
        search_fields=searched,
    )


class StudyTopicInline(ReadOnly, admin.TabularInline):
    model = models.StudyTopic
    extra = 0
    fields = ("topic", "h_k", "n_k", "question", "options", "answer", "answer_sentence")

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.StudyTopic]:
        return super().get_queryset(request).select_related("topic")


class StudyAdminForm(ModelForm):
    """Settings are checked as on every other way in."""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        try:
            fill_settings(copy(self.instance), self.changes())
        except BadStudy as refusal:
            for fault in refusal.faults:
                name = fault.where[-1] if fault.where else ""
                self.add_error(name if name in self.fields else None, fault.what)
        return cleaned

    def changes(self) -> dict[str, Any]:
        """What is right and was changed, by names in a study.toml."""
        return {n: self.cleaned_data[n] for n in self.changed_data if n in self.cleaned_data}


@admin.register(models.Study)
class StudyAdmin(admin.ModelAdmin):
    form = StudyAdminForm
    list_display = ("slug", "title", "collection", "scale", "stage", "demo", "created_at")
    list_filter = ("stage", "scale", "demo")
    inlines = (StudyTopicInline,)
    exclude = ("excluded_studies",)  # each editor chooses among those that they see
    formfield_overrides = {ArrayField: {"form_class": Lines}}

    def formfield_for_dbfield(self, db_field: Any, request: Any, **options: Any) -> Any:
        if field := super().formfield_for_dbfield(db_field, request, **options):
            set_bounds_messages(field, db_field)
        return field

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> models.Study | None:
        """Locked if the study is to be changed, so that it does not open or close meanwhile."""
        study = super().get_object(request, object_id, from_field)
        if study and request.method == "POST":
            return models.Study.objects.select_for_update().get(pk=study.pk)
        return study

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        free = BY_NAME.keys() - fixed_settings(obj) if obj else set[str]()
        if obj and obj.demo:  # it pays nothing
            free -= {"payment"}
        names = (field.name for field in models.Study._meta.concrete_fields)
        return tuple(name for name in names if name not in {*free, "id"})

    def save_model(self, request: HttpRequest, obj: Model, form: ModelForm, change: bool) -> None:
        """Write what was changed here alone: workers change the study too."""
        assert isinstance(obj, models.Study) and isinstance(form, StudyAdminForm)  # noqa: S101, PT018
        change_settings(obj.slug, form.changes(), logged_in(request))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # create_study does it, and looks at everything

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


admin.site.register(
    models.Worker,
    ReadOnlyAdmin,
    list_display=("pseudonym", "study", "simulated", "consented_at"),
    list_filter=("study", "simulated"),
    search_fields=("pseudonym",),
)
admin.site.register(
    models.CheckFailure,
    ReadOnlyAdmin,
    list_display=("at", "check_name", "assignment", "attempt"),
    list_filter=("check_name", "assignment__study"),
    date_hierarchy="at",
)


@admin.register(models.PlatformAccount)
class PlatformAccountAdmin(DeletableAdmin, ExternalIdSearchAdmin):
    """Personal data: may be deleted, when a worker asks or when their time is over."""

    list_display = ("worker", "platform", "study")
    list_filter = ("study", "platform")
    search_fields = ("worker__pseudonym",)


class ParticipantForm(ModelForm):
    external_id = CharField(max_length=255)

    class Meta:
        model = models.Participant
        fields = ("study", "external_id")

    def clean(self) -> dict[str, Any] | None:
        models.Participant._meta.get_field("external_id").validate_key()
        return super().clean()


@admin.register(models.Participant)
class ParticipantAdmin(ExternalIdSearchAdmin):
    form = ParticipantForm
    list_display = ("external_id", "study")
    list_filter = ("study",)
    search_fields = ("study__slug",)


class JudgmentInline(ReadOnly, admin.TabularInline):
    model = models.Judgment
    extra = 0
    fields = ("position", "document", "score_text", "score", "justification", "submitted_at")


@admin.register(models.Assignment)
class AssignmentAdmin(admin.ModelAdmin):
    """A search by code finds a completed unit, which may be withdrawn."""

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

    @admin.action(
        description="Withdraw: delete the judgments, free the unit, leave the pay",
        permissions=["change"],
    )
    def withdraw(self, request: HttpRequest, queryset: QuerySet[models.Assignment]) -> None:
        codes = []
        for assignment in queryset.filter(state=State.COMPLETED):
            code = assignment.completion_code or ""
            with suppress(CannotRun), transaction.atomic():
                flow.withdraw_unit(assignment.study, code, logged_in(request), clock.now())
                self.log_change(request, assignment, "Withdrawn: its judgments deleted.")
                codes.append(code)
        withdrawn = ", ".join(codes) or "none of these is completed"
        self.message_user(request, f"Withdrawn: {withdrawn}")


admin.site.site_header = admin.site.site_title = "Magnitudes"
