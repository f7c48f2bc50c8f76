"""The app that turns judgments into gains and rankings."""

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
