"""Remarks on what the product does by itself, what it allows, and what it costs.

As in `whole_remarks`, which asks here too, each form takes the whole sentence: its
subject is the product, a thing in it or a message. No clause behind it may be an
instruction.
"""

from __future__ import annotations

import re

from proofwalk.agent.policies.literal.remainders import asks_behind
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_LASTS = re.compile(
    r"^(?:(?:depending on|based on|because of) [^,;:]*, )?"
    r"(?:it|this|that|(?:the|an?|this|your) [^,;:]*?|[a-z]+ing [^,;:]*?) "
    r"(?:(?:can|may|might|could|will|usually|typically|normally|generally|should) )*takes? "
    r"(?:(?:from|about|around|up to|at most|at least|only|roughly|approximately|less than|"
    r"more than|between|as long as) )*"
    r"(?:(?:an?|some|several|two|three|four|five|ten|\d+(?:[-–]\d+)?)(?: (?:few|couple of))? )?"
    r"(?:(?:to|and) \d+ )?(?:seconds?|minutes?|hours?|days?|moments?|while|time)\b[^;:]*$",
    re.I,
)
"""`It can take a few minutes for the pump to enter the **Idle** state.`"""
_MAIL = re.compile(
    r"^(?:(?:then|next|now|shortly|afterwards?|(?:after|once|when) [^,;:]*),? )?"
    r"(?:you|the [a-z]+|each [a-z]+|they)(?: will|['’]ll| should)?(?: (?:then|also|now|soon))? "
    r"(?:receives?|gets?|be sent|is sent|are sent) (?:an?|the|one) [^;]*?"
    r"\b(?:e-?mail|message|notification|text|SMS|code|invitation|link|confirmation)\b[^;]*$",
    re.I,
)
"""`You receive an email with the subject line Pump made.`"""
_WE_DO = re.compile(
    r"^(?:(?:by default|otherwise|if you (?:do not|don['’]t) [^,;:]*),? )?we (?:automatically |"
    r"also |then |always |only )?(?:send|display|show|charge|bill|use|provide|create|keep|store|"
    rf"assign|select|support|offer|generate|calculate|apply|notify|delete|retain)\b[^;:{_L}]*$",
    re.I,
)
"""`By default, we send notifications for any change.`"""
_VALID = re.compile(
    r"^(?:for [^,;:]*, )?(?:the )?(?:only )?(?:valid|allowed|supported|possible|accepted|"
    r"available|permitted|recommended) (?:[a-z]+ )?(?:values?|options?|choices?|types?|formats?|"
    r"characters?|ranges?|settings?|names?|units?)(?: (?:for|of|in) [^,;:]*?)? "
    r"(?:are|is|include|range|depend)\b[^;]*$"
    rf"|^(?:for [^,;:]*, )?only (?:the )?{LABEL}(?:(?:,| and|, and) {LABEL})* (?:is|are) "
    r"(?:valid|allowed|supported|accepted|available|possible)[^;:]*$",
    re.I,
)
"""`For steam pumps, valid values are **Slow** and **Fast**.`"""
_RANGE = re.compile(
    r"^(?:if [^,;:]*, )?the (?:valid |allowed |supported )?(?:range|minimum|maximum|limit|"
    rf"default(?: value)?)(?: [^,;:]*?)? (?:is|are)\b[^;:{_L}]*$",
    re.I,
)
"""`If the pump has no lid, the range is 1 to 100 years.`"""
_IN_A_FORMAT = re.compile(
    r"^(?:note that )?you (?:must|have to|need to) "
    r"(?:enter|specify|provide|use|give|type) [^;:]*?"
    rf"\b(?:in (?:the|this|an?) [^,;:]*?\bformat|not (?:just|only) [^,;:{_L}]+|"
    rf"(?:with|without) (?:a |the |any )?(?:leading|trailing) [^,;:{_L}]+)\W*$",
    re.I,
)
"""`You must enter the time in the `hh:mm` format.`"""
_IN_FORM = re.compile(
    r"^the (?:[a-z]+ ){1,3}must be (?:entered|specified|given|provided|written) (?:in|as) "
    r"[^,;]*$",
    re.I,
)
"""`The time must be entered in the `hh:mm` format.`"""
_READY = re.compile(
    r"^(?:(?:when|once|after|as soon as) [^;:]*?, )?(?:the|your|this|it)(?: [^,;:]*?)? (?:is|are) "
    r"(?:now |then )?ready (?:to use|to be used|for use|to accept [a-z ]+)\W*$",
    re.I,
)
"""`When the pump is **Idle**, it is ready to use.`"""
_WHEN_IT_CAN = re.compile(
    rf"^(?:when|once|after|while) (?:the|an?|your|this|it)\b[^,;:]* (?:is|are|has been|have been) "
    rf"[^,;:]*, you can (?:also |then )?[^;:{_L}]*$",
    re.I,
)
"""`When **Strict** is enabled, you can set limits.`"""
_MADE_FOR_YOU = re.compile(
    rf"^(?:the following|these) [^,;:{_L}]*? (?:are|is) (?:automatically |also )?(?:created|"
    rf"attached|assigned|added|applicable|provided|available|shown|displayed|listed|supported|"
    rf"installed|deleted|removed)\b[^;{_L}]*$",
    re.I,
)
"""`The following valves are automatically created:`"""
_IF_IT_IS_SO = re.compile(
    rf"^(?:if|when) (?:the )?(?:value|state|status|{LABEL})(?: (?:of|for) (?:the )?{LABEL})?"
    rf"(?: [a-z]+)? (?:is|equals|says|shows)(?: set to)? (?:{LABEL}|[A-Za-z-]+), (?:then )?"
    rf"(?:the|it|this|that|an?|your|these|they) [^;:{_L}]*$",
    re.I,
)
"""`If **Start** is **Now**, the pump runs at once.`"""
_FILTERS = re.compile(
    r"^(?:you can (?:also )?)?use the (?:filter|search) (?:field|box|bar|icon)s?(?: [^,;:]*?)? to "
    rf"(?:filter|search|narrow|find|limit|sort)\b[^;:.{_L}]*\W*$"
    rf"|^(?:you can (?:also )?)?use the {LABEL} (?:drop-?down|menu|list|filter|selector)"
    rf"(?:[ -][a-z]+)? to (?:filter|narrow|sort|limit)\b[^;:.{_L}]*\W*$",
    re.I,
)
"""`Use the filter box to filter the list by name.` Its reader may look as well."""
_FORMS = (
    _FILTERS,
    _IF_IT_IS_SO,
    _LASTS,
    _MAIL,
    _WE_DO,
    _VALID,
    _RANGE,
    _IN_A_FORMAT,
    _IN_FORM,
    _READY,
    _WHEN_IT_CAN,
    _MADE_FOR_YOU,
)


def is_of_the_product(bare: str) -> bool:
    """True if the folded sentence has one of these forms."""
    told = any(form.match(bare) for form in _FORMS)
    return told and not asks_behind(bare, coordinated=True)
