"""Webhooks: signed as the standard says, to public https hosts alone, and never further."""

import hmac
import socket
import time
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workspace.alerts.conftest import HOST, Dripping, Receiver
from workspace.alerts import webhooks
from workspace.alerts.public_hosts import NotPublic, is_public, public_address, resolved
from workspace.alerts.webhooks import NotSent, new_secret, send, signature

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PRIVATE = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1"),
    *("240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
    *("::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:a00:1::", "2001:db8::1"),
    *(
        "fd00:ec2::254",
        "192.88.99.1",
        "::ffff:192.88.99.2",
        "3fff::1",
        "3fff:fff::1",
        "nonsense",
        "",
    ),
)
PUBLIC = ("93.184.215.14", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")


@pytest.mark.parametrize("address", PRIVATE)
def test_no_address_within_is_called(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(NotPublic, match="not on the public internet"):
        public_address("https://inside.example/", lambda *_: ["8.8.8.8", address])


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_called(address: str) -> None:
    assert public_address("https://outside.example/x", lambda *_: [address]) == address


@given(st.ip_addresses(v=4))
def test_an_address_that_contains_another_is_judged_by_it(inner: IPv4Address) -> None:
    for around in (f"::ffff:{inner}", str(IPv6Address(int(IPv6Address("64:ff9b::")) + int(inner)))):
        assert is_public(around) == is_public(str(inner))


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://hooks.example/", "begins with https"),
        ("ftp://hooks.example/", "begins with https"),
        ("//hooks.example/", "begins with https"),
        ("https:///x", "begins with https"),
        ("https://a:b@hooks.example/", "A name and a password"),
        ("https://[::1/", "no address"),
        ("https://hooks.example:99999/", "no address"),
        ("https://localhost/", "not on the public internet"),
        ("https://127.1/", "not on the public internet"),
        ("https://2130706433/", "not on the public internet"),
        ("https://nowhere.invalid/", "has no address"),
    ],
)
def test_what_is_no_public_https_address_is_refused(url: str, says: str) -> None:
    with pytest.raises(NotPublic, match=says):
        public_address(url, resolved)


def test_the_signature_is_that_of_the_standard() -> None:
    # The example of the specification at standardwebhooks.com.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    key, body = "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature(secret, key, 1614265330, body) == expected


def test_it_arrives_signed(receiver: Receiver) -> None:
    secret = new_secret()
    send(
        *(receiver.url, secret, "a-key", b'{"a": 1}', NOW),
        resolve=lambda _: "127.0.0.1",
        trusted=receiver.trusted,
    )
    ((headers, body),) = receiver.requests
    assert body == b'{"a": 1}'
    assert headers["Host"] == httpx.URL(receiver.url).netloc.decode()
    signed = f"a-key.{int(NOW.timestamp())}.".encode() + body
    digest = hmac.digest(b64decode(secret.removeprefix("whsec_")), signed, "sha256")
    assert headers["Webhook-Signature"] == f"v1,{b64encode(digest).decode()}"
    assert headers["Webhook-Id"] == "a-key"
    assert headers["Webhook-Timestamp"] == str(int(NOW.timestamp()))


@pytest.mark.parametrize("status", [301, 307, 404, 500])
def test_a_redirect_or_a_refusal_is_a_fault_and_is_not_followed(
    receiver: Receiver, status: int
) -> None:
    receiver.status = status
    with pytest.raises(NotSent, match=f"status {status}"):
        send(
            *(receiver.url, new_secret(), "a-key", b"{}", NOW),
            resolve=lambda _: "127.0.0.1",
            trusted=receiver.trusted,
        )
    assert len(receiver.requests) == 1


def test_the_whole_request_has_one_deadline(dripping: Dripping) -> None:
    """However often its server sends a little."""
    began = time.monotonic()
    with pytest.raises(NotSent, match="5 seconds"):
        send(
            *(dripping.url, new_secret(), "a-key", b"{}", NOW),
            resolve=lambda _: "127.0.0.1",
            trusted=dripping.trusted,
        )
    assert time.monotonic() - began < webhooks.TIMEOUT + 1


def test_whoever_is_not_the_host_is_told_nothing(receiver: Receiver) -> None:
    for url, trusted in (
        (receiver.url, True),  # a certificate that nobody vouches for
        (receiver.url.replace(HOST, "other.example"), receiver.trusted),
    ):
        with pytest.raises(NotSent, match=r"(?i)certificate"):
            send(
                *(url, new_secret(), "a-key", b"{}", NOW),
                resolve=lambda _: "127.0.0.1",
                trusted=trusted,
            )
    assert receiver.requests == []


def test_a_name_that_leads_within_is_not_called(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = receiver.server.server_port
    asked: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host: str, *rest: object, **more: object) -> object:
        asked.append(host)
        return real("127.0.0.1", *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with pytest.raises(NotSent, match="not on the public internet"):
        send(f"https://rebinds.example:{port}/", new_secret(), "a-key", b"{}", NOW)
    assert asked == ["rebinds.example"]
    assert receiver.requests == []
