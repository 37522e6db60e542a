"""A walk's changes as a rule: what they demand, how often, in which order, and what
would take them back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.authoring.rule_proof import prove_rule
from proofwalk.authoring.rule_proposal import agreed
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import SIGN_IN
from proofwalk.platform.judging import judging
from tests.authoring.recordings import event, proposed, recording

DOCUMENT = "1. Enter `north-7` and set **Depth** to 12.\n2. Click **Fill**.\n"
ADD = event("AddTank", 1, request={"Name": "north-7", "Depth": "12", "Token": "k-1"},
            response={"TankId": "tank-01ab"})  # fmt: skip
FILL = event("FillTank", 5, request={"TankId": "tank-01ab"})


def test_each_change_is_demanded_with_what_is_known_of_it() -> None:
    rule = yaml.safe_load(proposed(recording(ADD, FILL), DOCUMENT, title="A tank").text)
    assert rule == {
        "id": "tank",
        "version": 1,
        "title": "A tank",
        "delta_s": 5.0,
        "all": [
            {
                "event": "AddTank",
                "service": "Tank",
                "as": "add_tank",
                "where": [["request.Name", "eq", "north-7"], ["request.Depth", "eq", "12"]],
            },
            {
                "event": "FillTank",
                "service": "Tank",
                "as": "fill_tank",
                "where": [["request.TankId", "eq", "$event.add_tank.response.TankId"]],
            },
            {"event": "AddTank", "service": "Tank", "min": 0, "max": 1},
            {"event": "FillTank", "service": "Tank", "min": 0, "max": 1},
        ],
        "none": [{"event": "DrainTank", "service": "Tank"}],
        "order": True,
    }


def test_reads_refusals_sign_ins_and_what_was_before_are_no_changes() -> None:
    others = (
        event("ListTanks", 2, write=False),
        event("AddTank", 3, ok=False),
        event("SignIn", 0, kind=SIGN_IN),
        event("AddTank", -30),
        event("Heartbeat", 4),
    )
    idle = frozenset({("Tank", "Heartbeat")})
    told = proposed(recording(ADD, *others), DOCUMENT, idle=idle)
    assert [demand.event for demand in told.demands] == [ADD]


def test_what_the_document_asks_for_is_not_forbidden() -> None:
    drained = event("DrainTank", 7, request={"TankId": "tank-01ab"})
    assert "none" not in yaml.safe_load(proposed(recording(ADD, drained), DOCUMENT).text)


def test_what_meta_made_must_not_go() -> None:
    rule = yaml.safe_load(proposed(recording(ADD), DOCUMENT, prepared=["yard.yard"]).text)
    assert {"event": "SellYard", "service": "Yard"} in rule["none"]


def test_changes_that_nothing_tells_apart_are_one_clause() -> None:
    again = replace(ADD, id="again", time=FILL.time)
    rule = yaml.safe_load(proposed(recording(ADD, again), DOCUMENT).text)
    assert [(one.get("as"), one.get("min"), one.get("max")) for one in rule["all"]] == [
        (None, 2, None),
        (None, 0, 2),
    ]
    assert "order" not in rule


def test_an_operation_twice_has_two_names_where_a_value_tells_them_apart() -> None:
    again = replace(ADD, id="again", time=FILL.time, request={"Depth": "12"})
    rule = yaml.safe_load(proposed(recording(ADD, again), DOCUMENT).text)
    assert [one.get("as") for one in rule["all"]] == ["add_tank", "add_tank_2", None]


def test_a_change_that_a_later_one_refers_to_keeps_its_name() -> None:
    again = replace(ADD, id="again", time=FILL.time, response={"TankId": "tank-77ee"})
    fill = event("FillTank", 9, request={"TankId": "tank-77ee"})
    rule = yaml.safe_load(proposed(recording(ADD, again, fill), DOCUMENT).text)
    assert [one.get("as") for one in rule["all"]][:3] == ["add_tank", "add_tank_2", "fill_tank"]


def test_a_walk_that_changed_nothing_proposes_nothing() -> None:
    with pytest.raises(ProofwalkError) as caught:
        proposed(recording(event("ListTanks", 2, write=False)), DOCUMENT)
    assert caught.value.code == "author.nothing_changed"


def test_a_walk_of_too_many_changes_is_refused() -> None:
    with pytest.raises(ProofwalkError) as caught:
        proposed(recording(*(event(f"Add{number}", number) for number in range(21))), DOCUMENT)
    assert caught.value.code == "author.too_much"


def test_what_only_one_of_two_walks_has_is_left_open() -> None:
    other = replace(ADD, request={"Name": "north-7", "Depth": "13", "Token": "k-2"})
    both = "Enter `north-7`, 12 or 13 as **Depth**."
    told = agreed(proposed(recording(ADD), both), proposed(recording(other), both))
    (demand,) = told.demands
    assert [one.path for one in demand.values] == ["request.Name"]
    assert "request.Depth" in demand.open


def test_walks_that_made_different_changes_do_not_agree() -> None:
    one, two = proposed(recording(ADD), DOCUMENT), proposed(recording(ADD, FILL), DOCUMENT)
    with pytest.raises(ProofwalkError) as caught:
        agreed(one, two)
    assert caught.value.code == "author.walks_differ"
    assert "AddTank and AddTank, FillTank" in caught.value.message


WORDS = st.text("abcdefgh-123", min_size=1, max_size=10)
EVENTS = st.builds(
    lambda name, at, names, values: event(name, at, request=dict(zip(names, values, strict=False))),
    st.sampled_from(["AddTank", "FillTank", "PaintTank"]),
    st.integers(0, 50),
    st.lists(st.sampled_from(["Name", "Depth", "Tag.1.Key", "Size"]), unique=True, max_size=4),
    st.lists(WORDS, min_size=4, max_size=4),
)


@settings(max_examples=60, deadline=None)
@given(
    events=st.lists(EVENTS, min_size=1, max_size=5, unique_by=lambda one: one.id), data=st.data()
)
def test_a_proposal_confirms_its_walk_and_denies_each_near_miss(
    events: list[Any], data: st.DataObject
) -> None:
    values = [str(value) for one in events for value in one.request.values()]
    said = data.draw(st.lists(st.sampled_from(values), max_size=3) if values else st.just([]))
    walk = recording(*events)
    proof = prove_rule(proposed(walk, " ".join(said)).text, [walk], judging)
    assert proof.problems == ()
    assert proof.near_misses > 0
