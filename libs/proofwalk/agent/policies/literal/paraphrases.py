"""Rewrites a folded sentence into the words that the clause rules read.

Each row of `_SAME` is a form and what means the same: `In **A** > **B**, click **C**`
becomes `Go to **A** > **B**, and click **C**`. A row adds no act and drops none, apart
from an entry that the document itself leaves to the reader (`and optionally a
description`). `ways` does this for goals before their way.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.entered import entered
from proofwalk.agent.policies.literal.going_on import lone_button
from proofwalk.agent.policies.literal.leads import led
from proofwalk.agent.policies.literal.left_open import left_open
from proofwalk.agent.policies.literal.navigation_words import with_navigation
from proofwalk.agent.policies.literal.openings import without_opening
from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.policies.literal.row_words import of_rows
from proofwalk.agent.policies.literal.switched import turned
from proofwalk.agent.policies.literal.told_addresses import without_address
from proofwalk.agent.policies.literal.told_adjustments import without_adjustments
from proofwalk.agent.policies.literal.told_asides import without_asides
from proofwalk.agent.policies.literal.told_cases import told_cases
from proofwalk.agent.policies.literal.told_confirmations import told_confirmations
from proofwalk.agent.policies.literal.told_consoles import told_consoles
from proofwalk.agent.policies.literal.told_drop_downs import told_drop_downs
from proofwalk.agent.policies.literal.told_effects import without_effects
from proofwalk.agent.policies.literal.told_fields import told_fields
from proofwalk.agent.policies.literal.told_files import told_files
from proofwalk.agent.policies.literal.told_finds import told_finds
from proofwalk.agent.policies.literal.told_inputs import told_inputs
from proofwalk.agent.policies.literal.told_places import told_places
from proofwalk.agent.policies.literal.told_repeats import without_repeats
from proofwalk.agent.policies.literal.told_searches import told_searches
from proofwalk.agent.policies.literal.told_states import told_states
from proofwalk.agent.policies.literal.told_switches import told_switches
from proofwalk.agent.policies.literal.told_tails import without_tails
from proofwalk.agent.policies.literal.told_values import told_values
from proofwalk.agent.policies.literal.wishes import wished
from proofwalk.agent.reading.marks import LABEL, Folded

_L = LABEL[1:-1]
_ACT = r"(?:click|press|hit|tap|select|choose|open|enter|type|tick|toggle)\b"
_SAME = rows(
    # `the address(es)`
    (r"(?<=[a-z])\((?P<plural>e?s)\)", r"\g<plural>"),
    # `locate and click on **Add**`: what is clicked was found.
    (
        r"\b(?:find|locate|look for) and (?:then )?(?=(?:click|select|choose|press|open)\b)",
        "",
    ),
    # `click and drag the pump`
    (r"\bclick and (?=drag\b)", ""),
    # `a name and optionally a description`
    (
        r",?\s+and,?\s+(?:optionally,?\s+(?:(?:an?|the|your)\s+)?|(?:an?\s+)?optional\s+)"
        r"[a-z][a-z ]*(?=\s*(?:[.,;]|$|\bfor\b))",
        "",
    ),
    # `Add more rules if needed, and click **Save**`
    (
        rf"^(?P<edge>[^\w{_L}]*)add\s+(?:more|additional|other|further|another)\s+"
        rf"[^,;.{_L}]*\bif\s+(?:needed|necessary|required|you (?:like|want|wish|need))\b,?\s+"
        r"(?:and\s+)?(?:then\s+)?(?=click\b)",
        r"\g<edge>",
    ),
    # `go to the flag's page`: the page of a thing is what opens with it.
    (
        r"\b(?P<go>(?:go|navigate)(?: back)? to|open|visit)\s+(?P<thing>(?:the|your|that)\s+"
        r"[a-z][\w -]*?)['’]s\s+(?:details?\s+|own\s+|main\s+|overview\s+)?page\b",
        r"\g<go> \g<thing>",
    ),
    # `go to the flag and the environment that you want to change`
    (
        r"\b(?P<go>(?:go|navigate) to) (?P<thing>the [a-z][a-z -]*?) and "
        r"(?P<inside>the [a-z][a-z-]*) (?=(?:containing|that|which|where|with|you)\b)",
        r"\g<go> \g<thing>, and select \g<inside> ",
    ),
    # `give the role a name and description`
    (
        r"\bgive\s+(?:it|them|(?:the|your|this)\s+[a-z][\w -]*?)\s+"
        r"(?P<what>(?:an?\s+)?(?:unique\s+|descriptive\s+|short\s+)?"
        r"(?:name|title|description)(?:\s+and\s+(?:an?\s+)?description)?\b)",
        r"enter \g<what>",
    ),
    # `populate a **Name** of `web``
    (
        rf"\b(?:enter|specify|populate|provide|select|choose)\s+an?\s+(?P<field>{LABEL})\s+"
        rf"of\s+(?P<value>{LABEL})",
        r"set \g<field> to \g<value>",
    ),
    # `look for the row with the disk that you want`
    (
        r"\b(?P<verb>find|locate|look for) the row "
        r"(?:with|of|for|containing|that (?:has|contains)) (?=(?:the|your)\b)",
        r"\g<verb> ",
    ),
    # `use the **Enabled** toggle to turn the rule on`
    (
        rf"\buse the (?P<switch>{LABEL}) (?:toggle|switch|slider|check ?box|flag|option) to "
        rf"(?:enable|activate|turn on|switch on|turn [^,;.{_L}]* on(?! or off)\b)[^,;.{_L}]*"
        r"(?=[.,;]|$)",
        r"turn on \g<switch>",
    ),
    (
        rf"\buse the (?P<switch>{LABEL}) (?:toggle|switch|slider|check ?box|flag|option) to "
        rf"(?:disable|deactivate|turn off|switch off|"
        rf"turn (?![^,;.]* on or off\b)[^,;.{_L}]* off\b)[^,;.{_L}]*"
        r"(?=[.,;]|$)",
        r"turn off \g<switch>",
    ),
    # `make a selection from the **Tenant** drop-down menu selector`
    (
        rf"\bmake (?:a|your) (?:selection|choice) (?:from|in) the (?P<field>{LABEL})"
        r"(?: (?:drop-?down|list|menu|selector|box|field))*",
        r"specify the \g<field>",
    ),
    # `select the **Tenant** from the drop-down list`
    (
        rf"\b(?:select|choose|pick) (?:the|an?|your) (?P<field>{LABEL}) from (?:the|its)"
        r" drop-?down(?: (?:list|menu|selector|box))*(?=\s*(?:[.;]|$|and\b))",
        r"specify the \g<field>",
    ),
    # `scroll down to the **Danger zone** section and click **Delete**`
    (
        rf"\bscroll (?:down |up )?to (?:the )?(?P<part>{LABEL})(?: section| area)?"
        r"(?=,? and\b)",
        r"go to the \g<part> section",
    ),
    # `A dialog opens, where you enter the name`
    (
        r"^(?:an?|the) (?P<window>[^,.;:]*?(?:dialog(?: box)?|window|page|panel|pop-?up|form|"
        r"drawer|screen)) (?:now |then )?"
        r"(?:opens|appears|pops up|is (?:displayed|shown|opened))"
        r"(?:,? and|,? in which|, where) you (?:then |now |also )?"
        rf"(?={_ACT})",
        r"In the \g<window>, ",
    ),
    # `In the dialog that opens, you enter the name`
    (
        r"^(?P<place>(?:in|on|at|from|under) [^,.;:]*,) you (?:then |now |also )?"
        rf"(?={_ACT})",
        r"\g<place> ",
    ),
    # `Wait for the page to load, where you click **Save**`
    (
        r"^(?P<first>(?:(?!\b(?:if|when|whenever|once|after|unless|until|while|because)\b)"
        r"[^.;:])*?)(?:,?\s+(?:and|then)|,\s*where)\s+you\s+(?:then |now |also )?"
        rf"(?={_ACT})",
        r"\g<first>, and ",
    ),
    # `select one or more flags`
    (
        r"\b(?P<verb>select|choose|add|pick) (?:one or (?:more|several|multiple)) "
        rf"(?:(?:of )?the )?(?=[a-z{_L}])",
        r"\g<verb> the ",
    ),
    # `From there, click **Add**`
    (r"^(?P<edge>\W*)from (?:there|here),\s*", r"\g<edge>"),
    # `In this example, we are going to create several, so click **Bulk**`
    (
        rf"^\W*in this (?:example|tutorial|guide|topic),?\s+(?:we|you)(?:\s+are\s+going\s+to|"
        rf"\s+will|['’](?:re going to|ll))\s[^;.{_L}]*?,\s*so\s+"
        r"(?=(?:click|select|choose|open|go to)\b)",
        "",
    ),
    # `Proceed to **Payment**`, `Move on to the **Summary** step`
    (
        r"(?P<edge>(?:^|[,;:]|\band|\bthen)\W*)(?:proceed|advance|continue|browse|move on|jump|"
        rf"head(?: over| back)?) to (?=(?:the )?{LABEL})",
        r"\g<edge> go to ",
    ),
    # `Click **Save** to keep it, or **Cancel** to leave`: one way is enough.
    (
        rf"(?P<act>\b(?:click|press|select|choose|tap) (?:on )?(?:the )?{LABEL}(?: button)?)"
        rf"(?: to [^,;.{_L}]+?)?,? or (?:the )?{LABEL}(?: button)? to [^,;.{_L}]+(?=[.;]|$)",
        r"\g<act>",
    ),
    # `Use the drop-down list next to **Mill** to select a mill`
    (
        r"\buse the (?:drop-?down|list|selector)(?: ?(?:list ?box|list|menu|box))* "
        rf"(?:next to|beside|in|labell?ed) (?:the )?(?P<field>{LABEL})(?: field| box)? to "
        rf"(?:select|choose|specify|pick|set)\b[^;.{_L}]*(?=[.;]|$)",
        r"specify the \g<field>",
    ),
    # `open the list and select `80``: the choice opens it.
    (
        r"\b(?:open|drop down|expand|unfold) the (?:drop-?down(?: (?:list|menu|box))?|list),?"
        r" and (?:then )?(?=(?:select|choose|pick)\b)",
        "",
    ),
    # `Click **Pumps** - **Add**`: a path that is drawn with dashes.
    (
        rf"(?P<act>\b(?:click|select|choose|press|tap) (?:on )?)(?P<first>{LABEL}) [-–—]+ "
        rf"(?P<then>{LABEL})(?=\s*[.,;]?\s*$)",
        r"\g<act>\g<first>, and click \g<then>",
    ),
    # `at the foot of the page`
    (
        r"\b(?P<where>(?:bottom|foot|end|right|left|corner)) of (?:the|this) "
        r"(?:page|screen|window|dialog|form|list|panel|table|section|menu)\b",
        r"\g<where>",
    ),
    (r"\bfoot(?=\s*(?:[.,;]|$))", "bottom"),
    (
        r"\b(?P<at>from|in|at) (?=(?:upper|lower|top|bottom)[- ](?:left|right) corner\b)",
        r"\g<at> the ",
    ),
    # `once you are done with the form`
    (
        r"\b(?:once|after) you(?: are|['’]re| have|['’]ve) (?:done|ready|finished)"
        rf"(?: with [^,;.{_L}]*)?(?=\s*(?:[.,;]|$))",
        "when you are done",
    ),
    # `Click **Drain** and confirm **Yes**`
    (
        rf"(?P<act>\b(?:click|press|select|choose) (?:on )?(?:the )?{LABEL}(?: [a-z]+)?,? and "
        rf"(?:then )?)confirm (?={LABEL}\s*\.?\s*$)",
        r"\g<act>click ",
    ),
    # `Under the **State** column you should see a status of **Idle**`
    (
        rf"^(?P<edge>\W*)(?:under|in) the {LABEL} column,? you (?:should|will)(?: now)? see "
        rf"(?:an?|the) (?:status|state)(?: of)? (?=\W*{LABEL})",
        r"\g<edge>The status is ",
    ),
    # `In **Depth** enter `3``: the comma that is missing.
    (
        r"(?P<edge>^\W*(?:optional\W+)?|[,;] (?:and |then |and then )?)"
        rf"(?P<place>(?:in|under|on) (?:the )?{LABEL}) "
        r"(?=(?:specify|enter|type|select|choose|click|set|provide)\b)",
        r"\g<edge>\g<place>, ",
    ),
    # `From the pump that you want to drain, select **Drain**`
    (
        r"^(?P<edge>\W*)(?:from|on|in) (?=(?:the|your) (?!(?:[a-z-]+ ){0,2}"
        r"(?:page|list|menu|tab|dialog|"
        r"window|section|table|view|panel|pane|drop-?down|screen|console)\b)"
        r"[a-z][a-z-]*(?: [a-z-]+)? (?:that )?you (?:want|need|wish|would like)\b)",
        r"\g<edge>for ",
    ),
    # `Yes for the option **Public**`
    (rf"\b(?P<for>for|in|under|from) the (?:option|field|setting) (?={LABEL})", r"\g<for> "),
    # `As the **Engine**, take `diesel``
    (
        rf"^(?P<edge>\W*)(?:as|for) (?:the )?(?P<field>{LABEL}),? "
        rf"(?:take|use|we (?:take|use|go with)|go with) "
        rf"(?P<value>{LABEL})",
        r"\g<edge>set \g<field> to \g<value>",
    ),
    # `Name the pump `otter``
    (
        rf"^(?P<edge>\W*)(?:name|call) (?:it|(?:the|your) [a-z][a-z -]*) "
        rf"(?P<value>{LABEL})"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"\g<edge>enter \g<value> as the name",
    ),
    # `Write a **Title**`
    (
        rf"(?P<edge>(?:^|,|\band|\bthen)\W*)write (?=(?:an?|the|your) |{LABEL})",
        r"\g<edge> enter ",
    ),
    # `so the user cannot drain it`
    (
        r",?\s+so (?=(?:the|your|its|they|it|nobody) [a-z ]*"
        r"\b(?:can|cannot|can['’]t|will|stays|does)\b)",
        " so that ",
    ),
    # `**Pumps** → untick **Strict**`
    (
        rf"^(?P<edge>\W*)(?:tab )?(?P<first>{LABEL}) (?:→|>|»|›) "
        r"(?=(?:click|select|tick|untick|check|choose|enable)\b)",
        r"\g<edge>click \g<first>, and ",
    ),
    (rf"^(?P<edge>\W*)(?:tab|button) (?={LABEL}\s*\.?\s*$)", r"\g<edge>click "),
    # `Then **Deploy**.`
    (
        rf"^(?P<edge>\W*)(?:then|now|next up:|to finish,|finally,?|after that comes|there,) "
        rf"(?={LABEL}\s*[.!]?\s*$)",
        r"\g<edge>click ",
    ),
    # `Accept the defaults and click **Next**`
    (
        r"\b(?:accept|confirm) (?=(?:the|all|all the) default(?:s| settings| values| options)\b)",
        "keep ",
    ),
    # `Retain **Pull**`
    (rf"\bretain (?=(?:the )?{LABEL}|the defaults?\b)", "keep "),
    # `Give it a key such as `otter``
    (
        r"\bgive (?:it|them|the [a-z][a-z -]*?) "
        r"(?=an? (?:key|label|alias|tag|code|password|port|"
        r"comment|note)\b)",
        "enter ",
    ),
    # `Click the arrow next to **Valves** to unfold the section`
    (
        r"\bclick (?:on )?the (?:arrow|chevron|triangle|caret) "
        r"(?:next to|beside|before) (?:the )?"
        rf"(?P<part>{LABEL})(?: section| group)? to "
        r"(?:unfold|expand|open) (?:it|the section|the group)\b",
        r"expand \g<part>",
    ),
    # `On the **Summary** page for the selected pump, …`
    (
        rf"^(?P<place>\W*(?:on|in) the {LABEL} (?:page|tab|section|dialog(?: box)?)) "
        r"(?:for|of) "
        r"(?:the|your) (?:selected |new |current )?[a-z][a-z-]*(?=\s*,)",
        r"\g<place>",
    ),
    (
        rf"(?P<tab>\bthe {LABEL} tab) in the (?:settings|details) of "
        r"(?:the|your|our) [\w -]+(?=\s*(?:[.,;]|$))",
        r"\g<tab>",
    ),
    # `As an administrator, click **Drain**`: who walks is settled before.
    (
        r"^(?P<edge>\W*)as an? (?:[a-z]+ ){0,2}"
        r"(?:user|administrator|admin|owner)(?: user)?,\s*",
        r"\g<edge>",
    ),
    # `To the right of the pump, click **Drain**`
    (
        r"^(?P<edge>\W*)(?:beside|to the (?:right|left) of) (?=(?:the|your) [a-z][a-z -]*,)",
        r"\g<edge>next to ",
    ),
    # `the three dots to the right of the pump`
    (
        r"\b(?P<icon>icon|dots|ellipsis|sign|pencil|gear|cog) "
        r"(?:to the (?:right|left) of|at the end of) (?=(?:the|your) )",
        r"\g<icon> next to ",
    ),
    # `For the first milestone, click **Add**`: of several, the walk says so.
    (r"^(?P<edge>\W*)for the first [a-z][a-z -]*,\s*(?=(?:click|select)\b)", r"\g<edge>"),
)
_FIRST = (
    without_opening,
    told_finds,
    told_consoles,
    told_drop_downs,
    without_effects,
    without_repeats,
    without_tails,
    without_adjustments,
    told_cases,
    told_switches,
    told_inputs,
)
"""What is reworded before anything is told by its place."""
_PLACE_FIRST = re.compile(
    rf"^(?P<edge>[^\w{_L}]*)(?:in|under|from)\s+(?:the\s+)?(?P<path>{LABEL})\s*,\s*"
    r"(?P<act>[a-z].*)$",
    re.I | re.S,
)


_GOAL_OF_PATH = re.compile(
    rf"^\W*(?:add|create|open|start|stop|delete|remove|edit|change|import|export|run)\b[^:,;.{_L}]*:"
    rf"\s*(?P<path>{LABEL})\s*\.?\s*$",
    re.I,
)
"""`Create a pump: **Pumps** → **Add pump**.`"""
_FOUND = re.compile(
    rf"\b(?:find|locate|look for) (?:the )?(?P<found>{LABEL})(?: [a-z]+)?(?:,| and)\s+(?:then )?"
    rf"(?=click (?:on )?(?:the )?(?P<clicked>{LABEL}))",
    re.I,
)
"""`find **Pumps**, and click on **Pumps**`."""


def said_plainly(piece: str, folded: Folded, *, opens: bool) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits.
    `opens`: the sentence is the first of its item."""
    piece = without_address(piece, folded)
    for reword in _FIRST:
        piece = reword(piece)
    piece = told_states(with_navigation(piece, folded))
    piece = entered(turned(piece, folded, opens=opens))
    piece = told_files(told_searches(told_places(without_asides(piece))))
    piece = wished(
        left_open(led(of_rows(told_fields(told_confirmations(told_values(piece, folded))))))
    )
    piece = reworded(piece, _SAME)
    twice = _FOUND.search(piece)
    if twice and folded.label(twice["found"]).text == folded.label(twice["clicked"]).text:
        piece = f"{piece[: twice.start()]}{piece[twice.end() :]}"
    if not opens and lone_button(piece, folded):
        return f"Click {piece.strip(' .')}"
    goal = _GOAL_OF_PATH.match(piece)
    if goal is not None and len(folded.label(goal["path"]).parts) > 1:
        return f"Click {goal['path']}"
    found = _PLACE_FIRST.match(piece)
    if found is None or len(folded.label(found["path"]).parts) < 2:
        return piece
    act = f"{found['act'][:1].lower()}{found['act'][1:]}"
    return f"{found['edge']}Go to {found['path']}, and {act}"
