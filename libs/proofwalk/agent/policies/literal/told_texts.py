"""Rewrites sentences that tell what is typed: instead of what, in which form, and what
for.

As in `paraphrases`, each row is a form and what means the same: `Replace the default
with `3`` becomes `enter `3``, and `Enter a number between 1 and 10` becomes `enter a
number`: a value for it is made by what the field says.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_ENTER = r"(?:enter|type|specify|provide|input)"
_BOX = r"(?: (?:field|box|text ?box|input(?: field)?))?"
_OLD = (
    r"(?:(?:the|its) )?(?:default|current|existing|old|suggested|proposed)"
    r"(?: (?:value|text|content|name|number|setting))?"
)
_OF_TEXT = (
    r"(?:title|name|description|comment|note|message|remark|value|label|tag|email address|url)"
)
_END = r"(?=\s*(?:[.,;]|$|\band\b|\bthen\b))"
_SAME = rows(
    # `Replace the default with `3``, `Change the default to `3``
    (
        rf"\breplace {_OLD} (?:of|in) (?:the )?(?P<field>{LABEL}){_BOX} (?:with|by) "
        rf"(?P<value>{LABEL}){_END}",
        r"set \g<field> to \g<value>",
    ),
    (
        rf"\b(?:(?:replace|overwrite) {_OLD} (?:with|by)|change {_OLD} to) (?={LABEL}{_END})",
        "enter ",
    ),
    # `Replace `80` with `3` in the **Port** field`
    (
        rf"\b(?:replace|overwrite) {LABEL} (?:with|by) (?P<value>{LABEL}) in (?:the )?"
        rf"(?P<field>{LABEL}){_BOX}{_END}",
        r"enter \g<value> in \g<field>",
    ),
    # `Clear the field and enter `3``
    (
        rf"\b(?:clear the (?:field|box)|(?:delete|remove|clear) {_OLD}),? and (?:then )?"
        r"(?=(?:enter|type)\b)",
        "",
    ),
    # `Type `night` in the confirmation box`
    (
        rf"\b{_ENTER} (?P<value>{LABEL}) (?:in|into) the (?:confirmation|text|input|empty) "
        rf"(?:box|field|input){_END}",
        r"type \g<value>",
    ),
    # `Enter a name in **Name**; names must be unique`
    (
        rf"(?P<act>{LABEL}(?: [a-z]+)?|[a-z])(?:;|\s[-–—]) (?:(?:the|your|all) )?"
        r"(?:names?|values?|keys?|spaces|letters|it|they|this) "
        rf"(?:must|can|cannot|should|may|is|are|will) [^,;.{_L}]*(?=\.?\s*$)",
        r"\g<act>",
    ),
    # `a short description so that others know what it is for`
    (
        rf"(?P<what>\b{_ENTER} (?:an?|the|your) (?:[a-z]+ )?{_OF_TEXT})"
        rf"(?: so (?:that )?[^,;.{_L}]*| if you (?:like|want|wish)){_END}",
        r"\g<what>",
    ),
    # `State a reason`, `Leave a comment (optional)`
    (r"\bstate (?=an? (?:[a-z]+ )?(?:reason|comment|purpose))", "enter "),
    (
        r"\bleave (?P<what>an? (?:[a-z]+ )?(?:comment|note|message|remark))"
        rf"(?: \(optional\))?{_END}",
        r"enter \g<what>",
    ),
    # `Enter these values:`
    (
        r"\b(?:(?:enter or select|select or enter|enter|specify|provide|set)) these "
        r"(?P<what>values|settings|details|options)(?=\s*:)",
        r"specify the following \g<what>",
    ),
    # `In the first empty row, type `otter` for the name`
    (
        r"^(?P<edge>\W*)in (?:that|the (?:first|next|last|new)) (?:empty |blank |new )?"
        r"row(?: below)?, (?=(?:enter|type|specify|select|choose)\b)",
        r"\g<edge>",
    ),
    # `Enter its address`
    (r"\b(?P<act>enter|type|specify|provide|paste) its (?=[a-z])", r"\g<act> the "),
    # `Enter a number between 1 and 10`
    (
        r"\b(?P<what>an? (?:whole )?(?:integer|number|value|port|percentage)) "
        r"(?:between|from) \d+ (?:and|to) \d+\b",
        r"\g<what>",
    ),
    (
        r"\b(?:set|choose|select|specify) (?P<what>an? [a-z]+) "
        r"(?:between|from) \d+ (?:and|to) \d+\b",
        r"enter \g<what>",
    ),
    # `Enter a port (for example, 80) in **Port**`
    (
        rf"\b{_ENTER} (?P<what>an? [a-z][a-z -]*?) \((?:for example|e\.g\.|such as),? "
        rf"(?P<like>{LABEL}|[\w./:-]+)\) (?:in|into|for) (?:the )?(?P<field>{LABEL})"
        rf"{_BOX}{_END}",
        r"in the \g<field> field, enter \g<what>, for example \g<like>",
    ),
    # `Enter the following command in the **Command** field: `drain``
    (
        rf"\b{_ENTER} the following(?: [a-z]+)? (?:in|into|for) (?:the )?(?P<field>{LABEL})"
        rf"{_BOX}:? (?P<value>{LABEL}){_END}",
        r"enter \g<value> in \g<field>",
    ),
    (rf"\b(?P<act>{_ENTER}|paste) the following(?: [a-z]+)?:? (?={LABEL}{_END})", r"\g<act> "),
    # `Add a tag with the name `A` and the value `B``
    (
        r"\badd (?:an?|the) tag (?:(?:with the (?:name|key)|named|called) )?"
        rf"(?P<key>{LABEL}),? (?:and|with)(?: (?:the|a))? value (?:of )?(?P<value>{LABEL})",
        r"enter \g<key> as the tag key and \g<value> as the tag value",
    ),
    # `Enter `A` for the name and `8` for the value`
    (
        rf"\b{_ENTER} (?P<one>{LABEL}) (?:for the (?P<of>[a-z]+)|as the (?P<as>name)),? and "
        rf"(?P<two>{LABEL}) (?:for|as) the (?P<other>[a-z]+){_END}",
        r"enter \g<one> as the \g<of>\g<as>, and enter \g<two> as the \g<other>",
    ),
)


def told_texts(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
