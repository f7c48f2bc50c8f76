"""What the tests of monitoring pages share."""

from django.test import Client


def page(desk: Client, address: str) -> str:
    """The HTML at an address."""
    response = desk.get(address)
    assert response.status_code == 200
    return response.content.decode()
