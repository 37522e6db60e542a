"""Drops what stands behind an act and asks for nothing of the console: `Click **Save**,
and the pump is added`, `copy the key and keep it in a safe place`.

As in `paraphrases`, each row is a form and what means the same. What behind the act is
another act stays.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_PLAIN = rf"[^,;.:{_L}]"
_END = r"(?=\s*(?:[.;]|$))"
_ACT = (
    rf"(?P<act>\b(?:click|choose|select|press|tap|open|expand) (?:on )?(?:the )?{LABEL}"
    r"(?: (?:button|link|icon|tab|option|menu))?)"
)
_SAME = rows(
    # `Click **Save** and the pump is added`, `Click **Pumps**, all pumps are listed`
    (
        rf"{_ACT}(?:,? and|,) (?:the|an?|your|all|all the) (?:[a-z-]+ ){{1,4}}?(?:is|are|will be|"
        rf"gets?) (?:now |then |automatically )?[a-z]+(?:ed|wn|built|made|sent|set up)"
        rf"{_PLAIN}*{_END}",
        r"\g<act>",
    ),
    # `copy the key and keep it in a safe place`
    (
        rf"(?P<act>\b(?:copy|generate|create|download|note)\b[^;:]*?),? and (?:then )?"
        r"(?:store|save|keep|record|note|write|put) (?:it|them|this|the (?:key|value|token))"
        r"(?: down)? (?:someplace|somewhere|in an? (?:safe|secure) (?:place|location)|safely|"
        rf"securely|for (?:later|future)(?: use| reference)?|for use {_PLAIN}*){_PLAIN}*{_END}",
        r"\g<act>",
    ),
    # `Enter a **Name**, optionally provide a **Note**, and click **Save**`
    (
        r",? (?:and )?optionally,? (?:provide|enter|add|give|specify|type|write) "
        rf"(?:an? |the |its |your )?(?:[a-z]+ )?{LABEL}(?= ?,| and\b|\s*[.]?$)",
        "",
    ),
    # `from the **Pumps** list under **Plant**`
    (
        rf"(?P<list>\b(?:from|in) the {LABEL} (?:list|table|menu)) (?:under|in|on) "
        rf"(?:the )?{LABEL}{_END}",
        r"\g<list>",
    ),
    # `For **Note**, add an optional note`
    (
        rf"^(?P<edge>[^\w{_L}]*)(?P<place>(?:for|in|under) (?:the )?{LABEL}(?: [a-z]+)?,) "
        rf"(?:add|enter|provide|type) an optional (?=[a-z]{_PLAIN}*{_END})",
        r"\g<edge>Optional: \g<place> enter a ",
    ),
    # `In the **Kind** drop-down, make sure that **Local** is selected`
    (
        rf"(?P<place>(?:in|from|on|under) (?:the )?{LABEL} (?:drop-?down|list|menu|field|"
        r"selector)(?: (?:list|menu|box))?,) (?:ensure|make sure|verify|check)(?: that)? "
        rf"(?P<value>{LABEL}) is (?:selected|chosen|set){_END}",
        r"\g<place> select \g<value>",
    ),
    # `the pump that you want to view, edit, or drain`
    (
        r"\b(?P<want>you (?:want|need|wish|would like) to [a-z]+)(?:, [a-z]+)*,? or [a-z]+"
        r"(?=\s*(?:[.,;]|$))",
        r"\g<want>",
    ),
    # `, the same way you would when you add a pump`
    (
        rf"(?P<act>{LABEL}[^,;.]*),? (?:in )?the same way (?:that |as )?you (?:would|did|do)\b"
        rf"{_PLAIN}*{_END}",
        r"\g<act>",
    ),
    # `Use the edit button near the **Pump** title in the console`
    (
        r"\buse the (?P<control>[a-z]+) (?:button|icon|link) (?:near|beside|next to|by) (?:the )?"
        rf"(?P<near>{LABEL})(?: (?:title|heading|section|label|name))?"
        rf"(?: in the (?:[a-z]+ )?(?:UI|console|interface))?{_END}",
        r"click the \g<control> icon next to \g<near>",
    ),
    # `Click the edit button next to **Details**`
    (
        r"\bclick (?:on )?the (?P<control>(?!radio\b|option\b|toggle\b)[a-z]+) button "
        rf"(?=(?:next to|beside) (?:the )?{LABEL}{_END})",
        r"click the \g<control> icon ",
    ),
    # `press Enter or Tab to insert the value`
    (r"\bpress (?P<key>Enter|Return|Tab|Space) or (?:Enter|Return|Tab|Space)\b", r"press \g<key>"),
    # `Click **Pumps** under **Plant**`
    (
        rf"^(?P<edge>[^\w{_L}]*)(?P<act>(?:click|press) (?:on )?(?:the )?{LABEL}(?: [a-z]+)?) "
        rf"under (?:the )?(?P<head>{LABEL})(?: (?:section|heading|menu|group))?{_END}",
        r"\g<edge>under \g<head>, \g<act>",
    ),
    # `Provide the new pump a meaningful name`
    (
        r"\bprovide (?P<what>(?:the|your|this) (?:[a-z]+ ){1,3})"
        r"(?=an? (?:[a-z]+ )?(?:name|title|label|description|key)\b)",
        r"give \g<what>",
    ),
    # `Scroll down to the bottom of the screen and your new pump appears in the list`
    (
        r"^(?P<edge>\W*)scroll (?:down |up )?to the (?:bottom|top|end) of the [a-z]+,? and "
        r"(?=(?:the|your|a) [a-z ]+ (?:appears|is (?:shown|displayed|listed))\b)",
        r"\g<edge>",
    ),
    # `Use the **Select** label to open the list`
    (
        rf"\buse the (?P<control>{LABEL}) (?P<noun>label|button|icon|link|menu) to "
        r"(?=(?:open|display|show|view|access|see)\b)",
        r"click the \g<control> button to ",
    ),
    # `Toggle the **Strict** setting to turn the counter on`
    (
        rf"\btoggle (?:the )?(?P<switch>{LABEL})(?: (?:switch|setting|option|toggle|selector|"
        r"button))? to (?:enable|activate|show|display|enter|allow|start|"
        rf"turn (?:on {_PLAIN}+|{_PLAIN}+ on)\b)(?! or\b){_PLAIN}*{_END}",
        r"turn on \g<switch>",
    ),
)


def without_tails(piece: str) -> str:
    """Return the sentence without such words; unchanged if it has none."""
    return reworded(piece, _SAME)
