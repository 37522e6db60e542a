"""Acts that are told by the control with which they are done."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure
from tests.agent.test_paraphrases import told

K = IntentKind


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Stop the pump with **Stop**.", [("Stop",)]),
        ("The plot can be planted with **Plant now**.", [("Plant now",)]),
        ("Hit **Pause** and then resume with **Resume**.", [("Pause",), ("Resume",)]),
        ("Finish with **Create**.", [("Create",)]),
        ("Complete the process with **Done**.", [("Done",)]),
        ("Return to the overview with **Back**.", [("Back",)]),
        ("Click **Next**, and finish with **Create**.", [("Next",), ("Create",)]),
    ],
)
def test_what_is_done_with_a_control_is_a_click_on_it(
    text: str, paths: list[tuple[str, ...]]
) -> None:
    assert [(kind, path) for kind, path, _ in told(text)] == [(K.CLICK, path) for path in paths]


@pytest.mark.parametrize(
    "text",
    [
        "Continue with **Network**.",
        "Deploy with **Helm**.",
        "Connect with **SSH**.",
        "Tag it with **blue**.",
        "Make a pump with **Turbo** enabled.",
        "Make a pump with the name **alpha**.",
        "Complete the form with **alpha**.",
    ],
)
def test_what_a_thing_is_made_with_may_be_no_control(text: str) -> None:
    reading = read_substep(procedure(text).substeps[0])
    assert reading.not_understood
    assert not [one for one in reading.intents if one.kind is K.CLICK]
