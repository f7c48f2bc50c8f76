"""What templates of files for TeX need; they are rendered without Django's escaping for HTML."""

from django import template

register = template.Library()


@register.filter
def arg(text: object) -> str:
    r"""A text as the argument of a command: `\section{{ title|arg }}`."""
    return f"{{{text}}}"
