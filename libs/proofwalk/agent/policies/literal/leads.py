"""Rewrites words before the first verb that only say where or when the reader is.

`After you complete the **Add pump** form, click **Save**` becomes `click **Save**`:
what the reader has done by then is the sub-step before. `From that pump, select
**Drain**` becomes `select **Drain**`: it is in front. Words that tell one thing from
others like it stay, for it has to be found (`paraphrases`).
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_FORM = r"(?:form|dialog(?: box)?|wizard|page|screen|section|tab|step|steps|configuration)"
_ACTS = (
    r"(?:click|select|choose|press|tap|go to|navigate to|open|enter|set|add|start|hover|expand)\b"
)
_EDGE = rf"^(?P<edge>[^\w{_L}]*)"
_SAME = rows(
    # `After you complete the **Add pump** form, click **Save**`
    (
        rf"{_EDGE}(?:after|once|when) (?:you(?: have|['’]ve)? )?"
        r"(?:complete|completed|completing|fill(?:ed|ing)? (?:in|out)|finish(?:ed|ing)?) "
        rf"(?:the |this |your )?(?:{LABEL}(?: {_FORM})?|{_FORM}),? (?={_ACTS})",
        r"\g<edge>",
    ),
    # `Go ahead and click **Drain**`, `You can now click **Drain**`
    (
        rf"{_EDGE}(?:then,? |next,? |now,? )?(?:go ahead and|proceed to|you can (?:now|then)) "
        rf"(?={_ACTS})",
        r"\g<edge>",
    ),
    # `If you are satisfied, click **Drain**`
    (
        rf"{_EDGE}(?:if|when|once) you(?: are|['’]re) (?:satisfied|happy|done|ready|finished)"
        rf"(?: (?:with|to) [^,{_L}]*)?, (?={_ACTS})",
        r"\g<edge>",
    ),
    # `Leave everything else as is and click **Drain**`
    (
        rf"{_EDGE}(?:leave|keep) (?:everything else|the rest|all (?:the )?others?)"
        r"(?: (?:settings|options|fields|values))? (?:as (?:is|it is|they are)|unchanged|alone|"
        rf"at (?:its|their|the) defaults?)(?: and(?: then)?|, (?:and )?then|,) (?={_ACTS})",
        r"\g<edge>",
    ),
    # `From that pump, select **Drain**`
    (
        rf"{_EDGE}(?:from|in|on|for) (?:that|this|the same) [a-z][a-z-]*(?: [a-z-]+)?, "
        rf"(?={_ACTS})",
        r"\g<edge>",
    ),
    # `In your project, navigate to **Settings**`
    (
        rf"{_EDGE}(?:in|from|within) your (?:[a-z-]+ ){{0,2}}[a-z-]+, "
        r"(?=(?:go|navigate) to\b|open (?:the )?" + LABEL + ")",
        r"\g<edge>",
    ),
    # `Check the values before you click **Create**`
    (
        r"\bbefore you (?P<act>click|press|select|choose)(?= (?:on )?(?:the )?" + LABEL + ")",
        r"before \g<act>ing",
    ),
    # `Before clicking **Create**, review the settings`
    (
        rf"{_EDGE}before (?:clicking|you click|pressing|you press) (?:the )?"
        rf"(?P<label>{LABEL})(?: button)?, (?:please )?"
        r"(?P<look>(?:re)?(?:review|check|verify|read|inspect|examine|double-check)\b"
        rf"[^.;:{_L}]*?)\s*(?P<end>[.!]?)\s*$",
        r"\g<edge>\g<look> before clicking \g<label>\g<end>",
    ),
    # `For this guide, select **East**`
    (
        rf"{_EDGE}(?:for|in) (?:this|the purposes? of this|our) "
        r"(?:guide|tutorial|exercise|example|demo|demonstration|walkthrough),? "
        rf"(?={_ACTS})",
        r"\g<edge>",
    ),
    # `From the navigation pane on left`, `in the left navigation`
    (
        rf"{_EDGE}(?P<in>(?:from|in|on|using|via) the [a-z -]*?"
        r"(?:pane|panel|menu|bar|sidebar)) (?:on|to|at) (?=(?:left|right)\b)",
        r"\g<edge>\g<in> on the ",
    ),
    (
        r"\b(?P<in>(?:from|in|on|using) the"
        r"(?: (?:left|right|main|top|side|left-hand|global|primary|console))?) "
        r"navigation(?=\s*(?:[,.;]|$))",
        r"\g<in> navigation menu",
    ),
    # `On the **Pumps** page, **Add pump**.`
    (
        rf"{_EDGE}(?P<place>(?:on|in) the {LABEL} (?:page|tab|screen|list|section|dialog)), "
        rf"(?={LABEL}\s*[.!]?\s*$)",
        r"\g<edge>\g<place>, click ",
    ),
)


def led(piece: str) -> str:
    """Return the sentence without such words; unchanged if no row fits."""
    return reworded(piece, _SAME)
