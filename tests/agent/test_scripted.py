"""The scripted policy against a console in memory: it plays the script, waits for what
takes time, and says which move it could not play."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed, Unachievable
from proofwalk.agent.core.walk_budget import Budget
from proofwalk.agent.core.walk_record import Walk
from proofwalk.agent.policies.scripted.policy import ScriptedPolicy
from proofwalk.agent.policies.scripted.script import Confirm, Open, Row, parse_script
from proofwalk.kernel.errors import ProofwalkError
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeField, FakeForm

OPEN = "{open: {product: Elastic Compute Service, menu: [Instances & Images, Instances]}}"


async def play(console: FakeConsole, *entries: str, outputs: dict[str, str] | None = None) -> Walk:
    """Walk a document with one sentence for each entry of a script; an entry is written
    as a YAML list of moves."""
    plan = parse_script("".join(f"- {entry}\n" for entry in entries), outputs=outputs)
    steps = [f"Do number {number}." for number in range(len(entries))]
    return await run(
        console,
        *steps,
        policy=ScriptedPolicy(plan),
        budget=Budget(steps_per_substep=200, consecutive_failures=8),
    )


def stop_form() -> FakeForm:
    return FakeForm(
        title="Stop Instance",
        fields=[
            FakeField(label="Stop Mode", kind="radio", options=["Standard Mode", "Economical Mode"])
        ],
    )


async def test_pages_rows_choices_and_dialogs() -> None:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a"), FakeRow(id="i-2", name="b")], forms={"Stop": stop_form}
    )
    walked = await play(
        console,
        f"[{OPEN}]",
        '[{row: "{{meta.instance_name}}", press: Stop}]',
        "[{choose: {Stop Mode: Economical Mode}}, {confirm: OK}]",
        outputs={"instance_name": "b"},
    )
    assert isinstance(walked.ending, Completed)
    assert console.log == [
        "enter Instances",
        "Stop b",
        "set Stop Mode=Economical Mode",
        "submit Stop Instance",
    ]


async def test_an_action_behind_the_menu_of_a_row() -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await play(console, f"[{OPEN}, {{row: a, press: Release}}]")
    assert isinstance(walked.ending, Completed)
    assert console.log == ["enter Instances", "Release a"]


async def test_a_group_that_is_folded_is_opened_and_an_open_one_is_left() -> None:
    for folded in (set[str](), {"Instances & Images"}):
        console = FakeConsole(rows=[FakeRow(id="i-1", name="a")], collapsed=folded)
        walked = await play(console, f"[{OPEN}]", "[{row: a, open: true}]", "[{tab: Disks}]")
        assert isinstance(walked.ending, Completed)
        assert console.log == ["enter Instances", "tab Disks"]


async def test_a_form_is_filled_by_labels() -> None:
    form = FakeForm(
        title="Create Instance",
        submit="Create Instance",
        fields=[
            FakeField(label="Instance Name", required=True),
            FakeField(label="Zone", kind="select", options=["Zone H", "Zone I"]),
            FakeField(label="Terms", kind="checkbox", text="I agree"),
            FakeField(label="Addresses", kind="list"),
        ],
    )
    console = FakeConsole(forms={"Create Instance": lambda: form})
    walked = await play(
        console,
        f"[{OPEN}]",
        "[{press: Create Instance}]",
        "[{fill: {Instance Name: web-1}}, {choose: {Zone: Zone I}}, {set: {Terms: true}}, {list:"
        " {Addresses: [10.0.0.0/8]}}]",
        "[{submit: Create Instance}]",
    )
    assert isinstance(walked.ending, Completed)
    expected = [
        "set Instance Name=web-1",
        "set Zone=Zone I",
        "set Terms=on",
        "set Addresses=10.0.0.0/8",
        "submit Create Instance",
    ]
    assert console.log == ["enter Instances", "press Create Instance", *expected]


async def test_a_status_is_waited_for() -> None:
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a", becomes=["Stopping", "Stopping", "Stopped"])]
    )
    walked = await play(console, f"[{OPEN}]", "[{wait: {row: a, status: Stopped}}]")
    assert isinstance(walked.ending, Completed)
    assert console.rows[0].status == "Stopped"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("[{row: nobody, press: Stop}]", "no row with “nobody”"),
        ("[{press: No Such Button}]", "no “No Such Button”"),
        ("[{row: a, press: Explode}]", "offers no “Explode”"),
        ("[{fill: {No Such Field: x}}]", "no field “No Such Field”"),
        ("[{wait: {row: a, status: Gone With The Wind}}]", "did not come"),
    ],
)
async def test_what_cannot_be_played_is_the_policy_s_failure_and_says_which_move(
    entry: str, words: str
) -> None:
    console = FakeConsole(rows=[FakeRow(id="i-1", name="a")])
    walked = await play(console, f"[{OPEN}]", entry)
    assert isinstance(walked.ending, Unachievable)
    assert walked.ending.finding is None
    assert walked.ending.substep == "2"
    assert words in walked.ending.reason
    assert "move 1" in walked.ending.reason


async def test_a_form_that_the_backend_refuses_is_tried_again_and_then_told_with_its_words() -> (
    None
):
    console = FakeConsole(
        rows=[FakeRow(id="i-1", name="a")],
        forms={"Stop": lambda: FakeForm(title="Stop Instance", error="QuotaExceeded: no more")},
    )
    walked = await play(console, f"[{OPEN}]", "[{row: a, press: Stop}, {confirm: OK}]")
    assert isinstance(walked.ending, Unachievable)
    assert "QuotaExceeded: no more" in walked.ending.reason
    assert len(console.alerts) > 1


def test_a_script_is_read_with_the_outputs_put_in() -> None:
    text = (
        '- - {open: {product: "{{meta.product}}", menu: [A]}}\n- - {row: "{{ meta.x }}-1", press:'
        " Stop}\n  - {confirm: OK, type: 7}\n"
    )
    script = parse_script(text, outputs={"x": "web", "product": "ECS"})
    assert script.entries[0] == (Open.model_validate({"open": {"product": "ECS", "menu": ["A"]}}),)
    assert script.entries[1] == (Row(row="web-1", press="Stop"), Confirm(confirm="OK", type="7"))
    assert parse_script(text).entries[1][0] == Row(row="{{ meta.x }}-1", press="Stop")


def test_the_files_of_a_script() -> None:
    assert parse_script("- [{upload: {Policy: {name: p.json, content: '{}'}}}]").files == {
        "p.json": "{}"
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("press: OK", "not a list"),
        ("- press: OK", "entry 1: it is not a list of moves"),
        ("- [{jump: high}]", "entry 1, move 1: it says none of"),
        ("- []\n- [{press: OK, hard: true}]", "entry 2, move 1, hard"),
        ("- [{row: a}]", "a row is opened"),
        ("- [{wait: {row: a}}]", "wait takes"),
        ("- [{fill: {A: '{{secret.password}}'}}]", "no placeholder"),
        ("- [{fill: {A: '{{meta.missing}}'}}]", "META gives no output 'missing'"),
        ("- [{upload: {A: {name: ../x, content: y}}}]", "upload.A.name"),
        ("- [", "it is not YAML"),
    ],
)
def test_a_bad_script_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        parse_script(text, outputs={})
    assert caught.value.code == "script.invalid"
    assert words in caught.value.message
