"""The words after a verb, derived by the explicit grammar: what they are, that every
derivation is found, and that nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.reading.english.parsing import MAX_TOKENS, Thing, derivations, derived
from proofwalk.agent.reading.english.tokens import lexicon, tokens_of


def told(thing: Thing) -> str:
    """A thing in one line: its words, then each tail with its kind."""
    words = " ".join(token.text for token in thing.words)
    tails = [f"{tail.kind.lower()}: {tail.text}" for tail in thing.tails]
    return " | ".join((f"[{thing.determiner}] {words}", *tails))


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("the red dot", ["[the] red dot"]),
        ("an operator, a mode and the value", ["[an] operator", "[a] mode", "[the] value"]),
        (
            "pump, valve, and mill to connect",
            ["[] pump", "[] valve", "[] mill | purpose: to connect"],
        ),
        (
            "the name of the pump, valve, or mill with the plan that you want to change",
            [
                "[the] name | of: the pump, valve, or mill | with: the plan"
                " | relative: that you want to change"
            ],
        ),
        (
            "the full name, nickname, or address of the guest",
            ["[the] full name", "[] nickname", "[] address | of: the guest"],
        ),
        ("the gear next to the pump", ["[the] gear | beside: the pump"]),
        (
            "the cross within it if the pump is idle",
            ["[the] cross | place: it | condition: if the pump is idle"],
        ),
        ("a file holding the readings", ["[a] file | relative: holding the readings"]),
        ("that pump", ["[that] pump"]),
        ("the check mark (✓)", ["[the] check mark | aside: (✓)"]),
    ],
)
def test_a_phrase_has_one_derivation(text: str, things: list[str]) -> None:
    found = derivations(text)
    assert [[told(thing) for thing in one.things] for one in found] == [things]


@pytest.mark.parametrize(
    "text",
    [
        "the file and drain the pool",
        "the readings; close it",
        "the dots **",
        "of the pump",
        "the",
        "",
        "the gear next to",
        "pump and",
    ],
)
def test_what_the_grammar_does_not_have_is_not_derived(text: str) -> None:
    assert derivations(text) == ()
    assert derived(text) is None


def test_a_phrase_with_two_derivations_is_told_and_not_chosen() -> None:
    text = "the gear next to the pump or the mill"
    assert len(derivations(text)) > 1
    assert derived(text) is None


def test_an_alternative_is_joined_by_or() -> None:
    found = derived("the branch name or a wildcard")
    assert found is not None
    assert found.joint == "or"


def test_a_plural_is_the_noun_it_is_a_plural_of() -> None:
    kinds = lexicon().kinds
    assert kinds["check boxes"] == kinds["check box"] == "BOX"
    assert kinds["queries"] == kinds["query"] == "FIELD"


def test_every_row_of_the_lexicon_is_found_as_one_token() -> None:
    for word, kind in lexicon().kinds.items():
        if kind in ("DETERMINER", "AND", "OR", "OF", "FOR", "TO", "WITH", "PLACE", "BESIDE"):
            continue
        tokens = tokens_of(word)
        assert tokens is not None
        assert [(token.kind, token.text) for token in tokens] == [(kind, word)]


def test_a_clause_that_is_too_long_is_not_parsed() -> None:
    assert derivations("the " + "pump " * MAX_TOKENS) == ()


@given(st.text(max_size=200))
def test_any_text_is_cut_or_refused(text: str) -> None:
    tokens = tokens_of(text)
    if tokens is not None:
        assert all(token.kind and token.text for token in tokens)


_PHRASES = st.lists(
    st.sampled_from(
        [
            "the",
            "a",
            "pump",
            "gear",
            "name",
            "of",
            "for",
            "next",
            "to",
            "in",
            "and",
            "or",
            ",",
            "that",
            "you",
            "want",
            "to",
            "drain",
            "(x)",
            "if",
            "it",
        ]
    ),
    max_size=12,
)


@given(_PHRASES)
def test_a_derivation_keeps_every_word(words: list[str]) -> None:
    text = " ".join(words)
    tokens = tokens_of(text)
    for one in derivations(text):
        kept = " ".join(told(thing) for thing in one.things).casefold()
        assert tokens is not None
        for token in tokens:
            if token.kind in ("WORD", "SYMBOL", "FIELD", "RELATIVE", "PURPOSE", "CONDITION"):
                assert token.text.casefold() in kept
