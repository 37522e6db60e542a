"""Where a document may be fetched from: URLs with one clear meaning, and addresses
outside every private network.

`parse` turns a URL into its parts and refuses whatever two programs could read
differently (credentials, backslashes, control characters; numbers that stand for
addresses are resolved here and nowhere else). `refusal` judges one resolved address.
Both are pure; `fetch` resolves, and connects only to addresses that were judged.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from urllib.parse import quote, urlsplit

import idna

from proofwalk.kernel.errors import ProofwalkError, Status, invalid

MAX_URL_LENGTH = 2048

_SAFE = "/%:@!$&'()*+,;=~-._"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]|%0[0ad]", re.IGNORECASE)
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_INTERNAL_NAMES = (
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "localdomain",
    "home.arpa",
    "svc",
    "cluster",
)

_BLOCKED_V4 = tuple(
    (IPv4Network(network), what)
    for network, what in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "carrier-grade NAT and cloud metadata"),
        ("127.0.0.0/8", "the loopback"),
        ("168.63.129.16/32", "a cloud's metadata service"),
        ("169.254.0.0/16", "link-local and cloud metadata"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "AS112"),
        ("192.52.193.0/24", "AMT relays"),
        ("192.88.99.0/24", "6to4 relays"),
        ("192.168.0.0/16", "a private network"),
        ("192.175.48.0/24", "AS112"),
        ("198.18.0.0/15", "benchmarks"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved and broadcast"),
    )
)
_BLOCKED_V6 = tuple(
    (IPv6Network(network), what)
    for network, what in (
        ("::/128", "the unspecified address"),
        ("::1/128", "the loopback"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard"),
        ("2001::/23", "protocol assignments and Teredo"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "AS112"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "segment routing"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_V6 = IPv6Network("2000::/3")
_ISATAP = frozenset([0x00005EFE, 0x02005EFE])
_NEVER = tuple(
    IPv4Network(network)
    for network in ("0.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "224.0.0.0/3")
) + tuple(IPv4Network(f"100.100.100.{last}/32") for last in (100, 200))


@dataclass(frozen=True, kw_only=True)
class Location:
    """A URL whose parts are certain. `host` is lower-case ASCII without a trailing dot,
    `literal` the address that it spells, if any."""

    scheme: str
    host: str
    port: int
    target: str
    literal: IPv4Address | IPv6Address | None = None

    @property
    def authority(self) -> str:
        """The `Host` header's value."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def bad_url(why: str) -> ProofwalkError:
    """Return the error for a URL that is refused whatever it leads to."""
    return invalid(
        "fetch.bad_url",
        f"the URL is not accepted: {why}",
        hint="give an http or https URL without credentials",
    )


def blocked(host: str, why: str) -> ProofwalkError:
    """Return the error for a URL that leads into a private network."""
    return ProofwalkError(
        "fetch.blocked_address",
        f"{host!r} leads to {why}; documents are fetched from public addresses alone",
        status=Status.PERMISSION_DENIED,
        hint="send the document's text instead, or let the operator name the host in allow_hosts",
    )


def parse(url: str) -> Location:
    """Return the parts of `url`. Raises `fetch.bad_url`."""
    if len(url) > MAX_URL_LENGTH:
        raise bad_url(f"it has {len(url)} characters; at most {MAX_URL_LENGTH} are accepted")
    if _FORBIDDEN.search(url):
        raise bad_url("it holds a space, a control character or a backslash")
    try:
        parts = urlsplit(url)
        port = parts.port
        name = parts.hostname or ""
    except ValueError as error:
        raise bad_url(str(error)) from None
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        raise bad_url(f"its scheme is {scheme!r}")
    if "@" in parts.netloc:
        raise bad_url("it holds credentials")
    if not name:
        raise bad_url("it has no host")
    if port == 0:
        raise bad_url("port 0 is no port")
    query = f"?{quote(parts.query, safe=_SAFE + '?')}" if parts.query else ""
    target = quote(parts.path or "/", safe=_SAFE) + query
    host, literal = _host(name, bracketed="[" in parts.netloc)
    return Location(
        scheme=scheme,
        host=host,
        port=port or _DEFAULT_PORTS[scheme],
        target=target,
        literal=literal,
    )


