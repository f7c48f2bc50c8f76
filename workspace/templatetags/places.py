"""Where one is in a study, and where else one may go."""

from typing import Any, NamedTuple

from django import template

from evaluation.pages.query import kept_query
from judging.models import Study
from judging.studies.access import role_of
from workspace import places
from workspace.places import ShownPage, ShownPlace
from workspace.setup.steps import State, states

register = template.Library()
register.filter("entry_page", places.entry_page)


class Navigation(NamedTuple):
    """place: the current one; query: what pages of results keep of the address.

    has_steps: the pages of the place are listed as steps, with their states. about: the study that
    a model's run is about, for those who may see it.
    """

    places: list[ShownPlace]
    place: ShownPlace | None
    query: str
    has_steps: bool
    about: Study | None


@register.simple_tag(takes_context=True)
def navigation(context: dict[str, Any]) -> Navigation:
    request, here = context["request"], _here(context)
    study: Study = context["study"]
    role = role_of(request.user, study)
    shown = places.places_of(study, role, here) if role else []
    place = next((place for place in shown if place.current_page), None)
    name = place.name if place else ""
    return Navigation(
        *(shown, place, kept_query(request.GET) if name == places.RESULTS.name else ""),
        has_steps=name == places.SET_UP.name and not study.rehearsal_of_id,
        about=study.about if study.about and role_of(request.user, study.about) else None,
    )


class StepGroup(NamedTuple):
    heading: str
    pages: list[tuple[ShownPage, State | None]]


@register.simple_tag(takes_context=True)
def set_up_list(context: dict[str, Any]) -> list[StepGroup]:
    """The steps with their states, on pages of the set-up of a study of one's own."""
    study: Study = context["study"]
    groups = {} if study.rehearsal_of_id else places.set_up_of(study, _here(context))
    state_of = states(study) if groups else {}
    return [
        StepGroup(heading, [(page, state_of.get(page.name)) for page in pages])
        for heading, pages in groups.items()
    ]


def _here(context: dict[str, Any]) -> str:
    match = context["request"].resolver_match
    return match.url_name if match else ""
