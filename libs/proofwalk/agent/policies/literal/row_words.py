"""Rewrites what is said of a table's rows, and of what confirms a change.

As in `paraphrases`, each row is a form and what means the same. `Select and highlight
the pump` becomes `select the row of the pump`; `Confirm any changes with **Save**`
becomes `click **Save**`. What is only there to be looked at afterwards goes.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
ROUND_BUTTON = (
    r"(?:the|its) (?:(?:round|radio|option|selection|circular) (?:button|box|circle|dot)|circle)"
)
IN_FRONT_OF = r"(?:in front|to the left|left|ahead) of|next to|beside|before|at the start of"
_NOUN = (
    r"(?:(?!(?:button|icon|link|tab|option|menu|field|box|check ?box|arrow|column|cell|header|"
    r"number|value|list|file|image)\b)[a-z]+ ){0,2}"
    r"(?!(?:button|icon|link|tab|option|menu|field|box|check ?box|arrow|column|cell|header|"
    r"number|value|list|file|image|of|in|to|and)\b)[a-z]+"
)
_ARROW = r"(?:down |drop-?down )?(?:arrow|chevron|caret|triangle)"
_NO_STOP = re.compile(r"(?<=[a-z]) (?=(?:Select|Click|Choose|Enter|Open) (?:on )?the )")
"""`to highlight the selection Select the arrow`: the full stop is missing."""
_SAME = rows(
    (r"\b(?P<and>and |then |, )lastly,? (?=[a-z]+ )", r"\g<and>"),
    # `click the pump's row to highlight it`
    (
        r"\b(?P<row>(?:table )?row) to (?:highlight|select) (?:it|the (?:selection|row))\b",
        r"\g<row>",
    ),
    # `Select and highlight the pump in the table row`
    (
        r"\b(?:select and highlight|highlight and select|highlight) "
        r"(?=(?:the|an?|your) [a-z])(?P<what>[^,;.]*?)"
        r"(?: in the (?:table )?row)?(?=\s*(?:[.,;]|$|\band\b|\bthen\b))",
        r"select the row of \g<what>",
    ),
    # `Click the round button in front of the pump`
    (
        rf"\b(?:click|select|choose|press|mark|tick|check)(?: on)? {ROUND_BUTTON} "
        rf"(?:{IN_FRONT_OF}) (?P<what>(?:the|an?|your) [a-z][a-z -]*?)"
        r"(?=\s*(?:[.,;]|$|\band\b|\bthen\b))",
        r"select the row of \g<what>",
    ),
    # `edit the pump you'd like to change`: what edits it stands in its row.
    (
        r"(?P<edge>(?:^|[,;]|\band|\bthen)\W*)(?:edit|modify) (?P<what>(?:the|an?|your) "
        r"[a-z][a-z -]*?) (?:that )?you(?:['’]d like| would like| want| wish| need) to "
        r"(?P<act>[a-z]+)(?=\s*(?:[.,;]|$))",
        r"\g<edge> find \g<what> you want to \g<act>, and click the edit icon",
    ),
    # `Activate the **I am sure** check box`
    (rf"\bactivate (?=(?:the )?{LABEL})", "tick "),
    # `confirm with **Delete pump**`, `Confirm any changes with **Save**`
    (
        r"\bconfirm (?:(?:it|them|(?:any |the |your |all )?"
        r"(?:changes?|settings?|selection|choice|"
        rf"action|operation|deletion)) )?(?:with|by) (?:the )?(?={LABEL})",
        "click ",
    ),
    # `Select the drop-down box next to **Edit**`
    (
        r"\b(?:select|click|open|use) (?:on )?the (?:drop-?down(?: (?:box|menu|button|list))?|"
        rf"{_ARROW}(?: (?:icon|button))?) (?:next to|beside|to the right of|at) "
        rf"(?P<of>(?:the )?{LABEL})(?: button)?",
        r"click the arrow next to \g<of>",
    ),
    # `Click the **Drain** button in the `otter` row`
    (
        rf"^(?P<edge>\W*)(?P<act>click|select|choose|press) (?:on )?(?:the )?(?P<what>{LABEL})"
        rf"(?: (?:button|icon|link))? in the (?P<row>{LABEL}) row\b",
        r"\g<edge>in the row of \g<row>, \g<act> \g<what>",
    ),
    # `From the pump's menu, choose **Drain**`
    (
        r"^(?P<edge>\W*)(?:from|in) the (?P<what>[a-z][a-z -]*?)['’]s "
        r"(?:actions? |more |context |overflow )?menu,\s*(?=(?:click|select|choose)\b)",
        r"\g<edge>click the three dots in the row of the \g<what> and ",
    ),
    # `From the **⋯** menu of the pump, choose **Drain**`
    (
        rf"^(?P<edge>\W*)(?:from|in) the (?:{LABEL} |row |context |actions? )?menu (?:of|for|"
        rf"at the end of|beside|next to) (?P<what>(?:the|your) [a-z][a-z -]*?|{LABEL}), "
        r"(?=(?:choose|select|click|pick)\b)",
        r"\g<edge>in the row of \g<what>, click the three dots and ",
    ),
    # `Open the menu of the pump and choose **Drain**`
    (
        r"\bopen the (?:actions? |more |context |overflow |kebab )?menu (?:of|for|beside|"
        r"next to) (?P<what>(?:the|your) [a-z][a-z -]*?),? and (?:then )?"
        r"(?=(?:click|select|choose)\b)",
        r"click the three dots in the row of \g<what> and ",
    ),
    # `Choose **Drain** from the **⋯** menu of the pump`
    (
        rf"^(?P<edge>\W*)(?:choose|select|click|pick) (?P<entry>{LABEL}) (?:from|in) the "
        rf"(?:{LABEL} |row |context |actions? )?menu (?:of|for|at the end of|in|beside|"
        rf"next to) (?:the row (?:of|for) )?"
        rf"(?P<what>(?:the|your) (?:(?!\b(?:and|you|that)\b)[a-z -])*?|{LABEL})"
        r"(?=\s*(?:[.;]|$))",
        r"\g<edge>in the row of \g<what>, click the three dots and select \g<entry>",
    ),
    # `Open the **⋯** menu in the row of `otter` and choose **Drain**`
    (
        rf"^(?P<edge>\W*)open the (?:{LABEL} |row |context |actions? |more )?menu "
        r"(?:in the row of|of|for|"
        rf"beside|next to) (?P<what>{LABEL}|(?:the|your) [a-z][a-z -]*?),? and (?:then )?"
        rf"(?=(?:choose|select|click|pick) {LABEL})",
        r"\g<edge>in the row of \g<what>, click the three dots and ",
    ),
    # `Mark the pump in the list and click **Drain**`
    (
        r"\bmark (?P<what>(?:the|your) [a-z][a-z -]*?|" + LABEL + r") in the (?:list|table)\b",
        r"select the row of \g<what>",
    ),
    # `Tick the box in front of `otter``
    (
        rf"\b(?P<act>tick|check|select|mark) the (?:check ?)?box (?:{IN_FRONT_OF}) "
        rf"(?=(?:the )?{LABEL}|(?:the|your) [a-z])",
        r"\g<act> the check box next to ",
    ),
    # `Remove `bert` from **Members**`
    (
        rf"^(?P<edge>\W*)(?:remove|delete) (?P<what>{LABEL}) from (?:{LABEL}|the list(?: of "
        rf"[a-z ]+)?|the {LABEL} (?:field|list|box))(?=\s*\.?\s*$)",
        r"\g<edge>in the row of \g<what>, click the remove icon",
    ),
    # `Remove the `cold` mark by clicking the **x** next to it`
    (
        rf"\b(?:remove|delete|clear) (?:the )?(?P<what>{LABEL})(?: [a-z]+)? by clicking "
        rf"(?:on )?(?:the |its )?(?P<sign>{LABEL})(?: (?:button|icon|sign))? "
        r"(?:next to|beside|on|in) it\b",
        r"click \g<sign> next to \g<what>",
    ),
    # `Browse to your mill`, `Select the pump from the list to open its page`
    (
        r"\b(?:go|browse|navigate) to "
        r"(?P<what>your (?!account|profile|settings|dashboard|e-?mail|inbox|"
        r"browser|computer|console|own|user)[a-z]+(?: [a-z]+)?)"
        r"(?: in the (?:[a-z]+ )?(?:portal|console))?(?=\s*(?:[.;]|$|\band\b))",
        r"open \g<what>",
    ),
    (
        r"\b(?:select|choose|click) (?P<what>(?:the|your) [a-z]+(?: [a-z]+)?)"
        r"(?: (?:from|in) the (?:list|table)|['’]s (?:name|link))? to open "
        r"(?:it|its [a-z ]+|the [a-z]+ (?:page|details))(?=\s*(?:[.;]|$))",
        r"open \g<what>",
    ),
    # `Select the pump, for example `otter`, on the **Pumps** page`
    (
        r"\bselect the [a-z]+(?: [a-z]+)?, (?:for example|such as),? "
        rf"(?P<name>{LABEL}),?(?P<place> (?:on|in|from) the {LABEL} (?:page|list))",
        r"select \g<name>\g<place>",
    ),
    # `Open the mill that the pump drives, in this case `otter`, and …`
    (
        r"\b(?P<act>open|select|click|choose|go to) the (?P<what>[a-z]+(?: [a-z]+)?)"
        rf"(?: (?:that|which|of|in|for) [^,;.{_L}]*)?, in (?:this|our) case,? "
        rf"(?P<name>{LABEL}),?",
        r"\g<act> the \g<what> \g<name>",
    ),
    # `Click any pump to see its depth`, `Click the first pump in the list`
    (
        r"\b(?:click|tap)(?: on)? (?P<what>(?:any|one of the|the (?:first|last|"
        rf"latest|newest|most recent|top)) {_NOUN})(?: in the (?:list|table))?"
        r"(?: to (?:see|view|open|show|display|read|expand) [^,;.:]*?)?(?=\s*(?:[.;]|$))",
        r"open \g<what>",
    ),
    (
        rf"\b(?:click|tap)(?: on)? (?P<what>an? {_NOUN})(?: in the (?:list|table))?"
        r" to (?:see|view|open|show|display|read|expand) [^,;.:]*?(?=\s*(?:[.;]|$))",
        r"open \g<what>",
    ),
    (
        r"\bselect (?P<what>(?:an?|any|one of the|the (?:first|last|latest|newest|most recent|"
        rf"top)) {_NOUN})(?: in the (?:list|table))?"
        r" to (?:see|view|open|show|display|read|expand|go to|be taken to) (?:its|the"
        r"|their|all|more)\b"
        rf"[^,;.:{_L}]*(?=\s*(?:[.;]|$))",
        r"open \g<what>",
    ),
    (r"\bopen any(?: one)? (?=[a-z])", "open a "),
    (r"\bopen (?P<which>an?|the [a-z ]+) row(?=\s*(?:[.;]|$))", r"open \g<which> entry"),
    # `Open the details page of the pump `otter``
    (
        r"\b(?P<go>open|go to|view) the details?(?: page| view| panel)? "
        rf"(?:of|for) (?=(?:the|your) [a-z -]*{LABEL})",
        r"open ",
    ),
    # `in the top left of the table heading`
    (
        r"\b(?P<where>(?:top|bottom|left|right|upper|lower)) of (?:the|this) "
        r"(?:table )?(?:heading|header)\b",
        r"\g<where>",
    ),
    # `the tank with the `cold` mark set from which the pump drinks`
    (
        rf"\b(?P<what>(?:select|choose) (?:the|an?) [a-z]+) with (?:the |an? )?{LABEL} [a-z]+ "
        rf"(?:assigned|enabled|set)(?: (?:from|in|on|to) which [^.;,{_L}]*)?",
        r"\g<what>",
    ),
    # `click **Limits** and enter them`
    (
        r"\band (?:enter|specify|set) (?:them|(?:the |some |your )?values)(?=\s*(?:[.,;]|$))",
        "and fill in the form as prepared",
    ),
    # `click **Add** and do the following on the **Add pump** screen:`
    (
        r",?\s+and (?:then )?(?:do|follow|perform|complete) (?:the following|these|the) ?"
        rf"(?:steps|instructions)?(?: (?:on|in) the {LABEL} [a-z]+)?\s*:\s*$",
        "",
    ),
    # `Select `deep` as pump type`
    (
        rf"\b(?:select|choose|pick) (?P<value>{LABEL}) as "
        r"(?!(?:the|an?|your|its|shown|described|needed|required)\b)"
        r"(?P<field>[a-z][a-z-]*(?: [a-z-]+)?)"
        r"(?=\s*(?:[.,;]|$))",
        r"set the \g<field> to \g<value>",
    ),
)
_PASSED = rows(
    # `… to view details on each of the pumps: north, south, and west.`
    (
        rf"(?<=[\w{_L}])(?P<passed> to (?:view|see|display) (?!(?:the|an?) {LABEL})[^.;{_L}]*)"
        rf"(?: in the {LABEL} (?:table|tab|section|pane|panel|window|page)"
        r"(?: below| above)?)?\.?\s*$",
        "",
    ),
    # `To tune it, click **Limits** and enter values for the depth or the speed`
    (
        rf"^(?P<wish>\W*to [^,{_L}]*, (?:click|open|select) {LABEL}) and (?:enter|specify) "
        rf"values for (?P<passed>[^.;{_L}]*)\.?\s*$",
        r"\g<wish> and fill in the form as prepared",
    ),
    # `Click **Edit** to change the depth and the owner of the pump.`
    (
        rf"(?<={LABEL})(?P<place> (?:in|on|at) the [a-z -]+?)? "
        r"to (?:edit|change|modify|update|adjust) "
        rf"(?P<passed>(?:the|an?|its|their) (?!(?:[a-z-]+ )?{LABEL})[^.;:{_L}]*)\.?\s*$",
        r"\g<place>, and fill in the form as prepared",
    ),
)
"""Forms that drop words, which only go where nothing in them is another act."""
_ANOTHER = re.compile(
    r"(?:[,;:]|\b(?:and|then|or|before|after|by|but))\s+(?:(?:then|also|finally|next|please)\s+)*"
    r"(?:accept|activate|add|agree|apply|approve|archive|assign|begin|cancel|change|check|choose|clear|"
    r"click|close|commit|complete|configure|confirm|continue|copy|create|delete|deselect|disable|"
    r"discard|drag|edit|enable|ensure|enter|exit|expand|export|fill|finish|go|hit|import|input|install|"
    r"invite|keep|launch|leave|log|make|mark|modify|move|navigate|open|paste|pick|press|proceed|publish|"
    r"push|record|refresh|reload|remove|rename|repeat|replace|reset|restart|restore|resume|return|revert|"
    r"run|save|scroll|search|select|send|set|share|sign|skip|start|stop|submit|switch|tap|tick|toggle|"
    r"turn|type|uncheck|untick|update|upload|use|validate|verify|wait|write)(?:ing)?\b",
    re.I,
)
_AND_DO = re.compile(
    r"\b(?:and|then) (?!(?:for|in|on|of|at|to|with|from|by|about|as|also|all|any|both|if|when|"
    r"where|which|that|is|are|under|within|per)\b)[a-z]+ (?:the|your|it|them|this|that)\b",
    re.I,
)
"""`and drain the new pump`: a word before an article that may be a verb."""
_VAGUE = re.compile(
    r"^(?P<edge>\W*)(?P<verb>specify|modify|edit|change|fill in|fill out|enter|provide) "
    r"(?P<what>(?:(?:the|or) )*(?:their|its|your|any|some|basic|other|further|additional|optional|"
    r"more|required|necessary|new|all|all the) (?:[a-z-]+ ){0,4}?"
    r"(?:options|settings|information|details|credentials|data|properties|parameters)\b)"
    rf"(?P<passed>[^.;{_L}]*?)"
    r"(?P<then>,? (?:and |then |and then )(?:click|confirm|press|select) .*)?\.?\s*$",
    re.I,
)
"""`Fill in their credentials, details about the key, then click **Save**`."""
_OFFERED = re.compile(
    r"^(?P<edge>\W*)you can (?:also )?(?:change|update|edit|modify|adjust|set|enable|increase) "
    rf"[^.;{_L}]*\.?\s*$",
    re.I,
)
"""`You can change the name of the pump, or its depth.`"""
_BESIDES = re.compile(r"\b(?:additional|optional|other|further|more)\b", re.I)


def of_rows(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    piece = _NO_STOP.sub(", then ", piece)
    offered = _OFFERED.match(piece)
    if offered is not None:
        return f"{offered['edge']}Optionally, fill in the form"
    piece = reworded(piece, _SAME)
    for form, words in _PASSED:
        found = form.search(piece)
        if found is not None and not _asks(found["passed"]):
            piece = f"{piece[: found.start()]}{found.expand(words)}{piece[found.end() :]}"
    vague = _VAGUE.match(piece)
    if vague is None or _asks(vague["passed"]):
        return piece
    if vague["then"] is None and _BESIDES.search(vague["what"]):
        return f"{vague['edge']}Optionally, fill in the form"
    return f"{vague['edge']}fill in the form{vague['then'] or ''}"


def _asks(words: str) -> bool:
    """True if words that would be passed over may ask for another act."""
    return _ANOTHER.search(words) is not None or _AND_DO.search(words) is not None
