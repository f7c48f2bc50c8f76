from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from judging.models import Invitation, Role
from workspace.imports.datasets import OfferedDataset
from workspace.imports.importing import MAX_NAME_LENGTH, OF_COLLECTION, REFERENCE, Chosen
from workspace.models import Upload


class InvitationNote(forms.Form):
    note = forms.CharField(
        max_length=Invitation._meta.get_field("note").max_length,
        label="Whom is it for?",
        help_text="A name, so that you know it again.",
    )


class NewInvitation(InvitationNote):
    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, label="Their role")
    sees_platform_ids = forms.BooleanField(
        required=False, label="May see workers' ids on participant platforms"
    )


class ChangedMember(forms.Form):
    """Without a role they leave the team."""

    role = forms.ChoiceField(choices=[*Role.choices, ("", "None")], required=False)
    sees_platform_ids = forms.BooleanField(required=False)


class MultipleFileInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class NewUpload(forms.Form):
    file = forms.FileField(
        widget=MultipleFileInput(),
        label="Files",
        help_text="Topics, documents, labels, runs; plain, or packed by gz, xz, bz2, tar, zip.",
    )
    encoding = forms.CharField(
        required=False,
        label="Their encoding, if it is not UTF-8",
        help_text="As latin-1 or windows-1252.",
    )


class AddedFiles(forms.Form):
    make_topics = forms.BooleanField(
        required=False,
        label="Also make the topics, without a text, that only labels or runs name",
    )


class NewCollection(AddedFiles):
    name = forms.SlugField(
        max_length=50,
        label="Name of the collection",
        help_text="Letters, digits, hyphens and underscores: it becomes part of addresses.",
    )
    field_order = ["name", "make_topics"]


class NewDataset(forms.Form):
    name = forms.SlugField(
        max_length=50,
        label="Name of the collection",
        help_text="A new one; or one of yours, whose pools then get their texts.",
    )

    def __init__(self, data: Any, *, offered: Sequence[OfferedDataset]) -> None:
        super().__init__(data)
        choices = [(each.name, str(each)) for each in offered]
        self.fields["dataset"] = forms.ChoiceField(
            choices=choices, label="Data set", widget=forms.RadioSelect
        )
        self.order_fields(["dataset", "name"])


class FileRow(forms.Form):
    kind = forms.ChoiceField(
        choices=[*((kind, kind.capitalize()) for kind in OF_COLLECTION), ("", "Leave out")],
        required=False,
    )
    labels = forms.CharField(max_length=MAX_NAME_LENGTH, required=False)

    def __init__(
        self,
        data: Any,
        *,
        upload: Upload,
        is_duplicate: bool = False,
        previous: Mapping[str, Any] | None = None,
    ) -> None:
        """Args:
        is_duplicate: a file of this name and size stands above; this one is left out at first.
        previous: the choices for it in the last request.
        """
        self.upload, self.is_duplicate = upload, is_duplicate
        kind = upload.kind if upload.kind in OF_COLLECTION and not is_duplicate else ""
        labels = REFERENCE if upload.kind == "labels" else ""
        initial = {"kind": kind, "labels": labels, **(previous or {})}
        super().__init__(data, prefix=upload.key.hex, initial=initial)
        self.fields["kind"].widget.attrs["aria-label"] = f"What {upload} is"
        self.fields["labels"].widget.attrs["aria-label"] = f"Name of the labels in {upload}"

    @property
    def chosen(self) -> Chosen | None:
        kind = self.cleaned_data["kind"]
        name = self.cleaned_data["labels"].strip() or REFERENCE
        return Chosen(self.upload.key, kind, name) if kind else None
