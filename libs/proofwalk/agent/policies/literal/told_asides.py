"""Drops what a sentence adds about an act that it names: what can be read there, what
comes up, what else somebody may choose.

As in `paraphrases`, each row is a form and what means the same. Nothing that could be
an act goes: an aside ends where a comma, a label or *and* begins.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_WORDS = rf"(?:(?!\b(?:and|then|or)\b)[^,;.:(){_L}])"
_SAME = rows(
    # `Fill in the form, as shown in the following image`
    (
        r",?\s+(?:as|similar to what is) (?:shown|illustrated|seen|pictured) "
        rf"(?:in|on|below|above|by)\b[^.;:,{_L}]*(?=\s*\.?\s*$)",
        "",
    ),
    # `Tick **Slow** and select a pace, using the table below as a guide`
    (
        r"(?P<act>\b(?:select|choose|tick|check|click|toggle) "
        rf"[^.;:]{{0,120}}?{LABEL}[^.;:]{{0,120}}?),?\s+"
        rf"using (?:the )?[^,;.:{_L}]*?\bas an? (?:guide|reference|guideline|example)"
        r"(?=\s*(?:[.,;:]|$|and\b))",
        r"\g<act>",
    ),
    # `Enter the name and depth (both mandatory)`, `a name (you can enter several)`
    (
        r"\s+\((?:(?:both |all )?(?:mandatory|required|case[- ]sensitive)|(?:you can|you may|"
        rf"depending on|these|which) [^(){_L}]{{1,90}})\)",
        "",
    ),
    # `Enter a strong password (and confirm it)`
    (
        r"\bpassword \(and (?:then )?(?:confirm|repeat|re-?enter|retype) it\)",
        "password, and re-enter the password",
    ),
    # `When the message appears, if you're sure, click **Drain**`
    (
        r"(?<=,) if you(?: are|['’]re) (?:sure|certain|happy(?: with (?:it|this|that))?|ready),"
        r"(?= (?:click|select|choose|press)\b)",
        "",
    ),
    # `Review the details of the **Otter** pump, and click **Create**`
    (
        rf"^(?P<edge>[^\w{_L}]*)(?:review|examine|look over) (?:the|your|all) [^,;:.]*?"
        rf"(?:,? and(?: then)?|,? then) (?=(?:click|choose|select|press) {LABEL})",
        r"\g<edge>",
    ),
    # `(hover over the icon for more information)`
    (
        r"\s*\((?:hover|point|see|refer|read|for more)\b[^()]{0,80}?"
        r"\b(?:information|details|help|documentation|description)\)",
        "",
    ),
    # `Use the **Stop** icon (in the first column) to stop it`
    (
        rf"(?<={LABEL})(?P<noun> [a-z]+)? \((?:located|found|shown|displayed|in|on|at|near) "
        rf"[^(){_L}]{{3,60}}\)",
        r"\g<noun>",
    ),
    # `hover over the card to access the menu **⋮** for it and select **Copy**`
    (
        r",?\s+to (?:access|open|display|reveal|show|see) (?:the|its|an?) (?:[a-z]+ )?menu "
        rf"(?P<menu>{LABEL})(?: (?:for|of|on) (?:it|(?:the|this) [a-z]+))?(?=,? and\b)",
        r", click \g<menu>",
    ),
    # `select the box beside the pump's name, not the name itself`
    (r", not the [a-z]+(?: or (?:the )?[a-z]+)?(?: itself)?(?=\.?\s*$)", ""),
    # `Go to the pump by selecting it in the list, or searching for it`
    (r",? or (?:by )?searching for it(?=\.?\s*$)", ""),
    # `…, and remember to give the user the password`
    (
        r",? and (?:remember|be sure|make sure|don['’]t forget) to (?:provide|tell|give|inform|"
        rf"share|write down|note)\b{_WORDS}*(?=\.?\s*$)",
        "",
    ),
    # `Click **Pumps** > **Add**, or right-click the mill and select **Add**`
    (
        rf"(?P<act>{LABEL}(?: from the [a-z ]*menu)?), or right-click (?:on )?{_WORDS}+ and "
        rf"(?:select|choose|click) {LABEL}(?: (?:from|in) the [a-z ]*menu)?(?=\.?\s*$)",
        r"\g<act>",
    ),
    # `Hover over the icon until a menu appears, and click **Users**`
    (
        r"(?P<hover>\b(?:hover|point|move|mouse)\b[^,;.]*?) until (?:an?|the) [a-z -]+ "
        r"(?:appears|opens|is shown|shows up)(?=\s*(?:[.,;]|$|and\b))",
        r"\g<hover>",
    ),
    # `Hover over the **Kind** for a description of the pump`
    (
        rf"(?P<hover>\b(?:hover|point)\b[^,;.]*?{LABEL}(?: [a-z]+)?) "
        rf"(?:for|to (?:see|read|view|get)) (?:an?|the|more) (?:description|explanation|help|"
        rf"hint|information|details?|tooltip)\b[^,;.:{_L}]*",
        r"\g<hover>",
    ),
    # `check the box for **Drain** along with any other roles of the user`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+)?),? (?:along|together) with any other {_WORDS}+",
        r"\g<act>",
    ),
    # `a **Title** for the pump on the page of the mill`
    (
        rf"(?P<act>\b(?:enter|specify|provide|type|set) (?:an?|the|your(?: desired)?) {LABEL}"
        rf"(?: and (?:an? |the )?{LABEL})?) for (?:the|your|this) {_WORDS}+(?=\.?\s*$)",
        r"\g<act>",
    ),
    # `In the toolbar that appears above the list, click **Drain**`
    (
        r"(?P<bar>\b(?:toolbar|bar|menu|panel|banner|button) )(?:that|which) "
        r"(?:(?:now )?(?:appears|opens|is shown|is displayed)|comes up) "
        r"(?:above|below|under|over|at|on|in|next to|beside) the [a-z -]+?(?=\s*(?:[,.;]|$))",
        r"\g<bar>",
    ),
    # `Click :::more_vert **More**`: the sign that is drawn
    (rf"(?::::[a-z_]+|:[a-z]+(?:-[a-z0-9]+)+:)\s*(?={LABEL})", ""),
    # `Select **...** (ellipsis)`
    (
        rf"(?P<sign>{LABEL}) \((?:the )?(?:ellipsis|three dots|more options|context menu|"
        r"more actions)\)",
        r"\g<sign>",
    ),
    # `Select **Next** to get to **Disks**, and …`
    (
        rf"(?P<act>\b(?:select|click|choose|press) {LABEL}(?: button)?) to "
        r"(?:get|go|move|move on|continue|proceed|advance) to "
        rf"(?:the )?{LABEL}(?: (?:tab|step|page|section))?",
        r"\g<act>",
    ),
    # `Copy the key and store it somewhere safe`
    (
        r"(?P<copy>\bcopy) (?:and paste )?(?P<what>[^,;.]*?),? (?:and|then) (?:then )?"
        r"(?:store|save|keep|note|write|record) (?:it|them|this|these)(?: down)?"
        rf"(?: (?:in|to|at|for|somewhere|so that|as|because)\b{_WORDS}*)?(?=\s*(?:[.;]|$))",
        r"\g<copy> \g<what>",
    ),
    # `Copy it to a safe place`, `Copy the key at once - it is shown once`
    (
        r"(?P<copy>\bcopy) (?:and paste )?(?P<what>[^,;.]*?) (?:(?:to|into|in) (?:an?|your) "
        rf"(?:secure|safe|temporary|local|other|text|clipboard)\b{_WORDS}*|"
        rf"(?:immediately|now|at once|right away)\b{_WORDS}*)(?=\s*(?:[.]|$))",
        r"\g<copy> \g<what>",
    ),
)


def without_asides(piece: str) -> str:
    """Return the sentence without its asides; unchanged if it has none."""
    return reworded(piece, _SAME)
