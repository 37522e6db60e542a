"""The compact layout: which conversations it is for; name first, mark last, the target
restated, and what matters survives a small budget."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from proofwalk.agent.core.policy import PastStep, Turn
from proofwalk.agent.policies.llm.compact import CompactConversation, render, restated, spoken
from proofwalk.agent.policies.llm.context import Conversation
from proofwalk.console.actions import Click
from proofwalk.console.observation import Box, Element, Observation, State
from proofwalk.models.client import AnswerForm
from proofwalk.models.fence import Fence
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import Estimator
from tests.agent.llm import kit


def element(mark: int, name: str, role: str = "button", **more: Any) -> Element:
    box = Box(x=10, y=30.0 * mark, width=80, height=20)
    return Element(
        mark=mark, identity=f"{role}-{mark}", role=role, tag=role, name=name, box=box, **more
    )


def page(title: str, *elements: Element, modal: str = "") -> Observation:
    return replace(kit.page(title=title), elements=elements, modal=modal)


RELEASE = element(18, "Release secret")
FIELD = element(21, "Secret name", "textbox", value="db", states=frozenset({State.REQUIRED}))


def test_the_name_comes_first_and_the_mark_last() -> None:
    text = render(page("secrets", RELEASE, FIELD), frozenset(), budget=1000)
    assert "<button> Release secret [18]\n" in text
    assert '<textbox> Secret name [21] ="db" (required)' in text
    assert (
        restated("I press it.", page("secrets", RELEASE), 18) == "I press it. → Release secret [18]"
    )
    assert (
        restated("I press it. → Release secret [18]", page("secrets", RELEASE), 18)
        == "I press it. → Release secret [18]"
    )
    assert restated("All is done.", page("secrets", RELEASE), None) == "All is done."


def test_a_code_is_spoken_the_same_way_each_time_and_another_code_another_way() -> None:
    codes = [spoken(f"{number:016x}") for number in range(300)]
    assert codes == [spoken(f"{number:016x}") for number in range(300)]
    assert len(set(codes)) > 290
    assert all(re.fullmatch(r"([b-z][aeiou]){3}", code) for code in codes)


def test_what_the_substep_speaks_of_and_what_is_in_the_dialog_stay_longest() -> None:
    many = [element(number, f"Entry {number}", "option") for number in range(1, 60)]
    seen = page("list", *many, RELEASE, element(99, "Confirm", container="Sure?"), modal="Sure?")
    text = render(seen, frozenset({"release", "secret"}), budget=160)
    assert "<button> Release secret [18]" in text
    assert "<button> Confirm [99]" in text
    assert "more)" in text
    assert len(text) <= 160 + len("(60 more)\n")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=30), st.integers(100, 2000))
def test_a_page_keeps_to_its_budget_and_to_one_line_an_element(
    names: list[str], budget: int
) -> None:
    seen = page("p", *[element(number, name) for number, name in enumerate(names, 1)])
    text = render(seen, frozenset(), budget=budget)
    assert len(text) <= budget + len("(30 more)\n")
    lines = [line for line in text.split("\n") if line.startswith("<button>")]
    assert all(line.count("[") >= 1 for line in lines)
    assert len(lines) <= len(names)


@pytest.mark.parametrize("more", [{}, {"vision": False, "prompt": "flash"}])
def test_the_compact_layout_takes_no_pictures_and_has_one_prompt(more: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="VISION=false"):
        ModelSettings.model_validate({"layout": "compact", **more})
    assert ModelSettings(layout="compact", vision=False).layout == "compact"


def question_of(turn: Turn, *, layout: str = "compact") -> str:
    made = ModelSettings.model_validate({"vision": False, "layout": layout})
    fence = Fence(kit.CODE, str)
    talk = (
        CompactConversation(made, fence)
        if layout == "compact"
        else Conversation(made, fence, actions="")
    )
    messages = talk.messages(turn, AnswerForm.SCHEMA, room=20_000, estimator=Estimator())
    return "\n".join(message.text for message in messages)


def test_what_was_done_is_told_without_the_targets_that_were_restated() -> None:
    def told(thought: str) -> str:
        past = PastStep(
            substep="1", thought=thought, action=Click(id=3), ok=True, result="it opened"
        )
        return next(
            line
            for line in question_of(kit.turn_of(history=(past,))).splitlines()
            if line.startswith("1. ")
        )

    assert (
        told("I press “a → b”.")
        == told("I press “a → b”. → OK [3]")
        == "1. I press “a → b”. click → it opened"
    )
    assert told("I press it. → OK [2] → OK [3]") == "1. I press it. click → it opened"
    assert told("Field [2] is → next") == "1. Field [2] is → next click → it opened"


@pytest.mark.parametrize("layout", ["compact", "normal"])
def test_what_phrases_stand_for_is_told_in_one_order(layout: str) -> None:
    binds = {"the key": "k-1", "the alias": "a-1", "the new key": "k-2"}
    turned = dict(reversed(binds.items()))
    assert question_of(kit.turn_of(binds=binds), layout=layout) == question_of(
        kit.turn_of(binds=turned), layout=layout
    )
