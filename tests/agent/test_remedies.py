"""What a console says of why a control is greyed out, and what would lift it."""

from __future__ import annotations

import pytest

from proofwalk.agent.reading.remedies import Act, Remedy, act_of, is_setting, remedies


def told(reason: str) -> list[tuple[str, str]]:
    return [(one.act.value, one.thing) for one in remedies(reason)]


@pytest.mark.parametrize(
    ("reason", "wanted"),
    [
        ("Stop the pump first.", [("stop", "pump")]),
        ("Please stop the pump before you empty it", [("stop", "pump")]),
        ("You must detach the hose before removing the pump.", [("detach", "hose")]),
        ("To remove the pump, disable its alarm.", [("turn off", "alarm")]),
        (
            "Stop the pump, and turn its removal lock off, before you remove it.",
            [("stop", "pump"), ("turn off", "removal lock")],
        ),
        ("Switch off the removal lock of the pump first.", [("turn off", "removal lock")]),
        ("Only a stopped pump can be repaired.", [("stop", "")]),
        (
            "Only an idle pump without removal protection can be removed.",
            [("turn off", "removal protection")],
        ),
        ("Only a pump without a hose can be joined.", [("give up", "hose")]),
        ("The pump must be stopped before its valve is changed.", [("stop", "pump")]),
        ("The hose is still attached to a pump.", [("detach", "hose")]),
        ("Removal protection is enabled", [("turn off", "Removal protection")]),
        ("Cannot remove the pump because it is running", [("stop", "it")]),
        ("A running pump cannot be removed.", [("stop", "pump")]),
        ("请先停止水泵，再删除。", [("stop", "水泵")]),
        ("删除前，请先停止水泵，并关闭删除保护。", [("stop", "水泵"), ("turn off", "删除保护")]),
        ("请先关闭水泵的删除保护，再删除水泵。", [("turn off", "删除保护")]),
    ],
)
def test_what_a_reason_asks_for(reason: str, wanted: list[tuple[str, str]]) -> None:
    assert told(reason) == wanted


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "Wait until the pump is running.",
        "The pump is being created.",
        "The pump is already stopped.",
        "Delete all hoses of the pump before you delete the pump.",
        "Remove the pump from every group first.",
        "You do not have permission to do this.",
        "Only database pumps can be rotated.",
        "This is the default pump.",
        "Upgrade your plan to use this.",
        "Open the terminal and stop typing; " + "then read on. " * 20,
        "水泵正在创建。",
        "请等待水泵就绪。",
    ],
)
def test_what_passes_by_itself_or_destroys_or_is_done_elsewhere_gives_no_remedy(
    reason: str,
) -> None:
    assert told(reason) == []


def test_a_setting_is_told_from_the_thing_that_has_it() -> None:
    assert is_setting(Remedy(act=Act.TURN_OFF, thing="removal protection"))
    assert not is_setting(Remedy(act=Act.TURN_OFF, thing="pump"))
    assert not is_setting(Remedy(act=Act.STOP, thing="removal protection"))


def test_a_label_is_known_by_its_first_word() -> None:
    assert act_of("Stop Pump") is Act.STOP
    assert act_of("Startup options") is None
    assert act_of("Rename") is None
