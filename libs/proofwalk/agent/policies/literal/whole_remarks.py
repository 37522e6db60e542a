"""Remarks whose form proves by itself that they ask for nothing: what ends a procedure,
what a role is needed for, what the console says when all is done.

No clause behind them is asked about, for each form takes the whole sentence.
`statements` asks here first.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.plain_remarks import is_plain_remark
from proofwalk.agent.policies.literal.product_remarks import is_of_the_product
from proofwalk.agent.policies.literal.told_outside import is_done_elsewhere
from proofwalk.agent.policies.literal.told_repeats import is_again
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_REST = re.compile(
    r"^(?:optionally,? |(?:you|we) (?:can|may) (?:also |then )?)?"
    r"(?:fill (?:out|in)|enter|provide|specify|set|configure|adjust|complete|add|change|update|"
    r"customi[sz]e) (?:(?:any|the|all|of|your) )*(?:other|additional|optional|further)(?: [\w-]+)?"
    r" (?:data|fields?|information|values?|settings?|options?|parameters?|details?|attributes?|"
    r"propert(?:y|ies))(?: (?:that )?(?:you|we) (?:have|need|want|like|wish|require)(?: to)?"
    r"| (?:as|if|where|when) (?:needed|necessary|required|desired|appropriate|applicable|"
    rf"you (?:like|want|need|wish)))(?:,? (?:such as|including|for) [^;:.{_L}]*)?\W*$",
    re.I,
)
"""`You can also fill out any other data that you have.` Its reader has none."""
_OF_A_VALUE = re.compile(
    r"^(?:the|this) (?:[a-z]+ )?(?:value|name|number|length|password|key|text|address) "
    r"(?:must|has to|should|can|cannot|may)(?: only| not)? "
    rf"(?:be (?:between|at|unique|one|in|a|an|of|from|up|longer|shorter|globally)|contain|have|"
    rf"start|begin|end|consist|match|use|include)\b[^;:{_L}]*$"
    rf"|^you (?:can['’]t|cannot|can not|won['’]t be able to) [^;:{_L}]*$",
    re.I,
)
"""`The value must be between 1 and 10.`, `You cannot change the name later.`"""
_ENDED = re.compile(
    r"^(?:(?:all )?done|that(?:['’]s| is) (?:it|all)(?: you (?:need|have) to do)?|"
    r"congratulations|"
    r"nothing (?:else|more) (?:has|needs) to be done|"
    r"(?:now )?you(?: are|['’]re) (?:all )?(?:done|finished|set)|"
    r"you(?: now)? return to the [a-z -]+)\W*$",
    re.I,
)
"""`That's it!`, `You return to the list.`"""
_DEMANDED = re.compile(
    r"^(?:this|the) (?:field|value|option|setting|parameter|input) is (?:also )?"
    r"(?:required|mandatory|optional)\W*$"
    r"|^[A-Za-z][\w -]{2,40} (?:access|permissions?|rights?|privileges?|role) (?:is|are) "
    r"(?:required|needed|necessary)\W*$",
    re.I,
)
"""`This field is required.`, `Owner access is needed.`: of what was asked before."""
_NEEDED = re.compile(
    rf"^(?:you (?:need|must have|should have|require)|requires)(?: at least)? (?:the |an? )?"
    rf"(?:{LABEL}|[A-Za-z][\w -]*?) (?:role|permissions?|access|rights?|privileges?)\b"
    rf"(?! to \w+ (?:it|them)\b)[^,;:{_L}]*$",
    re.I,
)
"""`You need the **Owner** role to drain a pump.`"""
_GREYED = re.compile(
    rf"^the (?:[a-z]+ )?{LABEL} (?:field|box|button|switch|option|tab|menu|list|drop-?down) is "
    r"(?:now |then |always |initially )?(?:disabled|read-only|greyed out|grayed out|unavailable|"
    r"hidden)(?: by default| for now)?\W*$",
    re.I,
)
"""`The **Name** field is disabled.`"""
_BY_DEFAULT = re.compile(
    rf"^(?:(?:in|on|when|while) [^,;{_L}]*,? )?(?:you|they|users)(?: are|['’]re) [a-z]+ by "
    r"default\W*$",
    re.I,
)
"""`In a group you are muted by default.`"""
_SEEN_THERE = re.compile(
    rf"^(?i:you return to|you are back on) the (?:{LABEL}|[A-Z][\w-]*(?: [a-z-]+)?|[a-z-]+)"
    rf"(?: [a-z]+)?, where (?:the|your|an?|its) [^;:]*$"
    rf"|^(?i:below|above|beside|under|next to|behind) (?:each|every|the|its) [^,;:{_L}]*, you "
    rf"(?:can )?(?:see|find)\b[^;:{_L}]*$"
    r"|^[A-Z][\w-]*(?: [A-Z][\w-]*)* (?:then |now |also )?asks you to confirm"
    r"(?: it| this| that)?\W*$"
    r"|^(?!Un|De|Re|Dis)[A-Z][a-z]{2,} (?:then|also|now|always|never|only) [a-z]+s "
    r"(?:for|until|up|the|an?|all|any|your|its|every|each|to|from|in|on|with|as)\b"
    rf"[^;:{_L}]*$",
)
"""`You return to the list, where the pump has the state **Idle**.`, `Quillmark then
waits for a day.`"""
_SET_BEFORE = re.compile(
    rf"^(?:(?:in|on|under) (?:the )?{LABEL}(?: [a-z]+){{0,2}}, )?"
    rf"{LABEL}(?: (?:option|check ?box|switch|setting|toggle))? is (?:already |always |initially )?"
    r"(?:selected|on|off|enabled|disabled|chosen|checked|ticked|turned (?:on|off)|set) "
    r"(?:by default|for you|from the start|already|at first)\W*$",
    re.I,
)
"""`In the **Pumps** section, **Slow** is selected by default.`"""
_AGAIN = re.compile(
    r"^(?:optional(?:ly)?\W+)?(?:you can )?repeat (?:this|these|the|as needed)\b"
    rf"[^,;.{_L}]*\b(?:for (?:every|each|all|any) (?:other|additional|further) [^,;.{_L}]*|"
    rf"as needed|"
    rf"if (?:needed|necessary|required)|(?:to|if you want to|for any|"
    rf"until you have) (?:add(?:ed)? )?[^,;.{_L}]*(?:additional|more|another|other|further)\b)"
    rf"[^,;.{_L}]*\W*$",
    re.I,
)
"""`Repeat this step to add more pumps.` Its reader has no others."""
_LED = re.compile(
    r"^(?!.*\b(?:and|then)\b)you(?: are| will be|['’]re|['’]ll be)"
    r"(?: now| then| automatically)? (?:taken|greeted|redirected|returned|brought|"
    r"led|logged|signed|informed|notified)\b[^;:]*$",
    re.I,
)
"""`You're redirected to the **Pumps** page.`"""
_SEEN_ON_A_PAGE = re.compile(
    rf"^you (?:can |will |['’]ll )?(?:now |then |also )?see (?:the|your|all) [^,;:{_L}]* "
    rf"(?:on|in|under) (?:the )?{LABEL}(?: (?:page|tab|list|section|table|column|pane))?\W*$",
    re.I,
)
"""`You see the depth of the pump on the **Overview** page.`"""
_WITH_OR_WITHOUT = re.compile(
    r"^with(?:out| no) (?:an?|any|the|such an?)?[^,;:]*, (?:the|an?|it|they|no|every|all) "
    rf"(?:[a-z]+ ){{0,3}}(?:is|are|will|would|can|cannot|has|have|does|do|[a-z]+s) [^;:,{_L}]*$",
    re.I,
)
"""`Without a plan, the pump runs only when you start it.`"""
_OTHERWISE = re.compile(
    r"^if you (?:clear|turn off|switch off|deselect|disable|skip|omit|leave out) (?:it|this|them)"
    r"(?: [a-z ]+)?, (?:you (?:have to|must|need to|can)|the|your|nothing|it|they) [^;:]*$",
    re.I,
)
"""`If you clear it, you have to start the pump yourself.`"""
_SAYS = r"(?:confirms|tells|says|informs|shows|states|acknowledges|announces)"
_MESSAGE = r"(?:message|notification|notice|toast|banner|text|note|alert|hint|dialog|pop-?up)"
_TOLD_BY_A_MESSAGE = re.compile(
    rf"^you (?:will |should |['’]ll )?(?:now |then |also )?(?:see|get|receive) (?:the|a) "
    rf"(?:[a-z]+ )?{_MESSAGE} {LABEL}\W*$"
    rf"|^the {_MESSAGE} {LABEL} {_SAYS}\b[^,;:{_L}]*$"
    rf"|^(?:the )?[A-Za-z]+(?: [a-z]+)? confirms(?: (?:it|this|that))? (?:with|by) {LABEL}\W*$"
    rf"|^an? (?:[a-z]+ )?{_MESSAGE} {_SAYS}(?: that)? [^,;:{_L}]*$",
    re.I,
)
"""`The message **Pump made** confirms this.`"""
_CHANGES_INTO = re.compile(
    rf"^(?:the|its) (?:(?:text|label|name|title) of the )?(?:{LABEL} )?(?:[a-z]+ )?(?:button|label|"
    r"badge|text|icon|title|tag|chip|link|counter|number|row|column)"
    rf"(?: (?:text|next to|beside|behind|of|in) (?:the )?(?:{LABEL}|[a-z ]+?))? "
    r"(?:changes?|turns|switches|becomes|reads|shows|says|then reads|now (?:reads|shows|says))"
    rf"(?: from {LABEL})?(?: to| into)? {LABEL}\W*$"
    rf"|^the {LABEL} (?:now |then )?(?:shows|reads|displays|changes to|turns to) {LABEL}\W*$",
    re.I,
)
"""`The button changes to **Resume**.`"""
_FOUND_THERE = re.compile(
    rf"^(?:the|your|its|this) (?:[a-z]+ ){{0,2}}(?:{LABEL} )?(?:is|are|appears?|shows up|"
    r"can be found) (?:now |then |also )?(?:(?:listed|shown|displayed|visible|found) )?"
    rf"(?:on|in|under|at|among) (?:the |your )?(?:{LABEL}|[a-z]+)"
    rf"(?: (?:page|tab|list|section|table|view|panel|folder|queue))?\W*$"
    rf"|^(?:the|your|its|this) [a-z]+ (?:{LABEL} )?(?:then |now )?(?:moves|goes|is moved) "
    rf"(?:in)?to the {LABEL} (?:page|tab|list|section|table|view|panel|folder)\W*$",
    re.I,
)
"""`The pump `otter` is listed on the **Pumps** page.`"""
_GONE = re.compile(
    rf"^(?:the|its|your|this|{LABEL})(?: [^,;:]*?)? (?:(?:is|are|does|do) no longer|no longer "
    rf"(?:appears?|shows?|has|lists?|contains?)) [^,;:]*$",
    re.I,
)
"""`The status is no longer **Idle**.`"""
_BY_LOOKING = re.compile(
    r"^(?:by |when )?(?:brows|scroll|switch|mov|go|look|flick|pag)(?:p|t)?ing (?:through|between|"
    rf"down|over|across|around) [^,;:{_L}]+, you (?:can |will )?(?:also )?(?:see|view|find|"
    r"notice)\b[^;:]*$",
    re.I,
)
"""`Browsing through the tabs, you can see lists of disks.`"""
_SOMEBODY_CAN = re.compile(
    r"^(?:an? |the |all |only |other )?(?:administrators?|admins?|owners?|users?|members?|editors?|"
    r"viewers?|guests?|everyone|anyone|everybody)(?: of [a-z ]+)? (?:can|could|may|might) ",
    re.I,
)
"""`Administrators can drain a pump by clicking **Drain**.`"""
_ASKED_THEN = re.compile(
    r"^(?:before|when|once|after|if) [^,;:]+, you(?:['’]ll| will| are|['’]re| may)(?: be)? "
    rf"(?:prompted|asked) (?:to|for|whether|if) [^;:{_L}]*$",
    re.I,
)
"""`Before the pump ends, you will be prompted to confirm your choice.`"""
_WHETHER = re.compile(
    rf"^(?:{LABEL}\W+)?(?:toggle|choose|specify|decide|controls?|determines?|defines?|indicates?|"
    rf"(?:select|set|tells?|says?|shows?)) whether [^;:{_L}]*$",
    re.I,
)
"""`**Hidden**: toggle whether the pump is hidden.`"""
_GIVEN = re.compile(
    r"^(?:ensure|make sure|check|verify)(?: that)? (?:the |your |an? )?"
    rf"[^,;:.{_L}]+? (?:is|are) (?:already )?(?:enabled|available|installed|configured|supported|"
    r"set up|reachable) (?:for|in|on|by|from) (?:your|the|this) [a-z ]+(?: \(see [^)]*\))?\W*$"
    rf"|^(?:on|in) (?:the )?{LABEL}(?: (?:page|tab|step|pane|section))?, "
    rf"(?:verify|check|make sure|confirm)(?: that)? (?:you|your) [^,;:{_L}]*$",
    re.I,
)
"""`Ensure that draining is enabled for your account.`, `On **Drain**, verify that you
chose the right pump.`"""
_AS_DESIRED = re.compile(
    rf"^(?:(?:in|on|under|for) (?:the )?{LABEL}(?: [a-z]+){{0,2}}, )?"
    r"(?:update|change|adjust|edit|modify|customi[sz]e|review|configure|define) "
    r"(?:the|your|any|other|its)? ?"
    r"[a-z]+(?: [a-z]+){0,3} (?:as|if|where|when) (?:desired|needed|required|necessary|appropriate|"
    r"you (?:like|wish|want|need))(?: for (?:each|every|the|your) [a-z ]+)?\W*$",
    re.I,
)
"""`Update the valves as needed.`"""
_FORMS = (
    _SOMEBODY_CAN,
    _ASKED_THEN,
    _WHETHER,
    _GIVEN,
    _AS_DESIRED,
    _BY_LOOKING,
    _REST,
    _ENDED,
    _DEMANDED,
    _NEEDED,
    _GREYED,
    _BY_DEFAULT,
    _AGAIN,
    _SET_BEFORE,
    _SEEN_THERE,
    _TOLD_BY_A_MESSAGE,
    _CHANGES_INTO,
    _FOUND_THERE,
    _GONE,
    _OF_A_VALUE,
    _LED,
    _OTHERWISE,
    _WITH_OR_WITHOUT,
    _SEEN_ON_A_PAGE,
)


def is_remark(bare: str) -> bool:
    """True if the folded sentence has one of these forms."""
    told = (is_done_elsewhere, is_plain_remark, is_of_the_product, is_again)
    if any(is_told(bare) for is_told in told):
        return True
    return any(form.match(bare) for form in _FORMS)
