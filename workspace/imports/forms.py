from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.core.validators import slug_re
from django.forms import BoundField
from django.utils.text import slugify

from judging.collections.opinion_files import WORKER, Reading
from judging.models import Study
from magnitudes.files.labels.opinions import OPTIONAL
from workspace.imports.datasets import OfferedDataset
from workspace.imports.importing import MAX_NAME_LENGTH, OF_COLLECTION, REFERENCE, Chosen
from workspace.imports.opinions import Guess, Preview, Target
from workspace.models import Upload

# What a file is, in which format, and how its lines look.
FORMATS = (
    ("topics", "id and text, tab between", "T-1\tlight of distant lighthouses\n"),
    ("topics", "BEIR", '{"_id": "T-1", "text": "light of distant lighthouses"}\n'),
    (
        "topics",
        "TREC",
        "<top> <num> Number: 401 <title> lighthouses <desc> Description: How far? </top>\n",
    ),
    ("documents", "BEIR", '{"_id": "D-1", "title": "Rings of glass", "text": "A box came."}\n'),
    ("documents", "TREC", "<DOC> <DOCNO>D-1</DOCNO> <TEXT>A box came.</TEXT> </DOC>\n"),
    ("documents", "CSV with names", "doc_id,title,text\nD-1,Rings of glass,A box came.\n"),
    ("labels", "TREC", "T-1 0 D-1 1\n"),
    ("labels", "BEIR", "query-id\tcorpus-id\tscore\nT-1\tD-1\t1\n"),
    ("runs", "TREC", "T-1 Q0 D-1 1 14.25 my-system\n"),
    ("runs", "MS MARCO", "T-1\tD-1\t1\n"),
)


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
        label="Encoding, if not UTF-8",
        help_text="For example latin-1 or windows-1252.",
    )


class AddedFiles(forms.Form):
    make_topics = forms.BooleanField(
        required=False,
        label="Also make the topics, without a text, that only labels or runs name",
    )


class NewCollection(AddedFiles):
    name = forms.CharField(
        max_length=50,
        label="Name of the collection",
        help_text="It becomes part of addresses: Abstracts 1033 is called abstracts-1033.",
    )
    field_order = ["name", "make_topics"]

    def clean_name(self) -> str:
        typed = self.cleaned_data["name"]
        name = typed if slug_re.match(typed) else slugify(typed)
        if not name:
            raise forms.ValidationError("Use letters or digits, as in abstracts-1033.")
        return name


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
        """A duplicate is left out at first. previous: the choices for it in the last request."""
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


class ArchiveUpload(forms.Form):
    file = forms.FileField(label="Archive", help_text="A zip file that this product has written.")
    encoding = forms.CharField(required=False, widget=forms.HiddenInput)  # the upload form has it


class ArchiveChoice(forms.Form):
    upload = forms.ChoiceField(
        widget=forms.RadioSelect,
        label="File",
        error_messages={"required": "Choose a file."},
    )
    study = forms.SlugField(
        required=False, max_length=50, label="Another name for the study, if that is taken here"
    )
    collection = forms.SlugField(
        required=False, max_length=50, label="Another name for its collection"
    )

    def __init__(self, uploads: list[Upload], *args: Any) -> None:
        super().__init__(*args)
        choices = [(str(upload.key), str(upload)) for upload in uploads]
        self.fields["upload"].choices = choices  # type: ignore[attr-defined]
        self.fields["upload"].initial = choices[-1][0] if choices else None


COLUMNS = {
    "worker": "Who gave it",
    "query_id": "Topic",
    "doc_id": "Document",
    "label": "Label, or score",
    "aspect": "Aspect of the document, if there are several",
    "occasion": "When it was given, if somebody gave several",
}
GROUPS = {
    "Columns": tuple(f"column-{name}" for name in COLUMNS),
    "The study": ("study", "title", "collection", "main_aspect", "replace"),
    "What was given": ("scale", "missing"),
    "Levels": ("levels", "values", "gold"),
    "Magnitudes": ("group", "zero"),
}
WHOLE_TOPIC = "All that a worker gave on a topic"


class Lines(forms.CharField):
    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 4})
        super().__init__(widget=widget, required=False, **options)

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in (value or "").splitlines() if line.strip()]


