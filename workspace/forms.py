"""What is typed about a team."""

from django import forms

from judging.models import Invitation, Role


class Note(forms.Form):
    """Whom an invitation is for."""

    note = forms.CharField(
        max_length=Invitation._meta.get_field("note").max_length,
        label="Whom is it for?",
        help_text="A name, so that you know it again.",
    )


class NewInvitation(Note):
    """Whom to invite to a study, and as what."""

    role = forms.ChoiceField(choices=Role.choices, initial=Role.VIEWER, label="Their role")
    sees_platform_ids = forms.BooleanField(
        required=False, label="May see workers' ids on participant platforms"
    )


class ChangedMember(forms.Form):
    """Somebody's new role; none: they leave the team."""

    role = forms.ChoiceField(choices=[*Role.choices, ("", "none")], required=False)
    sees_platform_ids = forms.BooleanField(required=False)
