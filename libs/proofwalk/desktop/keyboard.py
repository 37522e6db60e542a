"""Characters as keys: what a hand on a US keyboard does for each printable character.

A machine's keyboard has keys, no characters; which character a key means is the guest's
layout, which our image fixes (`us`, without dead keys and compose). So every printable
ASCII character has exactly one chord here, and arrives as itself whatever the guest's
shift state was: the chord is sent whole, with Shift only where it belongs. Characters
beyond have no key and go through the clipboard (`session.DesktopSession`).

Names of keys are QEMU's (`qcode`), and `key_of` reads those that agents write (`Enter`,
`Control+A`, `ctrl`, `PageDown`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proofwalk.kernel.errors import ProofwalkError, invalid

SHIFT = "shift"

_PLAIN: Mapping[str, str] = {
    " ": "spc",
    "\n": "ret",
    "\t": "tab",
    "-": "minus",
    "=": "equal",
    "[": "bracket_left",
    "]": "bracket_right",
    "\\": "backslash",
    ";": "semicolon",
    "'": "apostrophe",
    "`": "grave_accent",
    ",": "comma",
    ".": "dot",
    "/": "slash",
}
_SHIFTED: Mapping[str, str] = {
    "_": "minus",
    "+": "equal",
    "{": "bracket_left",
    "}": "bracket_right",
    "|": "backslash",
    ":": "semicolon",
    '"': "apostrophe",
    "~": "grave_accent",
    "<": "comma",
    ">": "dot",
    "?": "slash",
    **dict(zip(")!@#$%^&*(", "0123456789", strict=True)),
}
_NAMED: Mapping[str, str] = {
    "enter": "ret",
    "return": "ret",
    "escape": "esc",
    "esc": "esc",
    "tab": "tab",
    "space": "spc",
    "backspace": "backspace",
    "delete": "delete",
    "del": "delete",
    "insert": "insert",
    "home": "home",
    "end": "end",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "page_up": "pgup",
    "page_down": "pgdn",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "control": "ctrl",
    "ctrl": "ctrl",
    "alt": "alt",
    "option": "alt",
    "shift": SHIFT,
    "meta": "meta_l",
    "super": "meta_l",
    "win": "meta_l",
    "command": "meta_l",
    "cmd": "meta_l",
    "capslock": "caps_lock",
    "printscreen": "print",
    "menu": "menu",
    **{f"f{number}": f"f{number}" for number in range(1, 13)},
}


@dataclass(frozen=True)
class Chord:
    """Keys that are pressed in this order, and let go in the opposite one."""

    keys: tuple[str, ...]


def chord_of(character: str) -> Chord | None:
    """The chord of one character; None when no key has it."""
    if character in _PLAIN:
        return Chord((_PLAIN[character],))
    if character in _SHIFTED:
        return Chord((SHIFT, _SHIFTED[character]))
    if character.isascii() and character.isalnum():
        key = character.lower()
        return Chord((SHIFT, key)) if character.isupper() else Chord((key,))
    return None


def spans(text: str) -> Sequence[tuple[str, bool]]:
    """The text in pieces, each with whether keys can type it."""
    pieces: list[tuple[str, bool]] = []
    for character in text:
        typed = chord_of(character) is not None
        if pieces and pieces[-1][1] == typed:
            pieces[-1] = (pieces[-1][0] + character, typed)
        else:
            pieces.append((character, typed))
    return pieces


def key_of(name: str) -> str:
    """The key that an agent calls by this name. Raises `action.unknown_key`."""
    if (chord := chord_of(name)) is not None and len(name) == 1:
        return chord.keys[-1]
    found = _NAMED.get(name.strip().lower().replace(" ", ""))
    if found is None:
        raise _unknown(name)
    return found


def chord_named(text: str) -> Chord:
    """`Control+Shift+T`, `ctrl+a`, `Enter`, `+`. Raises `action.unknown_key`."""
    if len(text) == 1:
        found = chord_of(text)
        if found is None:
            raise _unknown(text)
        return found
    parts = text.split("+")
    if text.endswith("++"):
        parts = [*parts[:-2], "+"]
    return Chord(tuple(key_of(part) for part in parts))


def _unknown(name: str) -> ProofwalkError:
    return invalid(
        "action.unknown_key",
        f"there is no key {name!r:.60}",
        hint="name a key, or keys joined with +: Enter, Control+A, F5",
    )
