"""Rewrites sentences that tell of a field by what it is for, and of what stands beside
a control.

As in `paraphrases`, each row is a form and what means the same. `Use the **Depth**
field to limit the flow` becomes `specify the **Depth**`: what a field is for says
nothing of what goes into it, which the episode decides. A search is no field to be
filled. What undoes the act of the same sentence becomes an offer behind it, which is
told and not walked: `Click **OK**; to leave without a change, click **Cancel**`.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_LIST = (
    r"(?:drop-?down|combo|list|selection)"
    r"(?: ?(?:list ?box|list|menu|box|selector|picker|control))*"
)
_FIELD = rf"(?:fields?|(?:text |input )?box(?:es)?|options|{_LIST}|list|listbox|selector)"
_FOR = (
    r"to (?!(?:find|search|look|locate|filter|narrow|navigate|go|open|access|view|see|display|show|"
    r"enable|disable|activate|deactivate|turn|switch|toggle|return|close|sort)\b)[a-z]+\b"
)
_READ = (
    r"(?:enter|specify|add|provide|select|choose|set|define|give|store|name|identify|describe|"
    r"supply|write|type|indicate)\b"
)
"""Verbs whose object is what goes into the field (`described`)."""
_REST = rf"(?:(?!\band (?!(?:the|an?|any|its|their|all|each|other)\b))[^.{_L}])*(?=\.?\s*$)"
"""Behind *and* there may be another act."""
_FACT = (
    rf"(?:an?|the|it|this|they) (?:(?!\band (?:then|you|we|click|select)\b)[^.{_L}])*(?=\.?\s*$)"
)
_SAME = rows(
    # `Use the **Name** field to add a name; it is shown to all`
    (
        rf"(?P<fills>\buse the {LABEL} {_FIELD} to {_READ}[^.,;{_L}]+)[,;]\s*"
        rf"(?:{_FACT}|{_REST})",
        r"\g<fills>",
    ),
    # `Use the **Depth** field to limit the flow; the pump keeps to it`
    (
        rf"(?P<edge>(?:^|,|\band|\bthen)\W*)use (?:the |an? )?(?:context-sensitive )?"
        rf"(?P<field>{LABEL}) {_FIELD} (?!to {_READ}){_FOR}{_REST}",
        r"\g<edge> specify the \g<field>",
    ),
    # `Use the drop-down list next to **Mill** to apply it`
    (
        rf"(?P<edge>(?:^|,|\band|\bthen)\W*)use the {_LIST}(?: (?:next to|beside|in|of|for|"
        rf"labell?ed))? (?:the )?(?P<field>{LABEL})(?: {_FIELD})? {_FOR}{_REST}",
        r"\g<edge> specify the \g<field>",
    ),
    # `Store notes about the pump in the **Remark** field`
    (
        r"\b(?:store|enter|add|write|keep|provide|record|put) (?:any )?(?:notes?|comments?|"
        rf"remarks?)(?: (?:about|on|for|regarding) [^,;.{_L}]+)? in(?:to)? (?:the )?"
        rf"(?P<field>{LABEL}) (?=field|box)",
        r"enter a comment in the \g<field> ",
    ),
    # `Select the place of the pump from **Place** options`
    (
        rf"\b(?:select|choose|pick) (?:the|an?|your) [a-z][^,;.{_L}]*? from (?:the )?"
        rf"(?P<field>{LABEL}) options(?=\s*(?:[.;]|$))",
        r"specify the \g<field>",
    ),
    # `Specify how many pumps may run in the **Limit** field`
    (
        r"\b(?:specify|enter|indicate|define|set|provide) "
        r"(?:how (?:many|much|long|often)|whether|which|when|what) "
        rf"(?:(?!\b(?:and|then)\b)[^,;.{_L}])*? in the (?P<field>{LABEL}) (?:field|box)\b",
        r"specify the \g<field>",
    ),
    # `Move the **Strict** switch to the **Yes** position`
    (
        rf"\b(?:select|set|move|slide|flip) (?:the )?(?P<field>{LABEL}) "
        rf"(?:toggle|switch|slider) to (?:the )?(?P<to>{LABEL})(?: position)?",
        r"set \g<field> to \g<to>",
    ),
    # `Make sure the **Old** check box next to the search bar is selected`
    (
        rf"\b(?:make sure|ensure)(?: that)? (?:the )?(?P<field>{LABEL}) "
        r"(?:check ?box|toggle|switch|option) (?:next to|beside|under|above) the [a-z ]+ "
        r"(?P<is>is (?:selected|checked|ticked|on|enabled|cleared|off))\b",
        r"make sure that \g<field> \g<is>",
    ),
    # `In the **Path** box, edit the path`
    (
        rf"(?P<place>\bin the {LABEL} (?:text )?(?:box|field)), (?:edit|change|modify|update) "
        r"(?=(?:the|your) [a-z ]+\.?\s*$)",
        r"\g<place>, enter ",
    ),
    # `Select a pace for the pump: **Slow** or **Fast**`
    (
        r"\b(?:select|choose|pick|specify) an? (?P<field>[a-z]+)"
        rf"(?: (?:for|of) the [a-z]+)?: (?:{LABEL},? )+or {LABEL}(?=\s*\.?\s*$)",
        r"specify the \g<field>",
    ),
    # `change **Pace** from `slow` to `fast``
    (
        rf"\b(?:change|switch|set) (?:the )?(?P<field>{LABEL}) from {LABEL} to (?P<to>{LABEL})",
        r"set \g<field> to \g<to>",
    ),
    # `Add a note to describe the pump (or what is new), and click **Save**`
    (
        r"\badd a (?P<what>note|comment|message|description) to (?:describe|explain) "
        rf"(?:(?!\b(?:and|then)\b)[^,;.(){_L}])+(?:\([^(){_L}]*\))?",
        r"enter a \g<what> ",
    ),
    # `In the drop-down selector to the right`
    (
        r"\b(?P<list>drop-?down) (?:selector|picker|control)"
        r"(?: (?:to|on|at) the (?:right|left))?(?! of)",
        r"\g<list> list",
    ),
    (r"\bfield (?=drop-?down list\b)", ""),
    # `Click the **Add** icon (+)`: the sign that the icon shows.
    (rf"(?P<icon>{LABEL} (?:icon|button)) \([^\w(){_L}]{{1,3}}\)", r"\g<icon>"),
    # `Select **More** (**...**) > **Drain**`
    (
        rf"(?P<act>\b(?:click|select|choose|press|tap) (?:on )?)(?P<first>{LABEL}) "
        rf"\({LABEL}\) (?:>|→|»|›) (?P<then>{LABEL})",
        r"\g<act>\g<first>, and click \g<then>",
    ),
    # `Click **Update** (edit pump) or **Create** (add pump) button`
    (
        rf"(?P<one>{LABEL}) \([a-z][^(){_L}]{{2,40}}\),? or (?:the )?"
        rf"(?P<other>{LABEL}) \([a-z][^(){_L}]{{2,40}}\)",
        r"\g<one> or \g<other>",
    ),
    # `In the pump configuration, select **Slow** from the **Pace** menu`
    (
        r"^(?P<edge>\W*)(?:in|on|within) (?:the|your) (?:[a-z-]+ ){1,2}"
        rf"(?:configuration|settings|form),\s+(?=[a-z][^,;.]*{LABEL})",
        r"\g<edge>",
    ),
    # `To view drained pumps inside **Pumps overview**, click **Drained**`
    (
        rf"^(?P<edge>\W*)to (?:view|see|find|list|open) [a-z][a-z -]* (?:inside|within) "
        rf"(?:the )?(?P<place>{LABEL}),\s+(?=(?:click|select|choose|press)\b)",
        r"\g<edge>on the \g<place> page, ",
    ),
    # `A window opens, asking you to confirm the deletion`
    (
        r"^(?P<edge>\W*)an? (?:[a-z-]+ ){0,2}(?:pop-?up|dialog(?: box)?|window|modal|prompt)"
        r"(?: (?:box|window))? (?:will )?(?:opens?|appears?|pops up)(?:,| and)? "
        r"(?:asking|asks|prompting|prompts) you to "
        r"(?=confirm (?:the|your|that you)\b)",
        r"\g<edge>",
    ),
    # `At the end, review the settings`
    (r"^(?P<edge>\W*)(?:at|in) the end,\s*(?=[a-z]+ )", r"\g<edge>"),
)
_BACK = re.compile(
    rf";\s*to (?P<goal>(?:discard|undo) [^,;.{_L}]+"
    rf"|(?:exit|leave|close|quit) [^,;.{_L}]*\bwithout [^,;.{_L}]+), "
    r"(?P<act>(?:click|select|press|choose|use) [^;.]*?),?(?: and confirm [^;.]*)?(?=[.]|$)",
    re.I,
)
"""What confirms the way back is a part of it. To delete, remove or cancel something may
be what the sentence is about: that is no way back."""


def with_way_back_apart(text: str) -> str:
    """Return the text with the way back that a sentence tells as a sentence that offers
    it; unchanged without one."""
    return _BACK.sub(r". You can \g<act> to \g<goal>", text)


def told_fields(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
