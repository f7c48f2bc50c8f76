from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator

from judging.collections import vocabulary
from judging.models import Document, Label, Study, StudyTopic, Topic
from judging.models.study import MAX_SENTENCE_LENGTH
from judging.studies.configuration.form_fields import Text, Texts

OPTIONS = 4  # that a question has
EMPTY: dict[str, Any] = {"options": [], "documents": []} | dict.fromkeys(
    ("h_k", "n_k", "anchors_reason", "question", "answer", "answer_sentence"), ""
)


class TopicForm(forms.Form):
    h_k = Text(required=False)
    n_k = Text(required=False)
    anchors_reason = Text(required=False, validators=[MaxLengthValidator(MAX_SENTENCE_LENGTH)])
    question = Text(required=False)
    options = Texts(required=False)
    answer = Text(required=False)
    answer_sentence = Text(required=False, validators=[MaxLengthValidator(MAX_SENTENCE_LENGTH)])
    documents = Texts(required=False)

    def __init__(self, topic: Topic, settings: Mapping[str, Any]) -> None:
        self.topic = topic
        super().__init__(EMPTY | dict(settings))

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            for fault in (*self._wrong_anchors(), *self._wrong_question(), *self._unknown_ids()):
                self.add_error(None, fault)
        return self.cleaned_data

    def _wrong_anchors(self) -> Iterable[str]:
        h_k, n_k = self.cleaned_data["h_k"], self.cleaned_data["n_k"]
        if bool(h_k) != bool(n_k):
            yield "name both h_k and n_k, or neither to have them drawn."
        if h_k and h_k == n_k:
            yield f"h_k and n_k are the same document, {h_k}."

    def _wrong_question(self) -> Iterable[str]:
        options, answer = self.cleaned_data["options"], self.cleaned_data["answer"]
        different = {option.strip() for option in options} - {""}
        if options and not len(options) == len(different) == OPTIONS:
            yield f"{len(different)} different options; expected {OPTIONS}."
        if answer not in ["", *options] or (options and not answer):
            yield "answer is not one of the options; expected the right option's text."

    def _unknown_ids(self) -> Iterable[str]:
        """Documents that are neither in the collection nor in runs or labels of the topic."""
        anchors = filter(None, (self.cleaned_data["h_k"], self.cleaned_data["n_k"]))
        doc_ids = {*anchors, *self.cleaned_data["documents"]}
        unknown = doc_ids - set(vocabulary.read(self.topic)) if doc_ids else set()
        texts = Document.objects.filter(collection=self.topic.collection_id)
        for rows in (texts, Label.objects.filter(topic=self.topic)):
            unknown -= set(rows.filter(doc_id__in=unknown).values_list("doc_id", flat=True))
        if unknown:
            yield f"{', '.join(sorted(unknown))} stands in neither documents, runs nor labels."

    def study_topic(self, study: Study) -> StudyTopic:
        settings = dict(self.cleaned_data)
        return StudyTopic(study=study, topic=self.topic, pool=settings.pop("documents"), **settings)


def settings_of(topic: StudyTopic) -> dict[str, Any]:
    """All of them, as its table in a study.toml has them."""
    names = ("h_k", "n_k", "anchors_reason", "question", "options", "answer", "answer_sentence")
    return {name: getattr(topic, name) for name in names} | {"documents": topic.pool}
