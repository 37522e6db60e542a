"""Steps that begin with a title, and fields that stand in bullets without markup."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind, Reading
from proofwalk.procedures.loading import load

K = IntentKind


def read(text: str) -> Reading:
    document = load("d.md", f"# Pumps\n\n{text}\n".encode())
    return read_substep(document.procedures[0].substeps[-1])


def test_a_title_before_bullets_is_no_instruction() -> None:
    reading = read("### 1. Plan\n\n- Click **A**.\n\n### 2. Adding a pump (new)\n\n- Click **B**.")
    assert [one.path for one in reading.intents] == [("B",)]
    assert [one.why for one in reading.prose] == ["it names the step"]
    assert not reading.not_understood


@pytest.mark.parametrize(
    "text",
    [
        "### 1. Plan\n\n- Click **A**.\n\n### 2. Clicking Save\n\n- Click **B**.",
        "### 1. Plan\n\n- Click **A**.\n\n### 2. Adding a pump",
    ],
    ids=["a gesture", "nothing behind it"],
)
def test_what_may_ask_for_something_is_no_title(text: str) -> None:
    assert not any(one.why == "it names the step" for one in read(text).prose)


def test_bullets_of_a_field_and_its_value() -> None:
    reading = read(
        "1. Click **Add**.\n    - Name: `pool1`\n    - IP Address (VIP): 10.0.0.1\n"
        "    - Status: Active\n    - Note: slow\n    - Then: click it, and wait"
    )
    assert [(one.kind, one.path, one.value) for one in reading.intents][:4] == [
        (K.CLICK, ("Add",), None),
        (K.SET, ("Name",), "pool1"),
        (K.SET, ("IP Address (VIP)",), "10.0.0.1"),
        (K.SET, ("Status",), "Active"),
    ]
    assert not any(one.label in ("Note", "Then") for one in reading.intents)


def test_what_has_to_exist_is_not_entered() -> None:
    reading = read(
        "### 1. Set-up\n\nEnsure the following pumps exist:\n\n- **Main:** `p1`\n\n"
        "### 2. Go\n\n- Click **B**."
    )
    document = load(
        "d.md",
        b"# P\n\n### 1. Set-up\n\nEnsure the following pumps exist:\n\n- **Main:** `p1`\n\n"
        b"### 2. Go\n\n- Click **B**.\n",
    )
    first = read_substep(document.procedures[0].substeps[0])
    assert not any(one.kind is K.SET for one in (*first.intents, *reading.intents))
