from django import forms
from django.contrib.auth.forms import BaseUserCreationForm

from accounts.models import Token, User
from accounts.passwords import PasswordFieldTexts

DAYS = {30: "30 days", 90: "90 days", 365: "A year"}


class NewUserForm(PasswordFieldTexts, BaseUserCreationForm):
    email = forms.EmailField(
        required=False,
        label="E-mail, if you like",
        help_text="A way back if you forget your password. Nobody else sees it.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"username": "User name"}
        help_texts = {"username": "At most 150 letters and digits, and any of . _ - + @"}


class TokenForm(forms.ModelForm):
    days = forms.TypedChoiceField(
        choices=list(DAYS.items()), coerce=int, initial=90, label="Expires after"
    )

    class Meta:
        model = Token
        fields = ("name", "scope")
        labels = {"name": "Name", "scope": "Rights"}
