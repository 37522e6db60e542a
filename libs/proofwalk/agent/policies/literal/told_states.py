"""Rewrites sentences that tell the state in which something is to be: a box that is
cleared, a list that is open, a panel that is closed.

As in `paraphrases`, each row is a form and what means the same: `Ensure that the
**Strict** box is cleared` becomes `clear **Strict**`. What may only be looked at
(`Verify that the pump is running`) is none of them.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_EDGE = rf"^(?P<edge>[^\w{_L}]*)"
_BOX = r"(?: (?:check ?box|box|option|setting|switch|toggle))?"
_LIST = r"(?:drop-?down|list|selector)(?: (?:list|menu|box))*"
_PANEL = r"(?:panel|dialog(?: box)?|window|menu|pop-?up|drawer|pane|modal)"
_ON = r"(?:selected|ticked|checked|enabled|on|active|turned on|switched on)"
_OFF = (
    r"(?:not (?:selected|ticked|checked|enabled|on|active)|cleared|unchecked|unticked|disabled|off|"
    r"turned off|switched off)"
)
_TO_OFF = r"(?:clear|uncheck|untick|deselect|disable|turn off|switch off|turn|switch)"
_TO_ON = r"(?:select|check|tick|enable|turn on|switch on|activate|turn|switch)"
_SENT = r"(?:submit|save|send|apply)"
_END = r"(?=\s*(?:[.,;]|$|\band\b|\bthen\b))"
_SAME = rows(
    # `Make sure **Strict** set to **Off**`
    (
        rf"{_EDGE}make sure(?: that)? (?P<field>{LABEL}) set to (?={LABEL})",
        r"\g<edge>set \g<field> to ",
    ),
    # `Make sure the **Strict** check box next to the list is selected`
    (
        rf"{_EDGE}(?:ensure|make sure)(?: that)? (?:the )?(?P<box>{LABEL}){_BOX}"
        rf" (?:next to|beside|above|below|under) [a-z ]+? is (?:selected|checked|ticked){_END}",
        r"\g<edge>tick \g<box>",
    ),
    # `Configure items and click **Save**`
    (
        rf"{_EDGE}configure (?:the )?(?:items|fields|rest) and "
        r"(?=(?:then )?(?:click|select|press))",
        r"\g<edge>fill in the form and ",
    ),
    # `See to it that **Strict** is on`
    (rf"{_EDGE}see to it that ", r"\g<edge>make sure that "),
    # `Ensure that the **Strict** box is cleared`
    (
        rf"{_EDGE}(?:ensure|make sure|verify|check)(?: that)? (?:the )?(?P<box>{LABEL}){_BOX}"
        r" is (?:cleared|clear|unchecked|unticked|deselected|unselected|"
        rf"not (?:selected|checked|ticked)){_END}",
        r"\g<edge>clear \g<box>",
    ),
    # `If **Strict** is selected, clear it`
    (
        rf"{_EDGE}if (?:the )?(?P<box>{LABEL}){_BOX} is (?:still |already )?{_ON}, (?:then )?"
        rf"{_TO_OFF} it(?: off)?{_END}",
        r"\g<edge>clear \g<box>",
    ),
    (
        rf"{_EDGE}if (?:the )?(?P<box>{LABEL}){_BOX} is {_OFF}, (?:then )?"
        rf"{_TO_ON} it(?: on)?{_END}",
        r"\g<edge>tick \g<box>",
    ),
    # `Turn on notices with the **Notify** switch`
    (
        r"\b(?P<way>turn on|switch on|enable|activate|turn off|switch off|disable) "
        rf"(?:the |your )?[a-z][a-z -]*? (?:with|using|via|by) (?:the )?(?P<box>{LABEL}) "
        r"(?:toggle|switch|slider|check ?box|option)" + _END,
        r"\g<way> \g<box>",
    ),
    (rf"\bdeactivate (?=(?:the )?{LABEL})", "turn off "),
    # `Open the **Zone** drop-down and choose **East**`
    (
        rf"\b(?:open|expand|click) the (?P<list>{LABEL}) {_LIST},? and (?:then )?"
        rf"(?=(?:choose|select|pick) (?:the )?{LABEL})",
        r"in the \g<list> drop-down list, ",
    ),
    # `Use the slider to set the depth to 3`
    (
        r"\buse the (?:slider|field|selector|stepper|controls?|arrows?) to "
        rf"(?=(?:set|change|increase|reduce) (?:the )?[a-z{_L}])",
        "",
    ),
    # `Click anywhere outside of the panel to close it`
    (
        rf"\bclick (?:anywhere )?(?:outside|beside)(?: of)? the (?P<panel>{_PANEL})"
        rf"(?: to (?:close|dismiss) it)?{_END}",
        r"close the \g<panel>",
    ),
    # `Check the box to acknowledge that it is final`
    (
        r"\b(?:check|tick|select) the (?:check ?)?box (?:to|and) "
        rf"(?:acknowledge|confirm|accept|agree|indicate)\b[^,;.:{_L}]*",
        "select the check box",
    ),
    # `Accept the confirmation`
    (
        r"\b(?:accept|approve|acknowledge) the confirmation"
        rf"(?: (?:dialog|message|prompt|window))?{_END}",
        "confirm the change",
    ),
    # `Fill out the form and submit it`
    (rf"\bform,? and (?:then )?(?P<sent>{_SENT}) it{_END}", r"form, and \g<sent> the form"),
    # `Click **Next** until you reach the **Review** step`
    (
        rf"\buntil you (?:reach|get to|arrive at|see|are on) (?:the )?(?P<part>{LABEL})"
        r"(?: (?P<kind>step|page|tab|screen|section))?",
        r"until the \g<part> \g<kind> appears",
    ),
    # `Skip the **Labels** step and click **Next**`
    (
        rf"{_EDGE}skip (?:the )?{LABEL}(?: (?:step|section|page|tab|screen))?,? and "
        r"(?:then )?(?=(?:click|select|choose|press)\b)",
        r"\g<edge>",
    ),
)


def told_states(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
