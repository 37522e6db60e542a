"""Characters and names as keys."""

from __future__ import annotations

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.desktop.keyboard import Chord, chord_named, chord_of, key_of, spans
from proofwalk.kernel.errors import ProofwalkError

_US = {  # a US keyboard's rows, plain and with Shift
    "grave_accent": "`~",
    **dict(
        zip("1234567890", ("1!", "2@", "3#", "4$", "5%", "6^", "7&", "8*", "9(", "0)"), strict=True)
    ),
    "minus": "-_",
    "equal": "=+",
    "bracket_left": "[{",
    "bracket_right": "]}",
    "backslash": "\\|",
    "semicolon": ";:",
    "apostrophe": "'\"",
    "comma": ",<",
    "dot": ".>",
    "slash": "/?",
    **{letter: letter + letter.upper() for letter in string.ascii_lowercase},
    "spc": " ",
}


def test_every_printable_character_has_the_chord_that_a_us_keyboard_has() -> None:
    wanted = {
        character: Chord((key,) if place == 0 else ("shift", key))
        for key, pair in _US.items()
        for place, character in enumerate(pair)
    }
    printable = {chr(code) for code in range(32, 127)}
    assert set(wanted) == printable
    assert {character: chord_of(character) for character in printable} == wanted


@given(st.text())
def test_a_text_falls_into_pieces_that_keys_type_and_pieces_that_they_do_not(text: str) -> None:
    pieces = spans(text)
    assert "".join(piece for piece, _ in pieces) == text
    assert all(
        (chord_of(character) is not None) == typed for piece, typed in pieces for character in piece
    )
    assert all(left[1] != right[1] for left, right in itertools.pairwise(pieces))


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("Enter", ("ret",)),
        ("Control+A", ("ctrl", "a")),
        ("ctrl+shift+T", ("ctrl", "shift", "t")),
        ("+", ("shift", "equal")),
        ("Control++", ("ctrl", "equal")),
        ("PageDown", ("pgdn",)),
        ("?", ("shift", "slash")),
        ("F5", ("f5",)),
    ],
)
def test_names_of_keys_are_read_as_agents_write_them(name: str, keys: tuple[str, ...]) -> None:
    assert chord_named(name) == Chord(keys)


@pytest.mark.parametrize("name", ["", "Nokey", "ä", "Control+ß", "Control+"])
def test_a_key_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        chord_named(name)
    assert caught.value.code == "action.unknown_key"
    assert key_of("space") == "spc"
