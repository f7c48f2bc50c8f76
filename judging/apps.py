"""The app in which magnitudes are collected."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
