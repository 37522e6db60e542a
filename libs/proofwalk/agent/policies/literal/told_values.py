"""Rewrites sentences that tell which value a field gets.

As in `paraphrases`, each row is a form and what means the same: `Increase **Depth** to
3` becomes `set **Depth** to 3`, and `For the depth, enter `3`` becomes `enter `3` as
the depth`.
"""

from __future__ import annotations

import re
from functools import partial

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.policies.literal.row_words import IN_FRONT_OF, ROUND_BUTTON
from proofwalk.agent.policies.literal.told_roles import told_roles
from proofwalk.agent.policies.literal.told_texts import told_texts
from proofwalk.agent.reading.marks import LABEL, Folded
from proofwalk.procedures.model import InlineRole

_L = LABEL[1:-1]
_EDGE = rf"^(?P<edge>[^\w{_L}]*)"
_CHOOSE = r"(?:select|choose|pick)"
_ENTER = r"(?:enter|type|specify|provide|input)"
_BOX = r"(?: (?:field|box|text ?box|input(?: field)?))?"
_OF_TEXT = (
    r"(?:title|name|description|comment|note|message|remark|value|label|tag|email address|url)"
)
_END = r"(?=\s*(?:[.,;]|$|\band\b|\bthen\b))"
_ONE_ACT = rf"(?:(?!\b(?:and|then)\b)[^,;.{_L}])"
_WHAT = r"(?:what|why|how|when|who|whom|where|which [a-z]+)"
_SAME = rows(
    # `Keep the proposed name, or enter another one`
    (
        r"\b(?:keep|leave|accept|use) "
        r"(?P<keep>the (?:proposed|suggested|default|generated|given) [a-z]+)"
        rf"(?: of {LABEL})?,? or "
        r"(?:enter|type|choose|select|specify) (?:another|a different|an own|your own)"
        rf"(?: one| [a-z]+)?{_END}",
        r"keep \g<keep>",
    ),
    # `Choose a mill, or create a new one`
    (
        r"(?P<chosen>\b(?:select|choose|pick|specify) [^,;.]*?),? or "
        rf"(?:create|add|make|define) (?:an? )?(?:new one|one|another(?: one)?){_END}",
        r"\g<chosen>",
    ),
    # `Select a **Zone** for the pump, for example **East**`
    (
        rf"(?P<act>\b(?:{_CHOOSE}|{_ENTER}) (?:an?|the) {LABEL}) (?:for|of) "
        rf"(?:the|your|this) [a-z]+(?: [a-z]+)?(?=, (?:for example|such as|like)\b)",
        r"\g<act>",
    ),
    # `Select **A** as the mark, **B** as the sign, and **C** as the value`
    (
        rf"\b(?P<act>{_CHOOSE}) (?P<one>{LABEL} as (?:the|its) [a-z ]+), (?P<two>{LABEL} as "
        rf"(?:the|its) [a-z ]+),? and (?P<three>{LABEL} as (?:the|its) [a-z ]+){_END}",
        r"\g<act> \g<one>, \g<act> \g<two>, and \g<act> \g<three>",
    ),
    (
        rf"\b(?P<act>{_CHOOSE}) (?P<one>{LABEL} as (?:the|its) [a-z ]+),? and "
        rf"(?P<two>{LABEL} as (?:the|its) [a-z ]+){_END}",
        r"\g<act> \g<one>, and \g<act> \g<two>",
    ),
    # `Select the copy button next to **Key**`
    (
        rf"\b(?:{_CHOOSE}|click|press|use) the copy (?:button|icon) "
        rf"(?:next to|beside|for|of|to copy) (?:the )?(?P<field>{LABEL}){_END}",
        r"copy the \g<field> value",
    ),
    # `Set visibility to **Open**`, `Change its pace from **Slow** to **Fast**`
    (
        r"(?P<edge>(?:^|[,;:]|\band|\bthen)\W*)(?:set|change|switch|update) "
        r"(?:(?:its|their|the) )?(?P<field>(?!it\b|them\b|this\b)"
        rf"[a-z]+(?: [a-z]+)?) (?:from {LABEL} )?to (?=(?:the )?{LABEL}{_END})",
        r"\g<edge> set the \g<field> to ",
    ),
    # `Set `anna` as the owner`, `Make `anna` the owner of the pump`
    (
        rf"\b(?:set|make|choose|define) (?P<value>{LABEL}) (?:as )?the (?P<field>[a-z]+)"
        rf"(?: (?:of|for) (?:the|this|your) [a-z -]+?)?{_END}",
        r"select \g<value> as the \g<field>",
    ),
    # `Set a limit of `20` pumps`
    (
        rf"\b(?:set|specify|configure|define|assign) an? (?P<field>[a-z]+(?: [a-z]+)?) of "
        rf"(?P<value>{LABEL}|\d+)(?: [a-z]+)?{_END}",
        r"set the \g<field> to \g<value>",
    ),
    # `Choose a date in **Ends**`, `In the **Ends** calendar, pick a day`
    (
        r"\b(?:choose|pick|select|set) an? (?:[a-z]+ )?(?:date|day|time|month|colou?r)"
        rf"(?: and (?:an? )?time)?(?: in the future)? (?:in|under|from) (?:the )?"
        rf"(?P<field>{LABEL})(?: (?:field|box|calendar|picker|date picker))?{_END}",
        r"specify the \g<field>",
    ),
    (
        rf"{_EDGE}(?:in|on|from) the (?P<field>{LABEL}) (?:calendar|(?:date |time )?picker), "
        rf"(?:choose|pick|select|set) (?:an?|the|your) [^,;.{_L}]*{_END}",
        r"\g<edge>specify the \g<field>",
    ),
    # `Assign an owner in the **Owner** drop-down`
    (
        r"\bassign an? [a-z]+(?: [a-z]+)? (?:in|under|from|by (?:choosing|selecting|picking) "
        rf"(?:an?|the) [a-z]+ (?:from|in|under)) (?:the )?(?P<field>{LABEL})"
        rf"(?: (?:field|drop-?down|list|menu|box))*{_END}",
        r"specify the \g<field>",
    ),
    # `enter or select a depth`
    (r"\b(?:enter or (?:select|choose)|(?:select|choose) or enter) (?=[a-z])", "enter "),
    # `Use `drain` as the **Command**`
    (
        rf"\b(?:use|put|take|add|specify) (?P<value>{LABEL}) (?:as|for) (?:the )?"
        rf"(?P<field>{LABEL}){_BOX}{_END}",
        r"set \g<field> to \g<value>",
    ),
    # `Change **Kept** from 7 days to 30 days`
    (
        rf"\b(?:change|switch|set) (?:the )?(?P<field>{LABEL}){_BOX} from \d[\w ]*? to "
        rf"(?=\d|{LABEL})",
        r"set \g<field> to ",
    ),
    # `Select who may see it: **Everyone** or **Only me**`
    (
        rf"\b(?:select|choose|specify|decide|pick|define) (?:{_WHAT}|whether) [^:;.{_L}]*: "
        rf"(?P<ways>(?:{LABEL},? )+or {LABEL}){_END}",
        r"select \g<ways>",
    ),
    # `Set the window to Sunday: choose **Sunday** for **Day**`
    (
        rf"{_EDGE}(?:set|change|configure) the [a-z ]+ to [^;{_L}]{{1,60}}?: "
        rf"(?=(?:choose|select|enter|set) {LABEL})",
        r"\g<edge>",
    ),
    # `Enter when it begins in **From** and when it ends in **To**`
    (
        rf"\b{_ENTER} {_WHAT} {_ONE_ACT}*? in (?P<one>{LABEL}),? and {_WHAT} {_ONE_ACT}*? in "
        rf"(?P<other>{LABEL}){_END}",
        r"enter a value in \g<one>, and enter a value in \g<other>",
    ),
    # `say why it leaks in **Comment**`, `describe what happened under **Summary**`
    (
        rf"\b(?:say|describe|explain|state|tell|write(?: down)?|{_ENTER}) "
        rf"{_WHAT} {_ONE_ACT}*? (?:in|under) (?:the )?(?P<field>{LABEL}){_BOX}{_END}",
        r"enter a value in \g<field>",
    ),
    (
        rf"\bdescribe (?:the|your|this) {_ONE_ACT}*? (?:in|under) (?:the )?"
        rf"(?P<field>{LABEL}){_BOX}{_END}",
        r"enter a value in \g<field>",
    ),
    # `In the **Comment** box, say why it leaks`
    (
        rf"(?P<field>^\W*(?:in|under|for) (?:the )?{LABEL}{_BOX}, )"
        rf"(?:say|describe|explain|state|tell|write) (?:{_WHAT}|the|your) {_ONE_ACT}*{_END}",
        r"\g<field>enter a value",
    ),
    # `Write a message to the owner`
    (
        rf"\bwrite (?P<what>(?:an?|the|your) (?:short |brief )?"
        r"(?:message|note|comment|reason|explanation|description|remark|summary))"
        rf"(?: (?:to|for|about|of) (?:the|your|this) [^,;.{_L}]*?)?{_END}",
        r"enter \g<what>",
    ),
    # `raise the depth to 60 metres`
    (
        r"\b(?:raise|lower|increase|decrease|reduce|shorten|extend|bump|change) (?P<what>the "
        rf"[a-z][a-z ]*?)(?: from {LABEL}| from \d+)? (?:up |down )?to (?=(?:{LABEL}|\d))",
        r"set \g<what> to ",
    ),
    # `answer the question with **Yes**`
    (
        r"\b(?:answer|reply to|respond to) the (?:question|prompt|confirmation|message) "
        rf"(?:with|by (?:clicking|choosing|selecting)) (?={LABEL})",
        "click ",
    ),
    # `Add a **Description**`
    (
        rf"\badd (?P<what>(?:an?|your) (?:short |brief )?{LABEL})"
        r"(?: (?:to|for) (?:the|your|this) (?!table|list|group|page)[a-z]+(?: [a-z]+)?)?"
        r"(?=\s*\.?\s*$)",
        r"enter \g<what>",
    ),
    # `Make a note of the **ID**`
    (
        r"\b(?:make (?:a )?note of|write down|note down|jot down|take note of) "
        rf"(?:the )?(?P<what>{LABEL})(?: (?:value|field))?{_END}",
        r"copy the \g<what> value",
    ),
    # `Confirm that **Otter** is listed`
    (
        rf"{_EDGE}(?:confirm|verify|check|make sure|ensure)(?: that)? (?:the )?"
        rf"(?P<what>{LABEL})"
        r"(?: [a-z]+)? (?:is (?:now )?(?:listed|shown|displayed|present|visible|there|in the "
        r"(?:list|table))|appears(?: in the (?:list|table))?|shows up)(?=\s*\.?\s*$)",
        r"\g<edge>\g<what> appears in the list",
    ),
    # `The state of the pump becomes **Idle**`
    (
        rf"{_EDGE}(?:the|its) (?:status|state)(?: of [^,;.{_L}]+?)? "
        r"(?:becomes|changes to|turns(?: to)?|"
        rf"switches to|goes to|is now|will be|will change to) (?P<state>{LABEL})(?=\s*\.?\s*$)",
        r"\g<edge>The status is \g<state>",
    ),
    # `Increase **Depth** to 3`, `switch **Mode** to **Fast**`
    (
        r"\b(?:increase|decrease|raise|lower|reduce|bump|switch|turn) (?:the )?"
        rf"(?P<field>{LABEL})(?: (?:value|field|option|setting|toggle|switch))?"
        rf"(?: from {LABEL})? (?:up |down )?to (?=(?:the )?(?:{LABEL}|\d))",
        r"set \g<field> to ",
    ),
    # `Configure **Depth** as 3`
    (
        rf"\b(?:configure|define) (?:the )?(?P<field>{LABEL}){_BOX} (?:as|to) "
        rf"(?=(?:{LABEL}|\d))",
        r"set \g<field> to ",
    ),
    # `Ensure **Depth** is set to 3`, `make sure that **Mode** is **Fast**`
    (
        rf"{_EDGE}(?:please )?(?:ensure|make sure)(?: that)? (?:the )?(?P<field>{LABEL})"
        r"(?: (?:field|option|setting|value|list|drop-?down))? is (?:set to |selected as )?"
        rf"(?P<value>{LABEL}|\d+)(?=\s*[.]?\s*$)",
        r"\g<edge>set \g<field> to \g<value>",
    ),
    # `For **Zone** choose **East**`
    (
        rf"(?P<edge>^[^\w{_L}]*|[,;] (?:and |then |and then )?)for (?:the )?(?P<field>{LABEL})"
        rf"{_BOX} (?={_CHOOSE} |{_ENTER} )",
        r"\g<edge>for \g<field>, ",
    ),
    # `For the depth, enter `3``
    (
        rf"{_EDGE}(?:for|as) (?:the |your )?(?!this\b|example\b|instance\b)"
        r"(?P<field>[a-z]+(?: [a-z]+){0,2}),? "
        rf"(?P<act>{_ENTER}|{_CHOOSE}) (?P<value>{LABEL})(?=\s*[.]?\s*$)",
        r"\g<edge>\g<act> \g<value> as the \g<field>",
    ),
    # `Enter `3` for the depth`
    (
        rf"\b(?P<act>{_ENTER}) (?P<value>{LABEL}) for (?:the|your|its) "
        rf"(?P<field>(?:[a-z]+ )?{_OF_TEXT}){_END}",
        r"\g<act> \g<value> as the \g<field>",
    ),
    # `Add `for tests` as the description`
    (
        rf"\b(?:add|use|put|write) (?P<value>{LABEL}) (?:as|for) (?:the|an?|your|its) "
        rf"(?P<field>(?:[a-z]+ )?(?:{_OF_TEXT}|recipient|member|owner|contact)){_END}",
        r"enter \g<value> as the \g<field>",
    ),
    # `Put `3` in **Depth**`
    (
        rf"\b(?:put|write|place|insert) (?P<value>{LABEL}) (?:in|into|under) "
        rf"(?:the )?(?P<field>{LABEL}){_BOX}{_END}",
        r"enter \g<value> in \g<field>",
    ),
    # `Complete the **Name** and **Depth** fields`
    (
        rf"\bcomplete (?=(?:the )?{LABEL}(?:(?:,| and|, and)? {LABEL})* "
        r"(?:fields?|box(?:es)?)\b)",
        "fill in ",
    ),
    # `Enter a **Name** and, optionally, a **Depth**`
    (
        rf",?(?: and)?,? \(?optionally\)?,? (?:an? |the )?{LABEL}(?=\s*(?:[.;]|$))",
        "",
    ),
    # `Select the **East** option for **Zone**`
    (
        rf"\b(?P<act>{_CHOOSE}) (?:the )?(?P<value>{LABEL}) (?:option|value|entry) "
        rf"(?:for|as|of) (?:the )?(?P<field>{LABEL})",
        r"\g<act> \g<value> as \g<field>",
    ),
    # `Use the **Zone** menu to choose **East**`
    (
        rf"\buse (?:the )?(?P<field>{LABEL}) (?:drop-?down )?(?:menu|list|drop-?down|selector|"
        rf"field|option) to (?P<act>{_CHOOSE}) (?:the )?(?P<value>{LABEL})",
        r"\g<act> \g<value> as \g<field>",
    ),
    # `Select the radio button for **Pro**`, `the option button next to **Pro**`
    (
        rf"\b(?:{_CHOOSE}|click) (?:on )?{ROUND_BUTTON} "
        rf"(?:for|of|labell?ed|{IN_FRONT_OF}) (?:the )?(?P<value>{LABEL})"
        rf"(?: [a-z]+{_END})?",
        r"select the \g<value> radio button",
    ),
    # `Place the cursor in **Depth**`
    (
        r"\b(?:place|put|position|set) (?:the|your) cursor (?:in|into|inside|on) (?:the )?"
        rf"(?P<field>{LABEL}){_BOX}",
        r"click \g<field>",
    ),
    # `Click inside the **Depth** box`
    (
        rf"\b(?:click|tap) (?:in|into|inside|within) (?:the )?(?P<field>{LABEL}){_BOX}",
        r"click \g<field>",
    ),
    # `Select the **Depth** field and enter `3``
    (
        rf"\b(?:{_CHOOSE}|click|tap)(?: on)? (?:the )?(?P<field>{LABEL}) "
        rf"(?:field|box|text ?box|input)(?=,? (?:and|then|and then) (?:{_ENTER}) {LABEL})",
        r"click \g<field>",
    ),
)


