"""Rewrites sentences that tell of a file by the control that takes it.

As in `paraphrases`, each row is a form and what means the same: `Click **Browse**
beside **Key** to upload the key file` becomes `upload the key file in the **Key**
field`.
"""

from __future__ import annotations

from proofwalk.agent.policies.literal.rewording import reworded, rows
from proofwalk.agent.reading.marks import LABEL

_L = LABEL[1:-1]
_FILE = rf"(?:(?:the|an?|your) [^,;.{_L}]*?\b(?:files?|image|icon|logo|certificate|key|archive)\b)"
_SAME = rows(
    # `Click **Browse...** beside **Key** to upload the key file`
    (
        rf"\bclick (?:on )?{LABEL}(?: ?(?:\.\.\.|…))? (?:beside|next to|under|for) (?:the )?"
        rf"(?P<field>{LABEL})(?: field)? to (?:upload|import|select|choose|attach) "
        rf"(?P<file>{_FILE})(?=\s*\.?\s*$)",
        r"upload \g<file> in the \g<field> field",
    ),
    # `Select the certificate file by clicking **Import file**`
    (
        rf"^(?P<edge>\W*)(?:select|choose|upload|pick) (?P<file>{_FILE}) by clicking (?:on )?"
        rf"(?:the )?(?P<button>{LABEL})(?: button)?(?=\s*\.?\s*$)",
        r"\g<edge>upload \g<file> with \g<button>",
    ),
    # `Select **Upload**, then choose the mill file from your computer`
    (
        rf"\b(?:click|select|choose|press) (?:on )?(?:the )?(?P<button>{LABEL})"
        r"(?: (?:button|option|tab))?(?:,? and(?: then)?|,? then) (?:select|choose|pick|find) "
        rf"(?P<file>{_FILE}) (?:from|on) your (?:own |local )?(?:computer|machine|device|disk|"
        r"drive|(?:file )?system)(?=\s*(?:[.;]|$))",
        r"upload \g<file> with \g<button>",
    ),
    # `Select **Upload**, then browse to and choose the mill file`
    (
        rf"\b(?:click|select|choose|press) (?:on )?(?:the )?(?P<button>{LABEL})"
        r"(?: (?:button|option|tab))?(?:,? and(?: then)?|,? then) browse (?:to|for) and (?:then )?"
        rf"(?:select|choose|upload|open) (?P<file>{_FILE})(?=\s*(?:[.;]|$))",
        r"upload \g<file> with \g<button>",
    ),
    # `Click **Browse** and select the certificate file`
    (
        rf"\bclick (?:on )?(?:the )?(?P<button>{LABEL})(?: button)?(?:,? and(?: then)?|,? then) "
        rf"(?:select|choose|pick|find) (?P<file>{_FILE})(?=\s*(?:[.;]|$))",
        r"upload \g<file> with \g<button>",
    ),
    # `Drag the file into the upload area, or click **Browse**`
    (
        r"^(?P<edge>\W*)(?:drag(?: and drop)?|drop) (?P<file>(?:the|an?|your) [a-z ]*file) "
        rf"(?:in|into|onto|on|to) the [a-z -]*area,? or click (?:on )?(?P<button>{LABEL})"
        r"(?=\s*(?:[.;]|$))",
        r"\g<edge>upload \g<file> with \g<button>",
    ),
    # `After clicking **Import**, you can select the files to upload`
    (
        rf"^(?P<edge>\W*)after clicking (?:on )?(?P<button>{LABEL})(?: button)?,? you can "
        rf"(?:select|choose|upload) (?:the |one or more |a )(?P<file>[a-z ]*files?)"
        r"(?: from your (?:local )?(?:device|computer|machine|disk))?(?: to (?:upload|import))?"
        r"(?=\s*\.?\s*$)",
        r"\g<edge>upload the \g<file> with \g<button>",
    ),
    # `Select the file or files that you want to attach`
    (r"\bthe file or files (?=(?:that )?you want to\b)", "the files "),
)


def told_files(piece: str) -> str:
    """Return the sentence in the clause rules' words; unchanged if no row fits."""
    return reworded(piece, _SAME)
