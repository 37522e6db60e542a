"""Rewrites sentences that tell a place by what stands beside it.

As in `paraphrases`, each row is a form and what means the same: `To the right of any
pump, click **Drain**` becomes `next to the pump, click **Drain**`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.policies.literal.told_menus import DOTS, told_menus
from proofwalk.agent.policies.literal.told_routes import told_routes
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_SAME = rows(
    # `in the top right corner of the app`, `at the top right of the Pump Console`
    (
        r"\b(?P<where>(?:top|bottom|left|right|upper|lower|corner))(?P<of> of (?:the|your) "
        r"(?:[A-Za-z-]+ ){0,2}(?:app|application|console|UI|interface|browser))"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"\g<where>",
    ),
    # `the **More** icon located in the corner`
    (
        r"\s+(?:that is |which is )?(?:located|situated|found) "
        r"(?=(?:in|on|at|under|next to|beside|near|above|below) )",
        " ",
    ),
    # `In the right pane, click **Add**`
    (
        r"^(?P<edge>\W*)(?:in|on|from) the (?P<side>left|right)(?:-hand)?(?: side)? "
        r"(?:pane|panel|column|area|sidebar)(?=,)",
        r"\g<edge>on the \g<side>",
    ),
    # `Open the Pump console at **https://pump.example**`
    (
        r"\bopen (?:the |your )?(?:[A-Za-z-]+ ){0,4}(?:console|portal|website|site|page|"
        rf"dashboard|UI|application|app) at (?=(?:\()?{LABEL})",
        "go to ",
    ),
    (r"\b(?P<sign>sign|log) ?into (?=[A-Za-z])", r"\g<sign> in to "),
    # `Use the left navigation to go to **Pumps**`
    (
        r"^(?P<edge>\W*)use the (?:left |main |side )?"
        r"(?:navigation(?: (?:pane|menu|bar))?|menu|sidebar) to "
        r"(?:go to|open|navigate to|access|select|choose|get to) "
        rf"(?=(?:the )?{LABEL})",
        r"\g<edge>in the navigation pane, choose ",
    ),
    # `Under **Mills** in the navigation pane, choose **Pumps**`
    (
        rf"^(?P<edge>\W*)(?P<under>under {LABEL}) in the (?:left |main |side )?"
        r"(?:navigation(?: (?:pane|menu|bar))?|menu|sidebar)(?=,)",
        r"\g<edge>\g<under>",
    ),
    # `Make sure that you are on the **Pumps** page`
    (
        r"\b(?:make sure|ensure)(?: that)? you(?: are|['’]re) (?:on|in) "
        rf"(?=(?:the )?{LABEL} page\b)",
        "go to ",
    ),
    # `Open `otter` from the **Pumps** page`
    (
        rf"^(?P<edge>\W*)open (?:the )?(?P<thing>{LABEL}) (?:from|on) "
        rf"(?P<page>the {LABEL} page\b)",
        r"\g<edge>go to \g<page>, and open \g<thing>",
    ),
    # `Open the Pumps page`
    (r"\bopen (?=the (?:(?-i:[A-Z])[\w&-]* ){1,3}page\b)", "go to "),
    # `click the right arrow to move them to the **Chosen** list`
    (
        r"\b(?P<act>(?:click|press|select|use) (?:on )?)the (?P<way>right|left|up|down)"
        r"(?:-pointing)? arrow(?: button| icon)?(?: to (?:move|add|transfer|take) (?:it|them|"
        rf"the [a-z]+) (?:in)?to (?:the )?(?:{LABEL}|[a-z]+)(?: [a-z]+)?)?"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"\g<act>the \g<way>-arrow icon",
    ),
    # `Click the link in the row with **Otter**`
    (
        r"^(?P<edge>\W*)(?P<act>(?:click|select|choose)(?: on)? the (?:link|name|id)) "
        rf"in the row (?:with|of|for) (?P<row>{LABEL})(?=\s*\.?\s*$)",
        r"\g<edge>in the row of \g<row>, \g<act>",
    ),
    # `Open the Pump console at https://pump.example`: the target has its address.
    (
        r"(?P<what>\b(?:console|portal|dashboard|website|UI|interface|application)) at "
        r"https?://[^\s,]*[\w/]",
        r"\g<what>",
    ),
    # `Choose the name of a pump that is idle, for example `otter``
    (
        r"\b(?P<act>choose|select|click|open) (?:the (?:name|title) of )?(?:an?|any) "
        r"[a-z][a-z -]*? (?:that|which|whose|with|without) [^,;.]*?,? "
        rf"(?:for example|for instance|such as),? (?P<name>{LABEL})(?=\s*(?:[.;]|$|,? and\b))",
        r"\g<act> \g<name>",
    ),
    # `Choose the pump name to open its page`
    (
        r"\b(?:choose|select|click(?: on)?) the (?P<what>[a-z]+(?: [a-z]+)?) (?:name|id|title) "
        r"to (?:open|view|see|go to|display) (?:it|(?:its|the) [a-z ]*?(?:page|details?))"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"open the \g<what>",
    ),
    # `Under **Details**, enter `otter` for **Name**`
    (
        rf"^(?P<edge>\W*)under (?:the )?(?P<part>{LABEL}), "
        r"(?=(?:enter|type|select|choose|specify) "
        rf"(?:the )?{LABEL} (?:for|as|in) (?:the )?{LABEL})",
        r"\g<edge>in the \g<part> section, ",
    ),
    # `Choose the name of the rule **Otter**`
    (
        r"\b(?P<act>choose|select|click|open) the (?:name|title|id|link) of (?:the|your) "
        rf"(?:[a-z-]+ ){{1,2}}(?P<name>{LABEL})(?=\s*(?:[.,;]|$|and\b))",
        r"\g<act> \g<name>",
    ),
    # `On the details page of the rule, click **Edit**`
    (
        r"^(?P<edge>\W*)on the (?:details?|overview|summary) page (?:of|for) (?:the|your|this) "
        r"[a-z][a-z -]*, (?=[a-z])",
        r"\g<edge>",
    ),
    # `In the new row, for **Effect**, choose **Exclude**`
    (
        rf"^(?P<edge>\W*)in the (?:new|added|empty|last) (?:row|line|entry), "
        rf"(?=(?:for|under|in|as) (?:the )?{LABEL},? [a-z])",
        r"\g<edge>",
    ),
    # `(In large mills, use the **Find** box.)`
    (
        rf"^\((?:in|for|on|if|with) [^(),]*,? use (?:the )?{LABEL}[^()]*\)\s*$",
        "You can also look there.",
    ),
    # `In the table, click the row for **Otter**`
    (
        r"\b(?:click|select|choose)(?: on)? the (?:row|line|entry) "
        r"(?:for|of|with|containing|that (?:has|contains)) (?:the )?"
        rf"(?P<name>{LABEL})(?=\s*(?:[.,;]|$|and\b))",
        r"find \g<name>, and click it",
    ),
    # `Sort the list by **Name**`: what is in front stays the same.
    (
        rf"\b(?:sort|order) (?:the )?(?:[a-z]+ )?(?:by|according to) (?:the )?(?P<head>{LABEL})"
        r"(?: column)?(?=\s*(?:[.,;]|$|and\b))",
        r"look at the \g<head> column",
    ),
    # `Search for the pump by name`
    (
        r"\b(?:search|look) for (?P<what>(?:the|your) [a-z][a-z -]*?) by (?:its |the )?"
        r"(?:name|id|title)(?=\s*(?:[.,;]|$|and\b))",
        r"find \g<what>",
    ),
    # `With the pump selected, click **Drain**`
    (
        r"^(?P<edge>\W*)with (?:the|your) [a-z][a-z -]*? (?:still )?(?:selected|open|chosen), "
        r"(?=[a-z])",
        r"\g<edge>",
    ),
    # `At the prompt, click **Yes**`
    (
        r"^(?P<edge>\W*)(?:at|in) the (?:[a-z]+ )?prompt, (?=[a-z])",
        r"\g<edge>in the dialog, ",
    ),
    # `On the **Valves** tab of **Otter**, click **Add**`
    (
        rf"^(?P<edge>\W*)(?:on|in|open|go to) the (?P<tab>{LABEL} (?:tab|page|section)) of "
        rf"(?:the )?(?P<thing>{LABEL})(?P<kind> [a-z]+)?(?P<end>,|\s*\.?\s*$)",
        r"\g<edge>open the \g<thing> thing, and go to the \g<tab>\g<end>",
    ),
    # `Select the check boxes of **Otter** and **Pike**`
    (
        r"\b(?P<act>select|tick|check|clear) the check ?boxes (?:of|for|next to|beside) "
        rf"(?P<one>{LABEL}),? and (?P<other>{LABEL})(?=\s*(?:[.,;]|$))",
        r"\g<act> the check box of \g<one>, and \g<act> the check box of \g<other>",
    ),
    # `turn on the switch in the **Open** column`
    (
        r"\b(?P<act>turn on|turn off|switch on|switch off|enable|disable|toggle on|toggle off) "
        rf"the (?:switch|toggle|slider) (?:in|under) the (?P<name>{LABEL}) column",
        r"\g<act> \g<name>",
    ),
    # `When the **Last used** time does not change any more, return to the page`
    (
        rf"^(?P<edge>\W*)(?:when|once|after|as soon as) the {LABEL} (?:[a-z]+ ){{0,2}}"
        rf"(?:of [^,;.{_L}]*?)?"
        r"(?:no longer|does not|doesn['’]t|has|is|stays|stops) [^,;.]*, (?=(?:return|go|click|"
        r"choose|select)\b)",
        r"\g<edge>",
    ),
    # `click the title of the pump on the **Open** tab`
    (
        r"\b(?P<act>(?:click|select|choose|open) the (?:title|name|id|link) of "
        rf"(?:the|your) [a-z][a-z -]*?) (?P<tab>on the {LABEL} tab)(?=\s*(?:[.,;]|$|and\b))",
        r"\g<tab>, \g<act>",
    ),
    # `To remove the label `a`, click the close icon (x) on the label`
    (
        r"^(?P<edge>\W*)to (?:remove|delete|clear|drop) (?:the |an? )?(?P<what>[a-z]+) "
        rf"(?P<name>{LABEL}), (?P<act>(?:click|select|press) (?:on )?the "
        r"(?:close|delete|remove|clear|x) (?:icon|button|sign)) (?:\([^()]{1,3}\) )?"
        r"(?:on|of|in|next to|beside|behind) (?:the (?P=what)|it|its name)(?=\s*\.?\s*$)",
        r"\g<edge>\g<act> next to \g<name>",
    ),
    # `Under **Valves**, for **Depth**, enter 3`
    (
        rf"^(?P<edge>\W*)(?:under|in) (?:the )?(?P<part>{LABEL})(?: section| panel| area)?, "
        rf"(?=(?:for|as) (?:the )?{LABEL}(?: [a-z]+)?,? [a-z])",
        r"\g<edge>in the \g<part> section, ",
    ),
    # `Locate **Pumps** in the left menu and click it`
    (
        rf"\b(?:locate|find|scroll to|look for) (?P<what>{LABEL}) (?P<place>in the [a-z -]*?"
        r"(?:menu|pane|sidebar|navigation|bar))(?: and|,? then|, and) "
        r"(?:click|select|choose|press)(?: on)? it\b",
        r"click \g<what> \g<place>",
    ),
    # `On the row for the pump`, `At the end of the row of **Otter**`
    (
        r"^(?P<edge>\W*)(?:(?:in|on|at the end of) the|from the) (?:row|line) "
        rf"(?:of|for|with) (?=(?:the|your|an?) [a-z]|(?:the )?{LABEL})",
        r"\g<edge>in the row of ",
    ),
    # `Click **Drain** in the row of **Otter**`, `… to the right of **Otter**`
    (
        rf"^(?P<edge>\W*)(?P<act>(?:click|select|choose|press|tap)(?: on)? (?:the )?{LABEL}"
        r"(?: (?:button|link|icon))?) (?:(?:in|on|at the end of) the (?:row|line) "
        rf"(?:of|for|with)|(?:to|on) the right of|in the line of) (?:the )?(?P<row>{LABEL})"
        r"(?: [a-z]+)?\.?\s*$",
        r"\g<edge>in the row of \g<row>, \g<act>",
    ),
    (
        rf"^(?P<edge>\W*)(?:to|on) the right of (?:the )?(?P<row>{LABEL})(?: [a-z]+)?,",
        r"\g<edge>in the row of \g<row>,",
    ),
    # `Click **Drain** in the pump's row`, `in its row`
    (
        r"\b(?:in|on) (?P<what>(?:the|your) [a-z]+(?: [a-z]+)?)['’]s (?:row|line|entry)\b",
        r"in the row of \g<what>",
    ),
    (
        rf"(?P<act>{LABEL}(?: (?:button|link|icon))?) (?:in|on) (?:its|that|this|the same) "
        r"(?:row|line)(?=\s*(?:[.,;]|$))",
        r"\g<act>",
    ),
    # `Select **Drain** from the **More** menu of the pump`
    (
        rf"^(?P<edge>\W*)(?P<act>(?:click|select|choose|press|tap) {LABEL}) "
        rf"(?P<menu>(?:from|in) the {LABEL} (?:drop-?down )?menu (?:of|for|next to) "
        r"(?:the|your) [a-z][a-z -]*?)\.?\s*$",
        r"\g<edge>\g<menu>, \g<act>",
    ),
    # `Open the details page of the pump`
    (
        r"\b(?:open|go to|navigate to|visit) the (?:details?|overview|summary|product) page "
        r"(?:of|for) (?P<what>(?:the|your) [a-z][a-z -]*?)(?=\s*(?:[.,;]|$|\band\b))",
        r"open \g<what>",
    ),
    # `Check the **State** column`
    (
        rf"\b(?:check|view) (?=the {LABEL} (?:column|list|table|chart)\b)",
        "look at ",
    ),
    (rf"\bcheck (?=the {LABEL} tab\b)", "open "),
    # `Select the ellipsis (`…`) at the end of the line for the **Otter** pump`
    (
        r"^(?P<edge>\W*)(?:click|select|press|choose|tap) (?:on )?the [a-z][a-z -]*? "
        rf"\((?P<sign>{LABEL})\) "
        r"(?:next to|beside|at the end of the (?:line|row) (?:for|of|with)) "
        rf"(?:the )?(?P<row>{LABEL})(?: [a-z]+)?(?P<then>(?: and|,? then) .*)?\.?\s*$",
        r"\g<edge>in the row of \g<row>, click \g<sign>\g<then>",
    ),
    (
        r"\b(?P<icon>ellipsis|dots|icon|arrow|menu) at the end of the (?:line|row) "
        rf"(?:for|of|with) (?=(?:the )?{LABEL})",
        r"\g<icon> next to ",
    ),
    # `Click the three dots next to **Otter**`
    (
        r"^(?P<edge>\W*)(?:click|select|press|choose|tap|hit) (?:on )?(?P<icon>the "
        rf"(?:{DOTS}|ellipsis|kebab|pencil|gear|cog|trash(?: can)?|bin|"
        r"(?:edit|delete|remove|copy|close|more|settings) (?=icon|button)))"
        r"(?: (?:icon|menu|button))?"
        rf" (?:next to|beside|of|for|(?:in|on|at the end of) the row (?:of|for|with)) "
        rf"(?:the )?(?P<row>{LABEL})(?: [a-z]+)?"
        r"(?P<then>(?: and|,? then) .*)?\.?\s*$",
        r"\g<edge>in the row of \g<row>, click \g<icon>\g<then>",
    ),
    # `To drain a pump, click **⋮** next to its name`
    (
        r"^(?P<aim>\W*to [a-z]+ (?:the|an?|your) (?P<what>[a-z]+(?: [a-z]+)?), [^.;]*?)"
        r"\b(?:next to|beside|behind|at the end of) its "
        r"(?:name|title|date|label|entry|line|row)\b",
        r"\g<aim>next to the \g<what>",
    ),
    # `the three-dot-menu of the respective pump`
    (
        rf"\bthe {DOTS}[- ]?menu(?: button)?(?: (?:of|for|on) "
        r"(?:the (?:respective|given|relevant|desired|corresponding) )(?P<what>[a-z][a-z -]*))"
        r"(?=\s*(?:[.,;]|$|and\b))",
        r"the three dots next to the \g<what>",
    ),
    # `To the right of any pump, click **Drain**`
    (
        r"^(?P<edge>\W*)(?:to the (?:right|left) of|next to|beside) "
        r"(?:any|each|an?) (?P<what>[a-z][a-z -]*),",
        r"\g<edge>next to the \g<what>,",
    ),
    # `In the list of drained pumps, next to the pump, click **Fill**`
    (
        rf"^(?P<edge>\W*)in the (?:list|table) of [a-z][^,;.{_L}]*, "
        r"(?=next to (?:the|your) [a-z][a-z -]*,)",
        r"\g<edge>",
    ),
    # `Click the trash can icon of the **Otter** and click **Delete**`
    (
        r"^(?P<edge>\W*)click (?:on )?(?P<icon>the [a-z][a-z -]* icon)(?: [^\w\s,.;()]{1,3})? "
        rf"(?:of|for|next to|beside) (?:the )?(?P<row>{LABEL})(?P<then>(?: and|, then) .*)?"
        r"\.?\s*$",
        r"\g<edge>in the row of \g<row>, click \g<icon>\g<then>",
    ),
    # `Go to the pump settings screen`
    (
        r"\b(?P<act>(?:go|navigate|return|switch|move) to|open) (?P<name>(?:the|your) "
        r"[a-z][a-z-]*(?: [a-z-]+){0,2}) (?:screen|view)(?=\s*(?:[.,;]|$|\b(?:and|then)\b))",
        r"\g<act> \g<name> page",
    ),
    # `Click your avatar in the top right corner`
    (
        r"\b(?P<act>(?:click|select|choose|press|tap|open)(?: on)?) (?:the|your) "
        r"(?:(?:profile|user|account) (?:picture|photo|image|avatar|icon|menu)|avatar)"
        r"(?: (?:icon|image|menu|picture))?"
        r"(?=\s*(?:[.,;]|$|\b(?:and|then|at|in|on|from|to)\b))",
        r"\g<act> the user icon",
    ),
    # `Click the name of the pump to open its page`
    (
        r"\b(?P<act>(?:click|select|choose|open)(?: on)? the (?:name|title|id) of "
        r"(?:the|your) [a-z][a-z -]*?) to (?:open|view|see|show|display|access|go to|bring up) "
        rf"[^,.;{_L}]*?(?=\s*(?:[.,;]|$))",
        r"\g<act>",
    ),
    # `the cog icon labelled with **Settings**`
    (
        rf"\b(?:the|an?) (?:[a-z]+[- ])?(?:icon|button|link) labell?ed (?:with |as )?"
        rf"(?P<name>{LABEL})",
        r"the \g<name> button",
    ),
    # `select the pump to drain`
    (
        r"\b(?P<act>(?:select|choose|find|locate|open) the (?!(?:option|button|link|tab|"
        r"check ?box|icon|box|menu|field|list)\b)[a-z]+(?: [a-z]+)?) to "
        r"(?P<do>edit|delete|remove|change|modify|update|view|migrate|move|copy|clone|start|"
        r"stop|restart|rename|archive|restore|export|assign|configure|share|use)"
        r"(?=\s*(?:[.,;]|$))",
        r"\g<act> that you want to \g<do>",
    ),
    # `at the left-bottom`
    (
        r"\b(?:at|on|in) the (?P<side>left|right)-(?P<end>bottom|top)\b",
        r"at the \g<end> \g<side>",
    ),
    # `In the **Pumps** tree, select **Otter**`
    (rf"(?P<tree>\bin the {LABEL}) tree(?: control| view)?(?=,)", r"\g<tree> pane"),
)


def told_places(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return told_menus(reworded(told_routes(piece), _SAME))
