"""Says a procedure's sentences in other words.

A sentence's runs that have a role (labels, values, links) stand for one character each
while it is worked on, so that nothing of them can be changed, and none is lost: what a
way of `frames` leaves out is an error of that table, which its test finds. A sentence
is cut at its connectives; the longest stretch of clauses that a frame has is said
otherwise, the rest stays. Which way is taken follows from the episode, the number of
the wording and the sentence's place: the same collection gives the same words. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from proofwalk.datasets.rewording.frames import FRAMES
from proofwalk.procedures.model import Inline, InlineRole, Procedure, Sentence, SubStep

_FIRST = 0xE000
"""Private code points stand for the runs that have a role."""
_RUN = r"[\ue000-\uf8ff]"
_WORDS = r"(?:(?! and (?:then|click|choose|select|enter|turn|set)\b)[^,;])+?"
_GAP = re.compile(r"<(?P<name>\w+?)_*(?P<kind>[+*~]?)>")
_CONNECTIVES: Mapping[str, re.Pattern[str]] = {
    "en": re.compile(r"(, and then |, and | and then | and |, then |; )"),
    "zh": re.compile(r"(，然后|，并|；|，)"),
}
_THEN: Mapping[str, tuple[str, ...]] = {
    "en": (", and then ", "; after that, ", "; then "),
    "zh": ("，然后", "；之后"),
}
_WHOLE = {
    "en": re.compile(
        r"(?:click|choose|select|enter|set|change|find|locate|open|go|log|read|check|keep|leave|wait"
        r"|turn|switch|specify|configure|copy|refresh|confirm|drag|upload|use|in|on|from|to)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(rf"(?!{_RUN}|和|与|或)"),
}
"""How a clause begins that stands by itself. Another one leans on the clause before it
("enter A in B and C in D"), which has to stay as it is then."""
_END = re.compile(r"[.:;。：；]?\s*$")


@dataclass(frozen=True, kw_only=True)
class _Frame:
    pattern: re.Pattern[str]
    ways: tuple[str, ...]


def reworded(procedure: Procedure, *, language: str, seed: str) -> Procedure:
    """The procedure in other words, where there are some; sub-steps, their numbers and
    everything else stay."""
    if language not in FRAMES:
        return procedure
    substeps = tuple(
        _substep(substep, language, f"{seed}/{substep.number}") for substep in procedure.substeps
    )
    return replace(procedure, substeps=substeps)


def reworded_sentence(sentence: Sentence, *, language: str, chance: Random) -> Sentence:
    """A sentence in other words; itself where no frame has any of it."""
    kept = [one for one in sentence.inlines if one.role is not InlineRole.TEXT]
    if len(kept) > 0xF8FF - _FIRST:
        return sentence
    text, runs = _with_runs_as_characters(sentence.inlines)
    if language == "zh":  # Writers set spaces around Latin text, or do not.
        text = re.sub(rf"\s*({_RUN})\s*", r"\1", text)
    said = _said_otherwise(text, language, chance)
    if said == text:
        return sentence
    inlines = tuple(_inlines(said, runs))
    return replace(sentence, text="".join(one.text for one in inlines), inlines=inlines)


def _substep(substep: SubStep, language: str, seed: str) -> SubStep:
    sentences = tuple(
        reworded_sentence(
            sentence,
            language=language,
            chance=Random(f"{seed}/{number}"),  # noqa: S311  # a choice of words
        )
        for number, sentence in enumerate(substep.sentences)
    )
    if sentences == substep.sentences:
        return substep
    return replace(substep, text=" ".join(one.text for one in sentences), sentences=sentences)


def _with_runs_as_characters(inlines: Sequence[Inline]) -> tuple[str, dict[str, Inline]]:
    text: list[str] = []
    runs: dict[str, Inline] = {}
    for one in inlines:
        if one.role is InlineRole.TEXT:
            text.append(one.text)
        else:
            character = chr(_FIRST + len(runs))
            runs[character] = one
            text.append(character)
    return " ".join("".join(text).split()), runs


def _inlines(text: str, runs: Mapping[str, Inline]) -> Iterator[Inline]:
    for piece in re.split(f"({_RUN})", text):
        if piece in runs:
            yield runs[piece]
        elif piece:
            yield Inline(role=InlineRole.TEXT, text=piece)


def _said_otherwise(text: str, language: str, chance: Random) -> str:
    end = _END.search(text)
    assert end is not None, "it matches nothing too"
    pieces = _CONNECTIVES[language].split(text[: end.start()])
    said: list[str] = []
    at = 0
    while at < len(pieces):
        for last in range(len(pieces), at, -2):
            way = _otherwise("".join(pieces[at:last]), language, chance)
            if way:
                said.append(_joined(way, pieces[at - 1] if at else "", language, chance))
                at = last + 1
                break
        else:
            if at and not _WHOLE[language].match(pieces[at]):
                return text
            said.append((pieces[at - 1] if at else "") + pieces[at])
            at += 2
    whole = "".join(said)
    return whole[:1].upper() + whole[1:] + end[0]


def _joined(way: str, connective: str, language: str, chance: Random) -> str:
    return (chance.choice(_THEN[language]) if connective else "") + way


def _otherwise(clause: str, language: str, chance: Random) -> str:
    """A clause in other words; empty where no frame has it."""
    for frame in _frames(language):
        found = frame.pattern.fullmatch(clause)
        if found is not None:
            return _filled(chance.choice(frame.ways), found)
    return ""


def _filled(way: str, found: re.Match[str]) -> str:
    gaps = {name.rstrip("_"): text for name, text in found.groupdict().items() if text}
    return _GAP.sub(lambda gap: gaps[gap["name"]], way)


@cache
def _frames(language: str) -> tuple[_Frame, ...]:
    return tuple(
        _Frame(pattern=re.compile(_expression(said), re.IGNORECASE), ways=ways)
        for said, ways in FRAMES[language]
    )


def _expression(said: str) -> str:
    """A frame's clause as a regular expression; groups of its own stay."""

    def gap(found: re.Match[str]) -> str:
        name = found[0][1:-1].rstrip("+*~")
        inner = {
            "": _RUN,
            "+": rf"{_RUN}(?:\s*>\s*{_RUN})*",
            "*": _WORDS,
            "~": rf"the {_WORDS}",
        }[found["kind"]]
        return f"(?P<{name}>{inner})"

    return re.sub(r"(?<!\?P)<\w+[+*~]?>", lambda one: gap(_whole(one[0])), said)


def _whole(text: str) -> re.Match[str]:
    found = _GAP.fullmatch(text)
    assert found is not None, f"{text} is no gap"
    return found
