"""Drops what a sentence leaves to its reader beside an act: changes *as needed*, looks,
notes taken.

As in `paraphrases`, each row is a form and what means the same: `Change the settings as
needed, and click **Save**` becomes `Click **Save**`. What is dropped has no label, so
nothing in the console is named by it. What a document wants to be filled in has no
words like *as needed*, and stays (`left_open`).
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_PLAIN = rf"[^;.:{_L}]"
_ACTS = r"(?:click|choose|select|press|tap|go to|open|continue)\b"
_ADJUST = (
    r"(?:configure|modify|adjust|change|specify|set|review|edit|update|customi[sz]e|"
    r"define)"
)
_AS_NEEDED = (
    r"(?:(?:as|if|where|when|wherever|whenever) (?:needed|required|necessary|desired|"
    r"appropriate|applicable|you (?:like|want|need|wish|prefer))|to (?:suit|meet|fit|match) your "
    r"[a-z]+(?: [a-z]+)?)"
)
_NOTE = r"(?:(?:make|take) (?:a )?note of|note(?: down)?|write down|jot down|record|copy down)"
_START = rf"[^\w{_L}]*(?:(?:on|in|under|for) (?:the )?{LABEL}(?: [a-z]+){{0,2}}, )?"
_SAME = rows(
    # `Change the settings as needed, and then click **Save**`
    (
        rf"(?P<edge>^{_START}|, ){_ADJUST} (?:and [a-z]+ )?(?:the|any|all|your|other|its) "
        rf"{_PLAIN}{{3,80}}? {_AS_NEEDED}(?:, and(?: then)?| and(?: then)?|, then|,) (?={_ACTS})",
        r"\g<edge>",
    ),
    # `Make any necessary changes, and then click **Save**`
    (
        rf"(?P<edge>^{_START}|, )(?:review and )?make (?:any|the|your|all) "
        r"(?:necessary |needed |required |desired "
        r"|other |additional |appropriate )?"
        rf"(?:changes|edits|updates|modifications|adjustments|selections)(?: [^,;.:{_L}]{{2,90}}?)?"
        rf"(?:, and(?: then)?| and(?: then)?|, then|,) (?={_ACTS})",
        r"\g<edge>",
    ),
    # `(change the other settings as needed)`
    (
        rf" \({_ADJUST} (?:the|any|all|your|other) [^(){_L}]{{3,60}}? {_AS_NEEDED}\)",
        "",
    ),
    # `Select the pump, and make a note of its ID`
    (
        rf"(?P<act>\b(?:select|choose|click|open|expand|find)\b[^;:]*?),? and (?:then )?{_NOTE} "
        rf"(?:the|its|their|this|your|which) [^;,:{_L}]*(?=\s*(?:[.;]|$))",
        r"\g<act>",
    ),
    # `Click **Details**, and review the values`
    (
        rf"(?P<act>\b(?:click|choose|select|press|open|expand) (?:on )?(?:the )?{LABEL}"
        rf"(?: [a-z]+){{0,2}}),? and (?:then )?"
        r"(?:review|view|inspect|examine|check|read|observe|"
        r"look at) "
        rf"(?:the|its|your|all|any|their) [^;,:{_L}]*(?:{LABEL} (?:field|column|value|tab|list|"
        rf"section|status))?(?=\s*(?:[.;]|$))",
        r"\g<act>",
    ),
    # `click **Add** and do the following:`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+){{0,2}}),? and (?:then )?(?:do|complete|perform|follow|take) "
        r"(?:one of |either of |any of )?(?:the following|these)(?: (?:steps|actions|tasks|"
        rf"things|options))?(?: to {_PLAIN}*)?(?=\s*[.:]?\s*$)",
        r"\g<act>",
    ),
    # `In the dialog, make the following choices:`, `fill out the following fields:`
    (
        r"\b(?:make|enter|specify|complete|fill (?:in|out)) (?:the following|these) "
        r"(?:choices|selections|entries|changes|settings|fields|values|details|information)"
        rf"(?: (?:to|for|about|on) {_PLAIN}*)?(?=\s*:\s*$)",
        "configure the following",
    ),
    # `In the dialog, do the following, and then click **Save**:`
    (
        r"\bdo the following,? and then (?=(?:click|choose|select|press)\b)",
        "configure the following, and then ",
    ),
)


def without_adjustments(piece: str) -> str:
    """Return the sentence without such words; unchanged if it has none."""
    return reworded(piece, _SAME)
