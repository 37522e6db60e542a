"""Rewrites what a document leaves to its reader: forms, fields that appear, panels.

As in `paraphrases`, each row is a form and what means the same. `Complete the **Add
pump** form` and `Edit the required information` become `fill in the form`: with what,
the list below it or the episode says (`open_forms`).
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_PARTS = (
    r"(?:information|details|data|values|settings|fields|options|parameters|configuration|"
    r"properties)"
)
_LEFT = (
    r"(?:required|necessary|relevant|desired|other|remaining|additional|rest of the|applicable|"
    r"appropriate|needed)"
)
_AS_NEEDED = (
    r"(?:,? (?:as|where|if|when) (?:needed|required|necessary|desired|appropriate|applicable|"
    r"you (?:need|like|want|wish))"
    r"|,? (?:according to|based on|to (?:suit|match|fit)) (?:your|the) [a-z ]{3,40})"
)
_WANTED = r"(?: (?:that )?you (?:need|want|require|like|wish))"
_LIKE = r"(?:,? (?:such as|including|like|for example,?|e\.g\.,?) [^.;:]+)"
_END = r"(?=\s*(?:[.,;:]|$|\band\b|\bthen\b))"
_SAME = rows(
    # `Fill out the form`, `complete the **Add pump** form`
    (
        r"\b(?:fill (?:in|out)|complete|finish) (?:each|every|all) (?:section|field|part)s? "
        rf"(?:of|in|on) the form{_END}",
        "fill in the form",
    ),
    (
        r"\b(?:fill (?:in|out)|complete) (?:the (?:rest|remainder) of )?(?:the|this|that) "
        rf"(?:{LABEL} )?(?:registration |creation |configuration |new )?"
        rf"(?:form|dialog(?: box)?|panel|drawer|window){_END}",
        "fill in the form",
    ),
    # `Fill in the boxes that appear`
    (
        r"\bfill (?:in|out) the (?:boxes|fields|values) (?:that|which) "
        rf"(?:appear|are shown|open){_END}",
        "fill in the form",
    ),
    # `Complete the fields and click **Create**`
    (
        r"\b(?:complete|fill (?:in|out)|configure) (?:the|all|all the|any) "
        r"(?:(?:(?:required|other|remaining|necessary|rest of the) ){1,2}"
        r"(?:settings|options|parameters)|"
        r"(?:(?:required|other|remaining|necessary|rest of the) ){0,2}"
        r"(?:fields|items|details|information))"
        rf"(?: (?:to|for|of|in) [^,;.:{_L}]*)?"
        r"(?=,? and (?:then )?(?:click|select|choose|press)\b|\s*[.:]?\s*$)",
        "fill in the form",
    ),
    # `Complete the required information`, `Enter the new information`
    (
        r"\b(?:complete|enter|provide) (?:the|all|all the) (?:required|necessary|relevant|new) "
        r"(?:information|details|data)"
        rf"(?:,? using (?:the )?[^,;.:{_L}]*? as a (?:guide|reference))?"
        r"(?=\s*(?:[.:]?\s*$|,? and (?:then )?(?:click|select|choose|press)\b))",
        "fill in the form",
    ),
    # `Edit the required information`
    (
        rf"\bedit (?:the|any|your) (?:required |necessary |relevant |desired |other )?{_PARTS}"
        rf"(?: (?:as|where) (?:needed|required|necessary|desired|appropriate))?{_END}",
        "fill in the form",
    ),
    # `The **Depth** and **Reach** fields are required`
    (
        rf"^(?P<edge>\W*)(?:the |all |both )?{LABEL}(?:(?:,? and |, ){LABEL})* "
        r"(?:fields?|values?|parameters?|options?|inputs?) (?:is|are) (?:all |both )?"
        r"(?:required|mandatory)(?=\s*\.?\s*$)",
        r"\g<edge>fill in the form as it demands",
    ),
    # `Adjust the remaining options as needed`
    (
        rf"^(?P<edge>[^\w{_L}]*)(?:(?:in|on|under) (?:the )?{LABEL}(?: [a-z]+){{0,2}}, )?"
        r"(?:configure|specify|define|complete|adjust|change|modify|update|set|"
        r"customi[sz]e|review|edit|fill(?: in| out)?) (?:and [a-z]+ )?"
        rf"(?:the|any|all|your) (?:(?:{_LEFT} )?"
        rf"(?:[a-z][a-z'-]* ){{0,2}}{_PARTS}{_LIKE}?(?:{_AS_NEEDED}|{_WANTED}{_LIKE}?)|"
        rf"{_LEFT} (?:[a-z][a-z'-]* ){{0,3}}[a-z-]+{_AS_NEEDED})(?=\s*\.?\s*$)",
        r"\g<edge>optionally, fill in the form",
    ),
    # `enter a key and a value in the fields that appear`
    (
        r"\s+in the (?:fields?|form|dialog(?: box)?|window|pop-?up|box|boxes|row) "
        r"(?:that|which) (?:appears?|opens?|comes? up|pops? up|is (?:shown|displayed)|are "
        r"(?:shown|displayed))(?=\s*(?:[.;]|$))",
        "",
    ),
    # `Select **By hand** as the option for making a pump`
    (
        rf"(?P<chosen>\b(?:select|choose|pick) {LABEL}) as (?:the|your) "
        rf"(?:option|choice|method|way|setting) (?:for|to|of) [^,;.{_L}]+{_END}",
        r"\g<chosen>",
    ),
    # `enable **Strict** by ticking the box`
    (
        r"\s+by (?:checking|ticking|selecting|marking) (?:the|its|this) (?:check ?)?box" + _END,
        "",
    ),
    # `Confirm the password`
    (r"\bconfirm (?:the|your)(?: new)? password" + _END, "re-enter the password"),
    # `search for and select the pump`
    (r"(?<!to )\b(?:search|look) for and (?:then )?(?=(?:select|choose|pick|click)\b)", ""),
    # `go to the **Drain** field and click **Yes**`
    (
        rf"\bgo to (?:the )?(?P<field>{LABEL}) field and (?:click|select|choose) "
        rf"(?P<value>{LABEL}){_END}",
        r"set \g<field> to \g<value>",
    ),
    # `Assign a path in the **Mount** field`
    (
        rf"\b(?:assign|store|put|record|write|supply|provide) "
        rf"(?P<what>(?:an?|the|your|any) [a-z][^,;.{_L}]*?|notes [^,;.{_L}]*?) "
        rf"in(?:to)? (?:the )?(?P<field>{LABEL}) "
        r"(?=field|box)",
        r"enter \g<what> in the \g<field> ",
    ),
    # `click inside the **Log** field`
    (rf"\bclick (?:inside|in|into|within) (?:the )?(?={LABEL} (?:field|box)\b)", "click the "),
    # `Use the fields on the **General** tab to say what it is`
    (
        rf"^(?P<edge>\W*)use the (?:following )?fields? "
        rf"(?:in|on|from|within|of|under) (?:the )?(?P<tab>{LABEL}) tab"
        rf"(?: to [^,;:.{_L}]+)?(?=\s*[.:]?\s*$)",
        r"\g<edge>click the \g<tab> tab",
    ),
    # `Use the **SQL** tab for review; revisit the others to make changes`
    (
        rf"^(?P<edge>\W*)use the (?P<tab>{LABEL}) (?P<part>tab|panel|page) for review;? "
        r"(?:revisit|return|go back|switch)\b.*$",
        r"\g<edge>review the \g<tab> \g<part>",
    ),
    # `click **Drain**, and a popup will appear`
    (
        r",?\s+and (?:an?|the|another) (?:[a-z-]+ ){0,3}?"
        r"(?:pop-?up|dialog(?: box)?|window|menu|drawer|modal|drop-?down(?: menu)?|prompt|form)"
        rf"(?: (?:with|asking) [^,;.{_L}]+)? (?:will )?"
        rf"(?:appears?|opens?|pops? up|shows?(?: up)?|be (?:displayed|shown))"
        rf"(?: (?:on|in|at|with) [^,;.{_L}]+| to confirm (?:it|(?:the|your) [a-z]+))?"
        r"(?=\s*(?:[.;]|$))",
        "",
    ),
    # `enter a key and value`
    (
        r"\b(?P<one>(?:enter|specify|type|provide|input) (?:an?|the) [a-z]+) and (?:an? |the )?"
        r"(?P<other>value|name|title|description|password|comment|key|label|port)"
        r"(?=\s*(?:[.,;]|$|\b(?:in|into|for|of|to|and|then)\b))",
        r"\g<one>, and enter a \g<other>",
    ),
    # `select the valves (`a` and `b`) to be drained`
    (
        r"\b(?P<verb>select|choose|check|tick|pick) the (?:appropriate |desired |relevant )?"
        rf"[a-z][a-z-]* \((?P<names>{LABEL}(?:(?:, | and |, and ){LABEL})*)\)"
        rf"(?: to be [a-z]+(?: (?:to|from|in|into) (?:the )?(?:{LABEL}|[a-z]+))?)?{_END}",
        r"\g<verb> \g<names>",
    ),
)


def left_open(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
