"""A rule that anything confirms, or that its own walks do not, is told so."""

from __future__ import annotations

from dataclasses import replace

from proofwalk.authoring.rule_proof import prove_rule
from proofwalk.platform.judging import judging
from tests.authoring.recordings import event, recording

WALK = recording(event("AddTank", 1, request={"Name": "north-7"}))
SHARP = "id: a\nversion: 1\ndelta_s: 5\nall:\n- {event: AddTank, service: Tank}\n"


def test_a_sharp_rule_has_no_problem() -> None:
    proof = prove_rule(SHARP, [WALK, WALK], judging)
    assert (proof.problems, proof.walks) == ((), 2)
    assert proof.near_misses >= 4


def test_a_further_walk_that_it_denies_is_named() -> None:
    other = replace(WALK, events=())
    assert prove_rule(SHARP, [WALK, other], judging).problems == ("it does not confirm walk 2",)


def test_a_rule_of_something_else_is_told() -> None:
    other = "id: a\nversion: 1\ndelta_s: 5\nall:\n- {event: Other}\n"
    told = prove_rule(other, [WALK], judging).problems
    assert told == ("it does not confirm walk 1", "no near miss could be made of it")
