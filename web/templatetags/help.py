"""Words of the glossary, explained where they stand."""

from django import template
from django.template import Context, TemplateSyntaxError
from django.utils.html import format_html
from django.utils.safestring import SafeString

from web.help import GLOSSARY, address, definitions

register = template.Library()


@register.simple_tag(takes_context=True)
def term(context: Context, text: str, word: str = "") -> SafeString | str:
    """A word with its meaning; `word` is the entry of the glossary if `text` is a form of it.

    It is explained where it stands first on a page. A press shows the meaning, as do, by a script,
    the mouse and the focus.
    """
    entry = definitions().get((word or text).lower())
    if entry is None:
        raise TemplateSyntaxError(f"The glossary has no {word or text}.")
    explained: set[str] = context["explained_words"]
    if entry.slug in explained:
        return text
    explained.add(entry.slug)
    return format_html(
        '<button type="button" class="term" popovertarget="word-{slug}" '
        'popovertargetaction="show">{text}</button>'
        '<span popover id="word-{slug}" class="meaning">{meaning} '
        '<a href="{where}">Glossary</a></span>',
        slug=entry.slug,
        text=text,
        meaning=entry.text,
        where=address(f"{GLOSSARY}#{entry.slug}"),
    )
