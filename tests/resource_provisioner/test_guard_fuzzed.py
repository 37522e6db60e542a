"""What the guard accepts is read by Terraform as it was judged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.holes import guard as fuzzing
from benchmarks.holes.guard_inputs import Inputs
from proofwalk.resource_provisioner import guard
from proofwalk.resource_provisioner.allowed_types import DATA_TYPES, RESOURCE_TYPES
from proofwalk.resource_provisioner.guard import Refusal
from proofwalk.resource_provisioner.terraform_json import written


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=0))
def test_what_is_accepted_is_written_with_what_was_judged_and_no_more(seed: int) -> None:
    text = next(iter(Inputs(seed)))
    refused: Refusal | None = None
    try:
        template = guard.inspect(text)
    except Refusal as refusal:
        refused = refusal
    if refused is not None:
        assert refused.reason
        assert 1 <= refused.line <= text.count("\n") + 1
        return
    document = json.loads(written(template).text)
    assert document.keys() <= {"resource", "data", "locals", "output", "variable"}
    assert document.get("resource", {}).keys() <= RESOURCE_TYPES
    assert document.get("data", {}).keys() <= DATA_TYPES
    resources = [body for named in document.get("resource", {}).values() for body in named.values()]
    assert not [
        body for body in resources if {"provisioner", "connection", "provider"} & body.keys()
    ]


@pytest.mark.terraform
@pytest.mark.timeout(240)
def test_terraform_reads_what_it_is_given_as_the_text_that_was_judged() -> None:
    figures = fuzzing.measure(400, seed=20261123, every=40)
    assert (figures["guard_fuzzed"], figures["guard_read_otherwise"], figures["guard_escaped"]) == (
        400,
        0,
        0,
    ), figures
    assert (figures["guard_records_read_otherwise"], figures["guard_records_refused_by_both"]) == (
        0,
        0,
    ), figures
    accepted, refused = figures["guard_accepted"], figures["guard_refused_by_both"]
    assert isinstance(accepted, int)
    assert isinstance(refused, int)
    assert accepted - refused > 40
