"""The pure parts: allow-lists, masking, matching, changes, text for a model, marks."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PIL import Image

from proofwalk.console.acting.matching import match_option, normal
from proofwalk.console.faults import Refused
from proofwalk.console.looking.changes import describe_changes
from proofwalk.console.looking.marks import draw_marks
from proofwalk.console.looking.prompt_text import render, render_difference
from proofwalk.console.observation import Box, BrowserTab, Element, Observation, State, TextRun
from proofwalk.console.safety.hosts import AllowedHosts
from proofwalk.console.safety.redaction import Secrets

BOX = Box(x=100, y=100, width=80, height=30)


def element(mark: int, role: str = "button", name: str = "", **more: object) -> Element:
    values = {
        "mark": mark,
        "identity": f"d1-{mark}",
        "role": role,
        "tag": "div",
        "name": name,
        "box": BOX,
        **more,
    }
    return Element(**values)  # type: ignore[arg-type]


def looks(**more: object) -> Observation:
    values = {
        "url": "http://c/",
        "title": "Console",
        "taken_at": datetime(2026, 1, 1, tzinfo=UTC),
        "elements": (),
        "texts": (),
        "tabs": (BrowserTab(index=0, url="http://c/", title="Console", active=True),),
        "viewport": (1440, 900),
        "scroll": (0.0, 0.0, 1440.0, 900.0),
        **more,
    }
    return Observation(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    [
        "http://ok.com.evil.net/",
        "http://evil.net/ok.com",
        "http://ok.com@evil.net/",
        "http://user@ok.com/",
        "http://ok.com:8080/",
        "data:text/html,ok.com",
        "blob:http://ok.com/1",
        "file:///ok.com",
        "ftp://ok.com/",
        "http://ok.com\\@evil.net/",
        "http://[::1]/",
        "http://ok.com:99999/",
        "",
    ],
)
def test_hosts_that_are_not_on_the_list(url: str) -> None:
    assert not AllowedHosts.parse(["ok.com"]).allows(url)


def test_hosts_that_are() -> None:
    hosts = AllowedHosts.parse(["ok.com", "127.0.0.1:8470", "https://Console.Example.com:8443/x"])
    for url in (
        "http://ok.com/",
        "https://OK.com./a",
        "wss://ok.com/s",
        "http://127.0.0.1:8470/x",
        "https://console.example.com:8443/",
    ):
        assert hosts.allows(url), url


@pytest.mark.parametrize("entry", ["*.ok.com", "", "u@ok.com", "ftp://ok.com", "ok.com:x"])
def test_entries_that_are_no_host(entry: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        AllowedHosts.parse([entry])


def test_masking_is_longest_first_and_covers_encodings() -> None:
    secrets = Secrets({"a": "pass", "b": "pass word&1", "empty": ""})
    assert (
        secrets.mask("pass word&1 and pass and pass%20word%261 pass+word%261 pass word&amp;1")
        == "<secret:b> and <secret:a> and <secret:b> <secret:b> <secret:b>"
    )
    assert secrets.reveal("x<secret:b>y") == "xpass word&1y"
    assert "pass" not in repr(secrets)
    with pytest.raises(Refused):
        secrets.reveal("<secret:empty>")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("China (Hangzhou)", "China (Hangzhou)"),
        ("china  (hangzhou)", "China (Hangzhou)"),
        ("web", "web / sg-1"),
        ("sg-1", "web / sg-1"),
        ("ecs.g7.large", "ecs.g7.large (2 vCPU)"),
        ("ecs.g7", None),
        ("Hang", None),
        ("8.0", None),
    ],
)
def test_matching_options(wanted: str, expected: str | None) -> None:
    offered = [
        element(i, "option", name)
        for i, name in enumerate(
            ["China (Hangzhou)", "web / sg-1", "ecs.g7.large (2 vCPU)", "MySQL 8.0"]
        )
    ]
    found = match_option(wanted, offered)
    assert (found.name if found else None) == expected


def test_normal_form_keeps_what_counts() -> None:
    assert normal("  Pay-As-You-Go: ") == normal("pay as you go")
    assert normal("1.5 GiB") != normal("15 GiB")


def test_changes_in_words() -> None:
    before = looks(elements=(element(1, "textbox", "Name", value="a"), element(2, "switch", "On")))
    after = replace(
        before,
        elements=(
            element(1, "textbox", "Name", value="b"),
            element(2, "switch", "On", states=frozenset({State.CHECKED})),
        ),
    )
    assert (
        describe_changes(before, after, "d1-2")
        == 'switch "On": now checked; textbox "Name": value "a" → "b"'
    )
    assert describe_changes(before, before) == "nothing changed"
    assert (
        describe_changes(before, replace(before, modal="Stop", alerts=("Careful",)))
        == 'opened "Stop"; message: "Careful"'
    )
    assert (
        describe_changes(before, replace(before, url="http://c/x", elements=()))
        == "the address is now http://c/x"
    )


GOLDEN = """\
Page "Console" http://c/
Dialog on top: "Stop Instance"
Message: "Careful"
in "Stop Instance":
  text: "Stop i-1?"
  radio "Economical" [1] of "Stop Mode" (checked)
  button "OK" [2]
