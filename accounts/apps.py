"""The app of the people who log in."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
