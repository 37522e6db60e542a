"""`robots.txt` as RFC 9309 has it."""

from __future__ import annotations

import pytest

from proofwalk.inspection.sources.robots import read_robots


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /a", "/a/b", False),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b/c", True),
        ("User-agent: *\nAllow: /page\nDisallow: /page", "/page", True),
        ("User-agent: *\nDisallow: /*.php$", "/x/y.php", False),
        ("User-agent: *\nDisallow: /*.php$", "/x/y.php?a", True),
        ("User-agent: *\nDisallow: /a*b*c", "/axxbyyc", False),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Proofwalk\nAllow: /", "/a", True),
        ("User-agent: other\nUser-agent: proofwalk/2\nDisallow: /", "/a", False),
        ("user-AGENT : *\nDISALLOW : /a # why\n", "/a", False),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe/x", False),
        ("User-agent: *\nDisallow: /ünï", "/%C3%BCn%C3%AF", False),
        ("Disallow: /\nnonsense\n\x00\nUser-agent: *\nDisallow: (a+)+$", "/aaa", True),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
    ],
)
def test_rules(text: str, path: str, allowed: bool) -> None:
    assert read_robots(text).allows(path) is allowed


def test_delays_and_much_of_it() -> None:
    assert read_robots("User-agent: *\nCrawl-delay: 2.5").delay_s == 2.5
    assert read_robots("User-agent: *\nCrawl-delay: a day").delay_s == 0
    many = "User-agent: *\n" + "Disallow: /a\n" * 20_000
    assert len(read_robots(many).rules) == 5000
