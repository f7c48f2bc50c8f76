from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def page_of(request: HttpRequest) -> str:
    page: str = request.POST.get("back", "")
    is_ours = page.startswith("/") and url_has_allowed_host_and_scheme(page, None)
    return page if is_ours else ""