def _host(name: str, *, bracketed: bool) -> tuple[str, IPv4Address | IPv6Address | None]:
    if bracketed:
        if "%" in name:
            raise bad_url("its address names a network interface")
        try:
            six = IPv6Address(name)
        except ValueError:
            raise bad_url(f"{name!r} is no IPv6 address") from None
        return six.compressed, six
    if "%" in name:
        raise bad_url("its host is percent-encoded")
    folded = unicodedata.normalize("NFKC", name).translate(str.maketrans("。．｡", "...")).lower()
    if not folded.isascii():
        try:
            folded = idna.encode(folded, uts46=True, transitional=False).decode("ascii")
        except idna.IDNAError as error:
            raise bad_url(f"its host is no valid international name: {error}") from None
    folded = folded.removesuffix(".")
    labels = folded.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        four = _numeric(labels)
        return str(four), four
    if len(folded) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise bad_url(f"{name!r} is no host name")
    return folded, None


def _numeric(labels: list[str]) -> IPv4Address:
    """Return the address that a host of numbers stands for (`127.1`, `0x7f000001`,
    `0177.0.0.1`), as every resolver reads it."""
    values: list[int] = []
    for label in labels:
        if not _NUMBER.fullmatch(label):
            raise bad_url(f"{'.'.join(labels)!r} is no address")
        try:
            if label[:2] in ("0x", "0X"):
                values.append(int(label[2:] or "0", 16))
            else:
                values.append(int(label, 8) if label.startswith("0") else int(label))
        except ValueError:
            raise bad_url(f"{'.'.join(labels)!r} is no address") from None
    *heads, tail = values
    if len(values) > 4 or any(head > 255 for head in heads) or tail >= 256 ** (5 - len(values)):
        raise bad_url(f"{'.'.join(labels)!r} is no address")
    return IPv4Address(sum(head << (24 - 8 * index) for index, head in enumerate(heads)) + tail)


def internal_name(host: str) -> bool:
    """Return True for a name that is internal by its form: it has no dot, or a suffix
    that no public name has."""
    return "." not in host or any(
        host == name or host.endswith(f".{name}") for name in _INTERNAL_NAMES
    )


def refusal(address: IPv4Address | IPv6Address) -> str | None:
    """Return which network an address belongs to, if it is not public, else None. An
    address that wraps another one is judged by that one."""
    if isinstance(address, IPv4Address):
        found = next((what for network, what in _BLOCKED_V4 if address in network), None)
        return found or (None if address.is_global else "a network that is not public")
    if address.ipv4_mapped is not None:
        return refusal(address.ipv4_mapped)
    if address in _NAT64:
        return refusal(IPv4Address(int(address) & 0xFFFFFFFF))
    found = next((what for network, what in _BLOCKED_V6 if address in network), None)
    if found or address not in _GLOBAL_V6:
        return found or "a network that is not public"
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return refusal(IPv4Address(int(address) & 0xFFFFFFFF)) or "an ISATAP tunnel"
    return None if address.is_global else "a network that is not public"


def allowed(location: Location, allow_hosts: Collection[str]) -> bool:
    """Return True if the operator allowed this host. `host` permits every port,
    `host:port` only that one."""
    host = f"[{location.host}]" if ":" in location.host else location.host
    names = {name.lower().removesuffix(".") for name in allow_hosts}
    return location.host in names or host in names or f"{host}:{location.port}" in names


def never(address: IPv4Address | IPv6Address) -> bool:
    """Return True if an address is refused even for a host *name* that the operator
    allowed: metadata services, link-local, multicast."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return never(address.ipv4_mapped)
        return (
            address.is_link_local
            or address.is_multicast
            or address == IPv6Address("fd00:ec2::254")
            or int(address) == 0
        )
    return any(address in network for network in _NEVER)
