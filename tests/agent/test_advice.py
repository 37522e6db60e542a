"""What a sentence says beside its act, and sentences that only advise."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.substeps import read_substep
from proofwalk.agent.reading.intents import IntentKind
from tests.agent.documents import procedure

ACTS = (IntentKind.CLICK, IntentKind.SET, IntentKind.CHECK)


def asked(text: str) -> list[str]:
    """What a sub-step asks for; `?` for what is not understood."""
    reading = read_substep(procedure(text).substeps[0])
    acts = [one for one in reading.intents if one.kind in ACTS]
    return [one.value or one.label for one in acts] + ["?"] * len(reading.not_understood)


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("Click **Add**. The name is shown to all users, so keep it short.", ["Add"]),
        ("From the **Style** list, select **Amber**, which makes the banner yellow.", ["Amber"]),
        ("Choose **Weekly** rather than the hourly mode, which would be too much.", ["Weekly"]),
        (
            "Click **Next**, compare the page with the table above, and click **Add**.",
            ["Next", "Add"],
        ),
        ("Write down the key and the secret, or download them, and click **Done**.", ["Done"]),
        ("Click **Show**, and send it to the owner through a safe channel.", ["Show"]),
        ("The list is long; type `ott` in the search box.", ["ott"]),
        ("The crew has one of its own, so turn off **Create one**.", ["Create one"]),
        ("Click **Add** again, this time in the dialog.", ["Add"]),
        ("**Modes**: Keep **Fast**, and add **Slow**.", ["Slow"]),
    ],
)
def test_what_is_said_beside_an_act_is_dropped(text: str, acts: list[str]) -> None:
    assert asked(text) == acts


@pytest.mark.parametrize(
    "text",
    [
        "Do not select **Purge** unless you know why.",
        "Be sure that you don't pick the one that you created before.",
        "Update the configuration of your application with the new key.",
        "Update all programs of the mill to use the new key.",
        "Now for the timing.",
        "You return to the **Pumps** page, where the new pump has the state **Idle**.",
        "Below each role, you see what it allows.",
        "Quillmark asks you to confirm.",
        "Quillmark then waits for up to six days for a quieter window.",
        "Repeat the previous two steps for every other mill that you want to leave out.",
        "(In large mills, use the **Find pumps** box.)",
        "Make sure the correct mill is selected.",
        "To change one of them, choose **Edit** next to the heading of its section.",
        "Note the **Depth** shown on the page; you need it later.",
        "Quillmark counts from the moment you save it.",
        "Drain keys reduce the number of calls.",
    ],
)
def test_advice_asks_for_nothing(text: str) -> None:
    assert asked(f"Click **Add**. {text}") == ["Add"]


@pytest.mark.parametrize(
    "text",
    [
        "Update the application.",
        "Help users find the page.",
        "Untick counts from the list.",
        "Stop the pump, so that **Drain** works, and then purge it.",
    ],
)
def test_what_may_be_an_act_is_no_advice(text: str) -> None:
    assert "?" in asked(f"Click **Add**. {text}")


def test_what_others_see_is_not_looked_for() -> None:
    text = "Click **Add**. Your colleagues see the pump in the list of pumps."
    kinds = [one.kind for one in read_substep(procedure(text).substeps[0]).intents]
    assert kinds == [IntentKind.CLICK]


@pytest.mark.parametrize(
    "text",
    [
        "Choose **Add**, for **User** choose `otter`, leave **Pace** as it is, and click **OK**.",
        "Choose **Add**, then for **User**, choose `otter`, and click **OK**.",
    ],
)
def test_a_choice_between_two_clicks_is_not_passed_over(text: str) -> None:
    assert asked(text) == ["Add", "otter", "OK"]


def test_a_default_that_is_told_stays() -> None:
    text = "Make sure that **Pace** is set to **Slow**, which is the default value."
    (intent,) = read_substep(procedure(text).substeps[0]).intents
    assert intent.kind is IntentKind.EXPECT_VALUE
