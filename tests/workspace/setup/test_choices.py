"""Choices as people read them: in sentence case, whatever Django would make of their names."""

from django.apps import apps

APPS = ("accounts", "judging", "evaluation", "workspace")


def test_labels_of_choices_are_in_sentence_case():
    labels = {
        str(label)
        for app in APPS
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.get_fields()
        for _, label in getattr(field, "flatchoices", ())
    }
    assert {"Every unit", "Once per worker", "the labels are wrong"} <= labels
    titles = {label for label in labels if any(word.istitle() for word in label.split()[1:])}
    assert titles == set()
