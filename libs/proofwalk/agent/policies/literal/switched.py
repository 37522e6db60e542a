"""Rewrites what is done to a switch into the words that the rules read.

`Move the **Pumping** switch to the **Yes** position`, `Flip **Pumping** on` and
`**Pumping** must be off` become `turn on **Pumping**` or `turn off **Pumping**`. The
way has to be told: `Toggle **Pumping**` may be either.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.marks import LABEL, Folded

_WAYS = {
    "on": "on",
    "yes": "on",
    "right": "on",
    "true": "on",
    "enabled": "on",
    "checked": "on",
    "ticked": "on",
    "off": "off",
    "no": "off",
    "left": "off",
    "false": "off",
    "disabled": "off",
    "unchecked": "off",
    "cleared": "off",
}
_WAY = rf"(?P<way>{LABEL}|{'|'.join(_WAYS)})(?!\w)"
_SWITCH = r"(?: (?:toggle|switch|slider|check ?box|box|option|flag))?"
_NEXT_TO = r"(?:switch|toggle|slider) (?:next to|beside|for|labell?ed) "
_PLAIN = r"on|off"
_FLIPPED = (
    # `Flip **Pumping** on`, `toggle **Pumping** to **ON**`
    re.compile(
        rf"\b(?:toggle|flip|slide|flick|move) (?:the )?(?:{_NEXT_TO})?(?P<switch>{LABEL}){_SWITCH}"
        rf" (?:(?:to|towards) (?:the )?{_WAY}(?: position)?"
        rf"|(?P<plain>{_PLAIN}|{LABEL})"
        r"(?=\s*(?:[.,;]|$|and\b|then\b|if you (?:want|need|wish|would)\b)))",
        re.I,
    ),
    # `For **Pumping**, move the toggle to **On**`
    re.compile(
        rf"\b(?:for|under|next to|beside) (?:the )?(?P<switch>{LABEL})"
        r"(?: (?:section|option|setting))?, (?:move|set|slide|switch|turn|flip|drag) the "
        rf"(?:toggle|switch|slider) (?:to )?(?:the )?(?P<plain>{_PLAIN}|{LABEL})"
        r"(?: position)?(?=\s*(?:[.,;]|$|and\b|then\b))",
        re.I,
    ),
    # `Set the **Pumping** switch to on`
    re.compile(
        rf"\b(?:set|turn|switch) (?:the )?(?P<switch>{LABEL}) (?:toggle|switch|slider) to (?:the )?"
        rf"(?P<plain>{_PLAIN}|{LABEL})(?: position)?(?=\s*(?:[.,;]|$|and\b))",
        re.I,
    ),
)
_OBLIGED = (
    # `**Pumping** must be off`, `the **Pumping** switch has to be turned off first`
    re.compile(
        rf"^(?P<edge>\W*)(?:the )?(?P<switch>{LABEL}){_SWITCH} (?:must|should|has to|needs to) be"
        rf" (?:(?:turned|switched|set to) )?{_WAY}"
        r"(?: first| before (?:anything else|you (?:start|begin|continue)))?(?=\s*\.?\s*$)",
        re.I,
    ),
)
_SET = re.compile(
    rf"^(?P<edge>\W*)(?:the )?(?P<field>{LABEL}|(?<=the )[a-z]+(?: [a-z]+)?)"
    r"(?: (?:field|option|value|setting))?"
    rf" (?:must|should|has to|needs to) be (?:set to )?(?P<value>{LABEL})(?=\s*\.?\s*$)",
    re.I,
)
"""`**Depth** should be set to `3`.`, `The **Depth** must be `3`.`"""


def turned(piece: str, folded: Folded, *, opens: bool) -> str:
    """Return the sentence with `turn on` or `turn off`; unchanged if it has no such
    words. Behind another sentence, what must be may be what was needed for it, so only
    one that opens its item is an act."""

    def plainly(found: re.Match[str]) -> str:
        told = found.groupdict()
        said = told.get("plain") or told.get("way") or ""
        way = _WAYS.get(folded.plain(said).casefold())
        if way is None:
            return found.group()
        return f"{told.get('edge') or ''}turn {way} {found['switch']}"

    for form in (*_FLIPPED, *(_OBLIGED if opens else ())):
        piece = form.sub(plainly, piece, count=1)
    if not opens:
        return piece
    return _SET.sub(r"\g<edge>set \g<field> to \g<value>", piece)
