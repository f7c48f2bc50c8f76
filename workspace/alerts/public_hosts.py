"""Addresses that users choose may only lead to public hosts, by https.

A name is resolved once, and the address that was checked is connected to: a name that changes
in between (DNS rebinding) leads nowhere else.
"""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

Resolve = Callable[[str, int], Sequence[str]]
HTTPS = 443
# Addresses of these contain one of IPv4, which is what packets reach in the end.
IPV4_WITHIN = ipaddress.ip_network("64:ff9b::/96")
# Of no host, though not all versions of Python say so: the old relays of 6to4, documentation.
NOT_PUBLIC = tuple(map(ipaddress.ip_network, ("192.88.99.0/24", "3fff::/20")))


class NotPublic(ValueError):
    """An address that must not be called; the message says why."""


def resolved(host: str, port: int) -> Sequence[str]:
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        raise NotPublic(f"“{host}” has no address: {fault}.") from fault
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def host_of(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or HTTPS
    except ValueError as fault:
        raise NotPublic(f"That is no address: {fault}.") from fault
    if parts.scheme != "https" or not host:
        raise NotPublic("Expected an address that begins with https://")
    if parts.username is not None or parts.password is not None:
        raise NotPublic("A name and a password in the address are not sent: leave them out.")
    return host, port


def public_address(url: str, resolve: Resolve = resolved) -> str:
    host, port = host_of(url)
    addresses = resolve(host, port)
    private = [address for address in addresses if not is_public(address)]
    if private or not addresses:
        raise NotPublic(
            f"“{host}” is not on the public internet: {', '.join(private) or 'nowhere'}."
        )
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet.

    >>> [is_public(a) for a in ("93.184.215.14", "10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254")]
    [True, False, False, False]
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        within = ip.ipv4_mapped or ip.sixtofour or (ip.teredo and ip.teredo[1])
        if ip in IPV4_WITHIN:
            within = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if within:
            return is_public(str(within))
    if any(ip in network for network in NOT_PUBLIC):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved
