"""The corpus: URLs that lead inside, however they are written, and URLs that do not."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.addresses import parse, refusal
from proofwalk.procedures.fetch import fetch_url

LITERALS = [
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/x",
    "http://127.1/",
    "http://127.000.000.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://0x7F.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.1./",
    "http://127.255.255.254/",
    "http://0/",
    "http://0.0.0.0/",
    "http://0.1.2.3/",
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://167772161/",
    "http://172.16.0.1/",
    "http://172.31.255.254/",
    "http://192.168.1.1/",
    "http://192.168.257/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xA9FEA9FE/",
    "http://0251.0376.0251.0376/",
    "http://100.100.100.200/latest/meta-data/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://１２７.０.０.１/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://[::]/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]:80/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[64:ff9b::a00:1]/",
    "http://[64:ff9b:1::1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a00:1::1]/",
    "http://[2002:808:808::1]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://[5f00::1]/",
    "http://[2606:4700::200:5efe:127.0.0.1]/",
    "http://[2606:4700::5efe:10.0.0.1]/",
    "http://[4000::1]/",
]
NAMES = [
    "http://localhost/",
    "http://LOCALHOST:9200/",
    "http://localhost./",
    "http://a.localhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://wiki.corp/",
    "http://redis/",
    "http://kubernetes.default.svc/",
    "http://db.cluster.local/",
    "http://nas.home.arpa/",
    "http://ｌｏｃａｌｈｏｓｔ/",
]
MALFORMED = [
    "",
    "example.com",
    "//example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_INFO",
    "data:text/html,<ol><li>x",
    "javascript:alert(1)",
    "jar:http://example.com!/",
    "http:///x",
    "http://?x",
    "http://user@example.com/",
    "http://user:secret@example.com/",
    "http://example.com@127.0.0.1/",
    "http://example.com:80@127.0.0.1/",
    "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1\\.example.com/",
    "http://example.com/ x",
    "http://exa mple.com/",
    "http://example.com\r\nHost: x/",
    "http://example.com/%0d%0aX: y",
    "http://example.com\t/",
    "http://exam\x00ple.com/",
    "http://example.com:0/",
    "http://example.com:99999/",
    "http://example.com:x/",
    "http://%31%32%37.0.0.1/",
    "http://127.0.0.1%2f.example.com/",
    "http://[::1/",
    "http://[::1]x/",
    "http://[fe80::1%25eth0]/",
    "http://[::1%lo]/",
    "http://[v1.x]/",
    "http://1.2.3.4.5/",
    "http://256.256.256.256/",
    "http://0x100000000/",
    "http://08.1.1.1/",
    "http://a..b.com/",
    "http://-a.com/",
    "http://" + "a" * 64 + ".com/",
    "http://" + "a." * 130 + "com/",
    "http://example.com/" + "x" * 2048,
    "http://xn--a/",
    "http://ex*ample.com/",
]


class NoWire(httpx2.AsyncBaseTransport):
    """Fails the test when anything is sent."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raise AssertionError(f"a request was sent to {request.url}")


async def nowhere(host: str, port: int) -> tuple[str, ...]:
    raise AssertionError(f"{host} was looked up")


async def _code(url: str) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await fetch_url(url, resolver=nowhere, transport=NoWire)
    return caught.value.code


@pytest.mark.parametrize("url", LITERALS + NAMES)
async def test_what_leads_inside_is_blocked_before_anything_is_sent(url: str) -> None:
    assert await _code(url) == "fetch.blocked_address"


@pytest.mark.parametrize("url", MALFORMED)
async def test_what_is_ambiguous_is_refused_before_anything_is_sent(url: str) -> None:
    assert await _code(url) in ("fetch.bad_url", "fetch.blocked_address")


def test_the_corpus_is_large_enough() -> None:
    assert len({*LITERALS, *NAMES}) >= 60


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "47.88.1.1",
        "2606:4700:4700::1111",
        "2a00:1450::1",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ],
)
def test_public_addresses_are_let_through(address: str) -> None:
    assert refusal(ip_address(address)) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://Example.COM./a b".replace(" ", "%20"), "https://example.com/a%20b"),
        ("http://bücher.example/ü?q=ö", "http://xn--bcher-kva.example/%C3%BC?q=%C3%B6"),
        ("https://help.example.com:443/x#fragment", "https://help.example.com/x"),
        ("http://help.example.com:8080", "http://help.example.com:8080/"),
        ("http://[2606:4700::1]:81/", "http://[2606:4700::1]:81/"),
        ("http://文档.example。com/", "http://" + "文档".encode("idna").decode() + ".example.com/"),
    ],
)
def test_good_urls_have_one_spelling(url: str, expected: str) -> None:
    assert parse(url).url == expected


@given(st.integers(0, 2**32 - 1))
def test_an_address_wrapped_in_ipv6_is_never_better_than_itself(value: int) -> None:
    plain = refusal(ip_address(value))
    for wrapped in (IPv6Address(0xFFFF << 32 | value), IPv6Address((0x64FF9B << 96) | value)):
        assert (refusal(wrapped) is None) <= (plain is None)


@given(st.text(max_size=40))
def test_any_text_is_a_location_or_a_coded_error(text: str) -> None:
    try:
        location = parse(f"http://{text}")
    except ProofwalkError as error:
        code = error.code
    else:
        code = "fetch.bad_url" if location.host.isascii() else "not ascii"
    assert code == "fetch.bad_url"
