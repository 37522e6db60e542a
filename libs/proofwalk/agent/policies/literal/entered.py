"""Rewrites sentences about fields and keys into the words that the clause rules read.

As in `paraphrases`, each row is a form and what means the same: `Type in or paste the
link` becomes `enter the link`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_WORDS = r"(?:title|name|description|comment|note|message|remark)"
_SAME = rows(
    # `the pump(s) you want to drain`
    (r"(?<=[a-z])\(s\)(?!\w)", "s"),
    # `Type in or paste the link`, `fill up the **Depth**`
    (
        r"\b(?:type|enter|type in|write) (?:in )?or paste\b|\bcopy and paste\b(?= the value)",
        "enter",
    ),
    (r"\bfill up\b", "fill in"),
    # `Hit **Enter** on your keyboard`
    (r"\s+on (?:your|the) keyboard\b", ""),
    # `press Enter again`
    (
        r"\b(?P<key>(?:press|hit) (?:the )?(?:enter|return)(?: key)?) (?:again|once more)"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"\g<key>",
    ),
    # `press Enter to save it`
    (
        r"\b(?P<key>(?:press|hit) (?:the )?(?:enter|return)(?: key)?) to "
        rf"[^,;.{_L}]+(?=[.,;]|$)",
        r"\g<key>",
    ),
    # `the new miller's **Login** and their first **Password**`
    (rf"\b(?:the|your) (?:[a-z]+ ){{0,2}}[a-z]+['’]s (?={LABEL})", "the "),
    (rf"(?P<and>{LABEL} and) (?:their|its|his|her) (?:[a-z]+ )?(?={LABEL})", r"\g<and> the "),
    # `Add a note under **Log**`
    (
        rf"\badd (?P<what>(?:an?|your) {_WORDS}) (?:under|in|into|to) "
        rf"(?:the )?(?P<field>{LABEL})"
        r"(?: field| box)?",
        r"enter \g<what> in the \g<field> field",
    ),
    (
        rf"\badd (?=an? {_WORDS}(?: (?:for|to|of) the [a-z]+)?(?:\s*[.,;]|\s*$| and\b))",
        "enter ",
    ),
    # `**Cold** and not **Warm**`
    (rf"(?P<one>{LABEL}),? (?:and )?not (?:the )?{LABEL}", r"\g<one>"),
    # `enter the total, not the number to add`
    (
        rf",? (?:and )?not (?:the|an?|its|your) (?!.*\b(?:and|but|then)\b)[^,;.{_L}]+"
        r"(?=\s*(?:[.;]|$))",
        "",
    ),
    # `Select **Cold**, because the pumps run at night`
    (
        rf"(?<=[\w{_L}]),? because (?!.*\b(?:you must|please)\b)[^,;.:{_L}]+(?=\s*(?:[.;]|$))",
        "",
    ),
    # `the **Options** icon ⋮`
    (
        rf"(?P<icon>{LABEL} (?:icon|button|menu)) {LABEL}(?=\s+(?:and|then)\b|[.,;]|\s*$)",
        r"\g<icon>",
    ),
    # `Make sure that **Cold** is selected as the **Mode**`
    (
        rf"\b(?:make sure|ensure|verify|check)(?: that)? (?P<value>{LABEL}) is "
        rf"(?:selected|chosen|set) (?:as|for|in) (?:the )?(?P<field>{LABEL})",
        r"select \g<value> as the \g<field>",
    ),
    # `In this example, use `otter``
    (
        rf"^(?P<edge>\W*)(?:in|for) this example, (?:we |you )?use (?P<it>{LABEL})"
        r"(?=\s*\.?\s*$)",
        r"\g<edge>this example uses \g<it>",
    ),
    # `**Small** for the pump options`
    (
        rf"\b(?P<choose>(?:select|choose|pick) {LABEL}) for (?=(?:the|your) (?:[a-z]+ ){{1,2}}"
        r"(?:options?|type|mode|size|region|zone|method)\b)",
        r"\g<choose> as ",
    ),
    # `tap **Allow** when prompted to let it send messages`
    (
        rf"\s+when (?:you are )?(?:prompted|asked) (?:to|for) [^,;.{_L}]+(?=[.;]|$)",
        "",
    ),
    # `Use the search box to find the pump`
    (
        r"\buse the search (?:field|box|bar) to (?:find|search for|look for|locate) ",
        "search for ",
    ),
)


def entered(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
