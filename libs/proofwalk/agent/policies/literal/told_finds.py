"""Rewrites sentences that look for a control before they use it, and what they say of
it in a few loose words.

As in `paraphrases`, each row is a form and what means the same: `Locate **Depth**, and
enter the depth` becomes `in **Depth**, enter the depth`. What is looked for and not
used in the same sentence is only looked at, and is dropped where another act stands
before it. A row drops no act.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_FIND = r"(?:locate|find|look for)"
_FIELD = r"(?: (?:field|text box|input|text field|text area))"
_PART = r"(?: (?:field|text box|box|section|area|setting|property|group|option|heading))"
_SWITCH = r"(?: (?:toggle|switch|slider|option|setting|check ?box))"
_END = r"(?=\s*(?:[.;]|$))"
_ON_END = r"(?=\s*(?:[.,;]|$|and\b))"
_SAME = rows(
    # `Find and disable the **Strict** switch`
    (
        rf"\b{_FIND} and (?:then )?(?=(?:enable|disable|activate|deactivate|turn|toggle|copy|"
        r"expand|edit)\b)",
        "",
    ),
    # `Locate **Strict** and toggle it on`, `find the **Strict** option, and enable it`
    (
        rf"\b{_FIND} (?:the )?(?P<switch>{LABEL}){_SWITCH}?,? and (?:then )?"
        rf"(?:(?:toggle|turn|switch) it (?P<on>on)|(?:enable|activate) "
        rf"(?:it|the (?:toggle|switch))){_ON_END}",
        r"turn on \g<switch>",
    ),
    (
        rf"\b{_FIND} (?:the )?(?P<switch>{LABEL}){_SWITCH}?,? and (?:then )?"
        rf"(?:(?:toggle|turn|switch) it off|(?:disable|deactivate) "
        rf"(?:it|the (?:toggle|switch))){_ON_END}",
        r"turn off \g<switch>",
    ),
    # `locate **Strict**, enable the toggle, and select **Save**`
    (
        rf"\b{_FIND} (?:the )?(?P<switch>{LABEL}){_SWITCH}?, (?:turn on|enable|activate) "
        rf"the (?:toggle|switch)(?=,)",
        r"turn on \g<switch>",
    ),
    # `Locate **Address**, and copy and save its contents`
    (
        rf"\b{_FIND} (?:the )?(?P<what>{LABEL}){_PART}?,? and (?:then )?copy"
        r"(?: and (?:save|store|keep))? (?:it|its (?:contents?|value)|the (?:provided |given )?"
        rf"(?:value|URL|address|key)){_END}",
        r"copy \g<what>",
    ),
    # `Locate **Depth**, and enter the depth of the pump`: a field is typed into
    (
        rf"^(?P<edge>\W*){_FIND} (?:the )?(?P<field>{LABEL}){_FIELD}?,? (?:and )?(?:then )?"
        rf"(?=(?:enter|type|paste|input) [^{_L}]*$)",
        r"\g<edge>in the \g<field> field, ",
    ),
    # `find the **Valves** section, and select **Deep**`
    (
        rf"^(?P<edge>\W*){_FIND} (?:the )?(?P<part>{LABEL}) section,? and (?:then )?"
        r"(?=(?:select|choose|click|enter|turn|enable|disable|fill)\b)",
        r"\g<edge>in the \g<part> section, ",
    ),
    # `Go to **Mills** and locate the **Depth** field`: it is only looked at
    (
        rf"(?P<act>\b(?:go|navigate|switch|return|open|select|click|scroll)\b[^.;]*?{LABEL}"
        rf"(?: (?:tab|page|view|section|screen))?),? (?:and )?(?:then )?{_FIND} (?:the )?{LABEL}"
        rf"{_PART}(?: (?:in|under) (?:the )?{LABEL}(?: [a-z]+)?)?{_END}",
        r"\g<act>",
    ),
    # `Copy and save the address`
    (
        r"\bcopy and (?:save|store|keep|note|record) "
        rf"(?=(?:the|its|this|that|your|it|them)\b|{LABEL})",
        "copy ",
    ),
    # `click **Save** and copy the key value`
    (
        r"\bcopy (?:the|this|your) (?P<what>key|token|secret|address|link|password|ID|URL) "
        rf"value{_ON_END}",
        r"copy the \g<what>",
    ),
    # `Make a note of the **Pump key** as you will need it later`
    (
        rf"(?P<noted>\b(?:make (?:a )?note|take note|copy|note)\b[^.;]*?{LABEL}"
        r"(?: (?:values?|fields?))?),? (?:as|because|since|for) "
        r"(?:you(?: will|['’]ll)?|we(?: will|['’]ll|['’]re going to|re going to)?) "
        rf"(?:need|use|require) (?:it|them|this|these)\b[^,;.{_L}]*{_END}",
        r"\g<noted>",
    ),
    # `Select **Drain**, and confirm`
    (
        r"(?P<act>\b(?:click|select|choose|press|tap)\b[^.;]*?),? (?:and (?:then )?|then )"
        r"confirm(?=\s*\.?\s*$)",
        r"\g<act>, and confirm the change",
    ),
    # `Select **Save** to save the **Limits** settings`
    (
        rf"(?P<act>\b(?:click|select|choose|press) {LABEL}(?: button)?) to "
        rf"(?:save|apply|store|keep) (?:the |your )?{LABEL}"
        rf"(?: (?:settings?|changes|options?|configuration|form|section))?{_END}",
        r"\g<act>",
    ),
    # `Name the pump and add a description`
    (
        r"^(?P<edge>\W*)name (?:the|your) (?:new )?[a-z]+(?: [a-z]+)?(?P<then>,? and |, )"
        r"(?=(?:add|enter|provide|select|choose|click|give|write)\b)",
        r"\g<edge>enter a name\g<then>",
    ),
    # `provide details for your new pump, including its name and depth`
    (
        r"\b(?:enter|provide|specify) (?:the )?(?:basic )?details (?:for|about|of) "
        rf"(?:the|your) [a-z][a-z -]*?(?:,? including [^.;:{_L}]+)?"
        r"(?=\s*(?:[.:]|$|,? and (?:click|select|choose|press)\b))",
        "fill in the form",
    ),
    # `Complete the **Depth** field with the **Reach** value that you copied`
    (
        rf"^(?P<edge>\W*)(?:complete|fill(?: in| out)?|populate) (?:the )?(?P<field>{LABEL})"
        rf"{_FIELD}? with (?P<what>(?:the|your) (?:{LABEL}|[a-z][^,;.{_L}]*?)(?: values?)?)"
        rf"(?: (?:obtained|copied|created|noted|saved|that you|you|from)\b[^,;.{_L}]*)?{_END}",
        r"\g<edge>enter \g<what> in the \g<field> field",
    ),
    # `Enter the **Key** value you copied earlier into the **Mill key** section`
    (
        rf"\b(?P<entry>(?:enter|paste|copy|type) the {LABEL} value) (?:that )?you "
        r"(?:copied|saved|noted|recorded|created)(?: (?:earlier|previously|before))? in(?:to)? "
        rf"the (?P<field>{LABEL}) (?:section|area|box){_END}",
        r"\g<entry> in the \g<field> field",
    ),
    # `Enter a name (such as `otter`)`: no field's name has a bracket
    (
        r"(?P<what>\b(?:enter|give|provide|specify|type|choose|select|pick|set)\b[^.;()]*?[a-z]),? "
        rf"\((?:such as|for example|for instance|like|e\.g\.?),? (?P<value>{LABEL})\)",
        r"\g<what>, for example, \g<value>",
    ),
    # `Click in the search box to find `otter``
    (
        r"\bclick (?:in|into|on) the search (?:box|bar|field) to (?:find|search for|look for) "
        rf"(?P<what>{LABEL}){_END}",
        r"search for \g<what>",
    ),
    # `Select the name of the pump to view`: a name opens what it names
    (
        r"\b(?:select|choose) the name of (?P<what>the|your) (?P<noun>[a-z]+(?: [a-z]+)?) "
        r"(?=(?:to (?:view|edit|open|see|change|configure|update)|(?:that |which )?you "
        r"(?:want|need|wish|would)|(?:for|to|in) which)\b)",
        r"click the name of \g<what> \g<noun> ",
    ),
    # `Select or create your pump`: a pump that exists is enough
    (
        r"\b(?P<verb>select|choose|open) or create (?P<what>an?|the|your) (?=[a-z])",
        r"\g<verb> \g<what> ",
    ),
    # `Create a new pump or select an existing one`
    (
        r"^(?P<edge>\W*)(?:either )?create an? (?:new )?(?P<what>[a-z]+(?: [a-z]+)?),? or "
        r"(?P<verb>select|choose|open) an existing (?:one|(?P=what))\b",
        r"\g<edge>\g<verb> the \g<what>",
    ),
    # `In Console, go to **Pumps**`, `on your Mill Dashboard, go to **Pumps**`
    (
        r"^(?P<edge>\W*)(?:in|on|from|within) (?:your )?(?P<what>(?:(?-i:[A-Z])\w* )?"
        r"(?-i:Console|Dashboard|Portal)),? "
        r"(?=(?:navigate|go|browse|select|choose|click|open)\b)",
        r"\g<edge>in the \g<what>, ",
    ),
    # `On the confirmation modal, select **Drain**`
    (
        r"^(?P<edge>\W*)(?:in|on) the (?:confirmation )?(?:modal|prompt|pop-?up)(?: window)?"
        r"(?=,? (?:select|choose|click|press)\b)",
        r"\g<edge>in the confirmation dialog",
    ),
    # `In the pumps overview table, click the three dots next to the pump that you want`
    (
        r"^(?P<edge>\W*)(?:in|on) the [a-z -]+ table, "
        r"(?=click the [a-z -]+ (?:next to|beside|for) the\b)",
        r"\g<edge>",
    ),
    # `Go to the **Valves** tab in your mill workspace and click **Add**`
    (
        rf"(?P<place>^\W*(?:navigate|go|switch) to the {LABEL} (?:tab|page|view|section)) "
        r"(?:in|of|for) your [A-Za-z]+(?: [A-Za-z]+)?(?=\s*(?:[.,;]|$|and (?:then )?(?:click|"
        r"select|choose|press)\b))",
        r"\g<place>",
    ),
    # `Click **Drain** and a dialog will prompt`
    (
        r",?\s+and (?:an?|the) (?:[a-z-]+ )?(?:dialog(?: box)?|pop-?up|window|modal) will "
        rf"prompt(?: you)?{_END}",
        "",
    ),
    # `In the filter box, enter `otter``
    (r"\bin(?:to)? the filter (?:field|box|bar|text box|input)\b", "in the search box"),
    # `Expand **More**, and scroll down to **Valves**`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+){{0,2}}(?: (?:from|in|on) the [a-z ]+)?),? "
        r"(?:and (?:then )?|then )scroll (?:down |up |right |left )?"
        rf"(?:to|until you (?:see|reach|find)) (?:the )?{LABEL}(?: (?:section|area|heading|part|"
        r"field|option))?(?=\s*(?:[.;]|$))",
        r"\g<act>",
    ),
    # `Click the pump to see its depth`
    (
        r"\bclick (?:on )?(?P<thing>(?:the|an?|your) (?!same\b)[a-z][a-z -]*?)"
        r"(?<!dot)(?<!dots)(?<!icon)(?<!arrow)(?<!button)(?<!tab)(?<!link)(?<!badge) "
        r"(?=to (?:see|view) (?:its|their|the|more|all) )",
        r"open \g<thing> ",
    ),
    # `Expand the sections to locate the pump`
    (
        r"\bexpand the (?:sections|groups|categories|nodes|entries) to (?:locate|find|look for) ",
        "find ",
    ),
    # `Click the pump's name to open its details page`
    (
        r"\b(?:click|choose|select) (?:on )?the (?P<thing>[a-z][a-z -]*?) name to (?:open|view|"
        r"display|show) (?:the |its )?details(?: page)?(?: (?:for|of) (?:the|that) [a-z -]+?)?"
        r"(?=\s*(?:[.;,]|$|and\b))",
        r"open the \g<thing>",
    ),
)


def told_finds(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
