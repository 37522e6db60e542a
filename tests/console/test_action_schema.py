"""The schema of actions: what strict decoding may produce, and what is refused however
it was produced."""

from __future__ import annotations

import pytest

from proofwalk.console import actions as a
from proofwalk.console.strict_schema import strict_action_schema
from proofwalk.kernel.errors import ProofwalkError


def test_the_strict_schema_asks_for_every_field_and_refuses_others() -> None:
    kinds = strict_action_schema()["anyOf"]
    assert isinstance(kinds, list)
    assert {kind["properties"]["type"]["enum"][0] for kind in kinds} >= {
        "click",
        "note",
        "extract",
        "task_complete",
    }
    for kind in kinds:
        assert kind["additionalProperties"] is False
        assert sorted(kind["required"]) == sorted(kind["properties"])
    assert not any(
        word in repr(kinds)
        for word in ("$ref", "'default'", "'title'", "discriminator", "exclusiveMinimum")
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"click","id":1,"double":true,"triple":true}',
        '{"type":"drag_to","x":1}',
        '{"type":"click_at","x":1}',
    ],
)
def test_contradictions_are_malformed(text: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        a.parse_action(text)
    assert caught.value.code == "action.malformed"
