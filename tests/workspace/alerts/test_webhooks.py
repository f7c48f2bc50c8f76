"""Webhooks: signed as the standard says, to public https hosts alone, and never further."""

import hmac
import socket
import time
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from ipaddress import IPv6Address
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workspace.alerts.conftest import HOST
from workspace.alerts import webhooks
from workspace.alerts.public_hosts import NotPublic, is_public, public_address, resolved
from workspace.alerts.webhooks import NotSent, new_secret, send, signature

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PRIVATE = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1"),
    *("240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
    *("::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:a00:1::", "2001:db8::1"),
    *("fd00:ec2::254", "192.88.99.1", "::ffff:192.88.99.2", "3fff::1", "3fff:fff::1", "nonsense"),
    "",
)
PUBLIC = ("93.184.215.14", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")


@pytest.mark.parametrize("address", PRIVATE)
def test_no_address_within_is_called(address):
    assert not is_public(address)
    with pytest.raises(NotPublic, match="not on the public internet"):
        public_address("https://inside.example/", lambda *_: ["8.8.8.8", address])


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_called(address):
    assert public_address("https://outside.example/x", lambda *_: [address]) == address


@given(st.ip_addresses(v=4))
def test_an_address_that_contains_another_is_judged_by_it(inner):
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
def test_what_is_no_public_https_address_is_refused(url, says):
    with pytest.raises(NotPublic, match=says):
        public_address(url, resolved)


def test_the_signature_is_that_of_the_standard():
    # The example of the specification at standardwebhooks.com.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    key, body = "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert signature(secret, key, 1614265330, body) == expected


def send_here(to: Any, secret: str = "", body: bytes = b"{}", **how: Any) -> None:
    """Send to a server of this machine, whose certificate is trusted unless otherwise said."""
    how = {"url": to.url, "trusted": to.trusted} | how
    sent = (how.pop("url"), secret or new_secret(), "a-key", body, NOW)
    send(*sent, resolve=lambda _: "127.0.0.1", **how)


def test_it_arrives_signed(receiver):
    secret = new_secret()
    send_here(receiver, secret, b'{"a": 1}')
    ((headers, body),) = receiver.requests
    assert body == b'{"a": 1}'
    assert headers["Host"] == httpx.URL(receiver.url).netloc.decode()
    signed = f"a-key.{int(NOW.timestamp())}.".encode() + body
    digest = hmac.digest(b64decode(secret.removeprefix("whsec_")), signed, "sha256")
    assert headers["Webhook-Signature"] == f"v1,{b64encode(digest).decode()}"
    assert headers["Webhook-Id"] == "a-key"
    assert headers["Webhook-Timestamp"] == str(int(NOW.timestamp()))


@pytest.mark.parametrize("status", [301, 307, 404, 500])
def test_a_redirect_or_a_refusal_is_a_fault_and_is_not_followed(receiver, status):
    receiver.status = status
    with pytest.raises(NotSent, match=f"status {status}"):
        send_here(receiver)
    assert len(receiver.requests) == 1


def test_the_whole_request_has_one_deadline(dripping, monkeypatch):
    """However often its server sends a little."""
    monkeypatch.setattr(webhooks, "TIMEOUT", 2.0)
    began = time.monotonic()
    with pytest.raises(NotSent, match="2 seconds"):
        send_here(dripping)
    assert time.monotonic() - began < webhooks.TIMEOUT + 1


def test_whoever_is_not_the_host_is_told_nothing(receiver):
    for how in (
        {"trusted": True},  # a certificate that nobody vouches for
        {"url": receiver.url.replace(HOST, "other.example")},
    ):
        with pytest.raises(NotSent, match=r"(?i)certificate"):
            send_here(receiver, **how)
    assert receiver.requests == []


def test_a_name_that_leads_within_is_not_called(receiver, monkeypatch):
    port = receiver.server.server_port
    asked: list[str] = []
    real = socket.getaddrinfo

    def rebinding(host, *rest, **more):
        asked.append(host)
        return real("127.0.0.1", *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with pytest.raises(NotSent, match="not on the public internet"):
        send(f"https://rebinds.example:{port}/", new_secret(), "a-key", b"{}", NOW)
    assert asked == ["rebinds.example"]
    assert receiver.requests == []
