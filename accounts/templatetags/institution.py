from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def institution() -> str:
    """What the institution is called at which people may log in; empty: at none."""
    return settings.OIDC_NAME if settings.OIDC_ISSUER else ""