class Opinions(forms.Form):
    study = forms.SlugField(
        max_length=50,
        label="Name of the study",
        help_text="Letters, digits, hyphens and underscores: it becomes part of addresses.",
    )
    title = forms.CharField(max_length=200, required=False, label="Its title")
    collection = forms.SlugField(
        max_length=50,
        label="Collection",
        help_text="One of yours, or a new name: topics are then made without text.",
    )
    scale = forms.ChoiceField(
        choices=[
            (Study.Scale.GRADED, "Levels"),
            (Study.Scale.MAGNITUDE, "Magnitudes, or a slider: any positive number"),
        ],
        label="Scale",
    )
    levels = Lines(label="Levels", help_text="Their names, the lowest first, one on each line.")
    values = Lines(
        label="What the table has for each level",
        help_text="One on each line, in the order of the levels. Leave blank for 0, 1, 2, or their "
        "names.",
    )
    missing = Lines(
        label="What stands for no answer",
        help_text="One on each line. Leave blank for whatever is none of the levels.",
    )
    gold = forms.ChoiceField(
        required=False,
        label="Labels of an expert",
        help_text="They become one more worker, gold.",
    )
    group = forms.ChoiceField(
        required=False,
        label="What is on one scale",
        help_text="A worker's scores on a topic with one text in this column.",
    )
    zero = forms.FloatField(
        required=False,
        label="What a 0 is read as",
        help_text="A 0 has no ratio to other scores; half of a slider's smallest step is usual.",
    )
    main_aspect = forms.CharField(
        max_length=40, required=False, label="The aspect that gains are of, if there are several"
    )
    replace = forms.BooleanField(
        required=False, label="Put them in the place of those that the study has"
    )

    def __init__(self, data: Any, *, preview: Preview, guess: Guess) -> None:
        scale = Study.Scale.MAGNITUDE if guess.is_magnitudes else Study.Scale.GRADED
        super().__init__(data, initial={"scale": scale, "collection": guess.collection})
        columns = [(name, name) for name in preview.columns]
        for name, label in COLUMNS.items():
            guessed = guess.columns.get(name)
            optional = name in OPTIONAL and not guessed
            self.fields[f"column-{name}"] = forms.ChoiceField(
                choices=[("", "No column"), *columns] if name not in preview.guessed else columns,
                required=not optional,
                initial=guessed,
                label=label,
            )
        gold, group = self.fields["gold"], self.fields["group"]
        gold.initial, group.initial = "", preview.guessed.get("group", WORKER)
        gold.choices = [("", "No column"), *columns]  # type: ignore[attr-defined]
        group.choices = [(WORKER, WHOLE_TOPIC), *columns]  # type: ignore[attr-defined]
        self.order_fields([name for names in GROUPS.values() for name in names])

    def groups(self) -> Iterator[tuple[str, list[BoundField]]]:
        for heading, names in GROUPS.items():
            yield heading, [self[name] for name in names]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        is_graded = cleaned.get("scale") == Study.Scale.GRADED
        if is_graded and not cleaned.get("levels"):
            self.add_error("levels", "Name the levels, the lowest first.")
        for name in ("zero",) if is_graded else ("levels", "values", "gold"):
            if cleaned.get(name) not in (None, "", []):
                of = "magnitudes" if is_graded else "levels"
                self.add_error(name, f"This is of {of}: leave it empty, or change the scale.")
        return cleaned

    @property
    def reading(self) -> Reading:
        cleaned = self.cleaned_data
        columns = {name: cleaned[f"column-{name}"] for name in COLUMNS}
        is_graded = cleaned["scale"] == Study.Scale.GRADED
        return Reading(
            levels=cleaned["levels"],
            values=cleaned["values"],
            missing=cleaned["missing"] or None,
            columns={name: column for name, column in columns.items() if column},
            group="" if is_graded else cleaned["group"],
            zero=cleaned["zero"],
            gold=cleaned["gold"],
        )

    @property
    def target(self) -> Target:
        cleaned = self.cleaned_data
        names = ("study", "collection", "title", "main_aspect", "replace")
        return Target(**{name: cleaned[name] for name in names})
