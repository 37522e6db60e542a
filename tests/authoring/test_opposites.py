"""The opposites of an operation by its name alone."""

from __future__ import annotations

import pytest

from proofwalk.authoring.opposites import NamedOperations


@pytest.mark.parametrize(
    ("event", "opposite"),
    [
        ("CreateTank", "DeleteTank"),
        ("feature-created", "feature-removed"),
        ("StartPump", "StopPump"),
        ("pump.stopped", "pump.started"),
        ("DISABLE_TANK", "ENABLE_TANK"),
        ("AssociateAddress", "DisassociateAddress"),
        ("feature-archived", "feature-revived"),
        ("AuthorizeGate", "RevokeGate"),
    ],
)
def test_the_verb_is_turned_in_its_tense_and_case(event: str, opposite: str) -> None:
    assert opposite in NamedOperations().undoing("Tank", event)


@pytest.mark.parametrize("event", ["ModifyTank", "", "2024", "TankStarter"])
def test_what_has_no_opposite_has_none(event: str) -> None:
    assert NamedOperations().undoing("Tank", event) == frozenset()


def test_an_operation_never_takes_itself_back() -> None:
    for event in ("CreateTank", "add", "tank-added", "StopPump", "EnableTank"):
        assert event not in NamedOperations().undoing("Tank", event)


def test_a_type_says_nothing_of_names_in_a_log() -> None:
    assert NamedOperations().removing("tank.tank") == frozenset()