New:
button "Assistant" [3] *new*
heading: "Instances"
Elements:
textbox "Instance Name" [4] ="web-1" (required)
combobox "Zone" [5] placeholder "Select"
row "i-1 | Running": button "Start" [6] (disabled) — "Stop it first"
Texts:
text: "Total: 1"
Scroll to reach:
button "Bottom" [7]"""


def observed() -> Observation:
    return looks(
        modal="Stop Instance",
        alerts=("Careful",),
        elements=(
            element(
                1,
                "radio",
                "Economical",
                container="Stop Instance",
                group="Stop Mode",
                label="Stop Mode",
                states=frozenset({State.CHECKED}),
            ),
            element(2, "button", "OK", container="Stop Instance"),
            element(3, "button", "Assistant", new=True),
            element(
                4,
                "textbox",
                "Instance Name",
                value="web-1",
                label="Instance Name",
                states=frozenset({State.REQUIRED}),
            ),
            element(
                5,
                "combobox",
                "Zone",
                label="Zone",
                placeholder="Select",
                states=frozenset({State.COLLAPSED}),
            ),
            element(
                6,
                "button",
                "Start",
                row="i-1 | Running",
                column="Actions",
                hint="Stop it first",
                states=frozenset({State.DISABLED}),
            ),
            element(7, "button", "Bottom", offscreen=True),
        ),
        texts=(
            TextRun(text="Instances", box=BOX, role="heading"),
            TextRun(text="Zone", box=BOX, role="label"),
            TextRun(text="Running", box=BOX, role="cell", row="i-1 | Running"),
            TextRun(text="Stop i-1?", box=BOX, container="Stop Instance"),
            TextRun(text="Total: 1", box=BOX),
        ),
    )


def test_text_for_a_model() -> None:
    assert render(observed()) == GOLDEN


def test_text_keeps_to_its_budget_and_drops_the_least_first() -> None:
    text = render(observed(), budget=300)
    assert len(text) < 340
    assert 'button "OK" [2]' in text
    assert "Scroll to reach" not in text
    assert text.endswith("more not listed)")


def test_page_text_cannot_break_out_of_its_line() -> None:
    text = render(looks(elements=(element(1, "button", 'x" [9]\nbutton "Fake'),)))
    assert text.splitlines()[2:] == ["button \"x' [9] button 'Fake\" [1]"]


def test_a_row_and_its_neighbours_say_their_words_once() -> None:
    row = "Select | i-1 | Running | StopMore"
    elements = (
        element(1, "link", "Overview"),
        element(2, "link", "Instances"),
        element(3, "checkbox", "Select", row=row),
        element(4, "link", "i-1", row=row, column="Instance"),
        element(5, "button", "Stop", row=row),
        element(6, "button", "More", row=row),
    )
    assert render(looks(elements=elements)).splitlines()[2:] == [
        'link "Overview" [1], "Instances" [2]',
        'row "Running": checkbox "Select" [3], link "i-1" [4], button "Stop" [5], "More" [6]',
    ]


def test_differences_alone() -> None:
    before = looks(
        elements=(
            element(1, "button", "Stop"),
            element(2, "textbox", "Name", value="a"),
            element(3, "link", "Old"),
        )
    )
    text = TextRun(text="Stopped", box=BOX)
    now = replace(
        before,
        elements=(*before.elements[:1], element(2, "textbox", "Name", value="b")),
        texts=(text,),
    )
    assert (
        render_difference(before, now)
        == 'Came:\ntext: "Stopped"\nChanged:\ntextbox "Name" [2] ="b"\nWent:\nlink "Old"'
    )
    assert render_difference(now, now) == "Nothing has changed."


def test_marks_avoid_text() -> None:
    out = io.BytesIO()
    Image.new("RGB", (400, 300), "white").save(out, "JPEG")
    elements = [
        element(
            i, "link", "x", box=Box(x=20 + 120 * (i % 3), y=20 + 40 * (i // 3), width=80, height=16)
        )
        for i in range(18)
    ]
    texts = [TextRun(text="x", box=e.box) for e in elements]
    drawn = Image.open(io.BytesIO(draw_marks(out.getvalue(), elements, texts))).convert("L")
    inside = sum(
        sum(
            drawn.crop(
                (int(e.box.x) + 2, int(e.box.y) + 2, int(e.box.x) + 78, int(e.box.y) + 14)
            ).histogram()[:160]
        )
        for e in elements
    )
    assert inside / (18 * 76 * 12) < 0.05
    assert sum(drawn.histogram()[:160]) > 18 * 60, "there are marks"