_PAIR = re.compile(
    rf"^[^\w{_L}]*(?P<field>{LABEL})(?P<joint>\s*(?::|=|\s[-–—])?\s*)"
    rf"(?P<value>{LABEL})\s*\.?\s*$"
)
"""`**Depth**: `3``."""

_IN_WORDS = re.compile(
    r"(?P<act>\b(?:enter|type|provide|specify|choose|select|click|open|find|pick|next to|beside)"
    rf"(?: in| on)? )(?:the|your|its) [a-z][a-z ]*?(?: (?i:of|for) (?:the|your|this) [a-z ]+?)?, "
    rf"(?P<value>{LABEL})(?=\s*(?:[,.;]|$|and\b))(?:,(?= (?:in|into|to|from)\b))?",
    re.I,
)
_IN_BRACKETS = re.compile(
    rf"\b(?P<act>{_CHOOSE}) (?:an? |the |your )?(?P<field>{LABEL}) \((?P<value>{LABEL})\)", re.I
)
"""`Select a **Zone** (`east-1`)`."""


def told_values(piece: str, folded: Folded) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    pair = _PAIR.match(piece)
    if pair is not None and _is_pair(pair, folded):
        return f"set {pair['field']} to {pair['value']}"
    piece = _IN_WORDS.sub(partial(_by_its_value, folded), told_texts(piece))
    return told_roles(reworded(_IN_BRACKETS.sub(partial(_chosen, folded), piece), _SAME))


def _by_its_value(folded: Folded, found: re.Match[str]) -> str:
    """`Enter the name of the pump, `otter``: what is told in words, the value names."""
    label = folded.label(found["value"])
    if label.role not in (InlineRole.CODE, InlineRole.EMPHASIS):
        return found.group()
    return f"{found['act']}{found['value']}"


def _chosen(folded: Folded, found: re.Match[str]) -> str:
    if folded.label(found["value"]).role is not InlineRole.CODE:
        return found.group()
    return f"{found['act']} {found['value']} as {found['field']}"


def _is_pair(pair: re.Match[str], folded: Folded) -> bool:
    """True for a name and, behind a colon or a dash, a value in code."""
    name, value = folded.label(pair["field"]), folded.label(pair["value"])
    joined = pair["joint"].strip() or name.text.endswith(":")
    in_code = value.role is InlineRole.CODE and name.role is not InlineRole.CODE
    return bool(joined) and in_code and len(name.parts) == 1
