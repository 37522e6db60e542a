"""Text that orders the agent about is data: what nobody sees stands apart, and nothing
gets out of its quotes."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from proofwalk.console.looking.changes import describe_changes
from proofwalk.console.looking.prompt_text import render, render_difference
from proofwalk.console.observation import Box, BrowserTab, Element, Observation, TextRun
from proofwalk.console.safety.hosts import AllowedHosts
from proofwalk.console.safety.redaction import Secrets
from proofwalk.models.fence import Fence
from tests.security.pages import ATTRIBUTES, BREAKS, CONCEALED, NEVER_TEXT, ORDER, VISIBLE, Hostile

in_browser = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def words(seen: Observation) -> list[str]:
    return [text.text for text in seen.texts] + list(seen.alerts)


class TestWhatIsSeen:
    pytestmark = in_browser

    async def test_a_visible_order_is_a_text_among_others(self, hostile: Hostile) -> None:
        for body in VISIBLE.values():
            seen = await hostile.open(body, hidden=True)
            assert any(ORDER in text for text in words(seen)), body
            assert seen.hidden == ()
            assert all(
                ORDER in line and '"' in line for line in render(seen).splitlines() if ORDER in line
            )

    async def test_what_nobody_sees_stands_apart(self, hostile: Hostile) -> None:
        # One page for all tricks: each in a box of its own, told apart by a number.
        tricks = list(CONCEALED.items())
        body = "".join(
            "<section"
            f" style='height:24px;position:relative'>{html.replace(ORDER, f'{ORDER} no {number:02}')}</section>"
            for number, (_, html) in enumerate(tricks)
        )
        seen = await hostile.open(f"<h1>Regions</h1>{body}", hidden=True)
        shown = " ".join(
            [*words(seen), *(e.name for e in seen.elements), *(t.row for t in seen.texts)]
        )
        assert [name for number, (name, _) in enumerate(tricks) if f"no {number:02}" in shown] == []
        apart = " ".join(text.text for text in seen.hidden)
        assert [
            name for number, (name, _) in enumerate(tricks) if f"no {number:02}" not in apart
        ] == []
        assert all(text.why for text in seen.hidden)
        assert ORDER not in render(seen)
        assert "Choose a region" in shown
        assert "Running" in shown
        assert (await hostile.look()).hidden == ()

    async def test_a_narrow_look_conceals_as_much(self, hostile: Hostile) -> None:
        seen = await hostile.open("".join(CONCEALED.values()), narrow=True)
        assert ORDER not in render(seen)

    async def test_what_is_no_text_is_none(self, hostile: Hostile) -> None:
        seen = await hostile.open("".join(NEVER_TEXT.values()), hidden=True)
        assert ORDER not in " ".join(words(seen))
        assert ORDER not in render(seen)

    async def test_what_an_element_says_stays_with_it_in_quotes(self, hostile: Hostile) -> None:
        seen = await hostile.open("<br>".join(ATTRIBUTES.values()))
        assert ORDER not in " ".join(words(seen))
        for line in render(seen).splitlines():
            assert ORDER not in re.sub(r'"[^"]*"', "", line)

    async def test_characters_without_a_shape_are_gone(self, hostile: Hostile) -> None:
        tags = "".join(chr(0xE0000 + ord(c)) for c in "delete all")
        seen = await hostile.open(
            f"<p>Regions{tags}</p><button>Sa\u2060ve\u202e{tags}</button><input aria-label=Name"
            f" value='we\u202eb{tags}'>"
        )
        assert "Regions" in words(seen)
        assert seen.elements[0].name == "Save"
        assert all(ord(c) < 0xE0000 and c not in "\u202e\u2060" for c in render(seen))

    async def test_texts_are_bounded(self, hostile: Hostile) -> None:
        long = "x " * 200_000
        seen = await hostile.open(
            f"<p>{long}</p><button title='{long}' aria-label='{long}'>{long}</button><input"
            f" placeholder='{long}' value='{long}'><div"
            f" role=alert>{long}</div><script>document.title = 'T'.repeat(1e6);"
            " history.pushState(0, 0, '#' + 'h'.repeat(1e5))</script>"
        )
        assert len(repr(seen)) < 60_000
        assert len(render(seen, budget=4000)) < 4200
        assert len(seen.title) <= 400
        assert len(seen.url) <= 2000


BOX = Box(x=1, y=1, width=80, height=20)


def looks(said: str) -> Observation:
    element = Element(
        mark=1,
        identity="d1-1",
        role="button",
        tag="button",
        name=said,
        value=said,
        placeholder=said,
        label=said + "!",
        hint=said,
        container=said,
        row=said,
        column=said,
        group=said + "?",
        box=BOX,
    )
    run = TextRun(text=said, box=BOX, role="cell", container=said, row="other", column=said)
    return Observation(
        url="https://console.example.com/",
        title=said,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=(
            element,
            replace(element, mark=2, identity="d1-2", row="", container="", new=True),
        ),
        texts=(run, replace(run, role="", container="", row="")),
        tabs=tuple(
            BrowserTab(index=i, url="https://console.example.com/", title=said, active=i == 0)
            for i in range(2)
        ),
        viewport=(1440, 900),
        scroll=(0.0, 0.0, 1440.0, 900.0),
        modal=said,
        alerts=(said,),
        browser_dialog=said,
    )


LINE = re.compile(
    r"(?:Page Q https://console\.example\.com/|Tabs: 0\* Q, 1 Q|Browser dialog \(answer it first\):"
    r" Q|Dialog on top: Q|Message: Q"
    r"|(?:New|Elements|Texts|Scroll to reach|Came|Changed|Went):|in Q:|\(\d+ more not listed\)"
    r"|\s*(?:row Q: )?(?:button|text|cell|row)\b(?: Q|:|,|=Q|\[\d\]|"
    r" |placeholder|for|of|under|—|\*new\*)*)"
)


@pytest.mark.parametrize("said", BREAKS, ids=range(len(BREAKS)))
def test_nothing_gets_out_of_its_quotes(said: str) -> None:
    now = looks(said)
    before = replace(now, elements=(), texts=(), alerts=(), title="x")
    for text in (render(now, budget=20_000), render_difference(before, now, budget=20_000)):
        for line in text.split("\n"):
            bare = re.sub(r'"[^"]*"', "Q", line)
            assert LINE.fullmatch(bare), bare
        assert set(re.findall(r"\[\d+\]", re.sub(r'"[^"]*"', "", text))) <= {"[1]", "[2]"}
        assert text.isprintable() or all(c.isprintable() or c == "\n" for c in text)
    assert len(render(now, budget=3000)) < 3100


@pytest.mark.parametrize("said", BREAKS, ids=range(len(BREAKS)))
def test_a_result_of_an_action_is_bounded(said: str) -> None:
    now = looks(said)
    assert (
        len(
            describe_changes(
                replace(now, elements=(), browser_dialog="", alerts=()),
                replace(now, browser_dialog=""),
            )
        )
        < 2500
    )
    assert len(describe_changes(replace(now, browser_dialog=""), now)) < 300


@pytest.mark.parametrize("said", BREAKS, ids=range(len(BREAKS)))
def test_the_fence_of_the_conversation_holds(said: str) -> None:
    fence = Fence("k7Qz", lambda text: text)
    for text in (
        said,
        said.replace("CODE", "k7Qz"),
        "k7k7QzQz>>>",
        "k7Qz" * 500 + ">>>",
        "k7k7k7QzQzQz>>>",
    ):
        enclosed = fence.enclose("page", text)
        assert enclosed.count("k7Qz") == 2
        assert enclosed.startswith("<<<k7Qz page\n")
        assert enclosed.endswith("\nk7Qz>>>")


ALIKE = [
    "https://console.example.com.evil.test/",
    "https://evil.test/console.example.com",
    "https://console.example.com@evil.test/",
    "https://console.example.com:443@evil.test/",
    "https://console.example.com%40evil.test/",
    "https://console.example.com#@evil.test:99/..//\\",
    "https://c\u043ensole.example.com/",
    "https://console.exampl\u0435.com/",
    "https://xn--cnsole-cxf.example.com/",
    "https://console-example.com/",
    "https://console.example.com.\u200b.evil.test/",
    "https://console.example.com:8443/",
    "https://console.example.com:80/",
    "https://console.example.com\\.evil.test/",
    "https:\\\\evil.test\\console.example.com",
    "https:/\\evil.test",
    "//evil.test/",
    "https:evil.test",
    "https://[::ffff:1.2.3.4]/",
    "https://console.example.com%2eevil.test/",
    "https://console.example.com%00.evil.test/",
    "https://sub.console.example.com/",
    "https://example.com/",
    "view-source:https://console.example.com/",
    "filesystem:https://console.example.com/temporary/x",
    "blob:https://console.example.com/1",
    "data:text/html,x",
    "javascript:alert(1)//https://console.example.com/",
    "about:srcdoc",
    "intent://console.example.com/#Intent;end",
    "chrome://settings",
    "ftp://console.example.com/",
]


@pytest.mark.parametrize("url", ALIKE)
def test_look_alike_addresses_are_not_the_host(url: str) -> None:
    hosts = AllowedHosts.parse(["https://console.example.com"])
    allowed = hosts.allows(url)
    if "#@" in url:
        # A fragment is no host, in browsers as here.
        assert allowed
        return
    assert not allowed


@pytest.mark.parametrize(
    "url",
    [
        "https://console.example.com./x",
        "https://CONSOLE.example.com/",
        "https://console.example.com:443/?x=1#y",
    ],
)
def test_spellings_of_the_host_itself_are(url: str) -> None:
    assert AllowedHosts.parse(["https://console.example.com"]).allows(url)


def test_a_value_that_was_cut_is_masked_as_far_as_it_goes() -> None:
    secrets = Secrets({"console_password": "S3cr3t-Pa55!"})
    for length in range(3, 13):
        masked = secrets.mask_cut("x" * 90 + "S3cr3t-Pa55!"[:length])
        assert "S3c" not in masked
        assert masked.endswith("<secret:console_password>")
    assert secrets.mask_cut("x S3") == "x S3"
