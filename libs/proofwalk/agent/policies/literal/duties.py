"""Recognises sentences with a subject and a finite verb that are instructions all the
same.

`You have to …`, `The next step is to …`, `The pump must be restarted`, `a form in which
you name it`. Their form is that of a fact, but they oblige the reader, so `prose` does
not take them for facts. What somebody else has to do ("by the owner", "your
administrator must") remains a fact. `remainders` finds the imperatives that follow a
fact.
"""

from __future__ import annotations

import re

from proofwalk.agent.reading.marks import LABEL

_ADVERB = r"(?:(?:now|then|first|next|also|still|just|only|always|therefore|finally|\w+ly)\s+)*"
_DUTY = r"(?:must|should|shall|ha(?:ve|s) to|needs? to|ought to|had better|(?:are|is) to)"
_SEEING = r"(?:see|find|notice|be|have|know|note|understand|remember|get|receive|land|end up)\b"
_NO_ACT = rf"(?!{_ADVERB}(?:not\b|{_SEEING}))(?!.*\blater\b)"
_STATE = (
    r"(?:are|were|will|would|cannot|can['’]t|won['’]t|can|could|may|might|must|should|have|had|do|did|need|want|get|see|"
    r"find|know|pay|own|receive|notice|think|like|prefer|use)\b"
)
_DONE = (
    r"(?:[a-z-]+(?:ed|en|wn)|set|put|cut|run|shut|sent|left|built|made|kept|found|held|told|done|"
    r"brought|reset)"
)
_APPEARS = (
    r"(?:displayed|listed|shown|seen|created|redirected|taken|finished|completed|found|visible)"
)
_NOT_BY_OTHERS = r"(?![^,;]*\bby (?:the|an?|your|its|their) )"
_YOU_HAVE_TO = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|but|then|so|that|where|now|there|here|next|first)\s+)(?:you|we)\s+"
    rf"{_ADVERB}(?:(?:will|would|may|might)\s+|['’]ll\s+)?{_ADVERB}"
    rf"(?:{_DUTY}|(?:need|have|want|like) to)\s+{_NO_ACT}[a-z]"
    rf"|^(?:you|we)['’](?:ll|re|d)\s+(?!{_ADVERB}(?:need|want)\s+(?!to\b)){_NO_ACT}[a-z]"
    rf"|\b(?:you|we)\s+(?:are|will be)\s+{_ADVERB}(?:ready|set|free|going|supposed|expected|"
    r"required|requested|asked|prompted|invited|about|advised|obliged)\b"
    r"|^you (?:\w+ )?have (?:\w+ ){1,4}to "
    r"(?!(?:the|an?|all|any|every|each|your|its?|this)\b)[a-z]+"
    r"|^we\s+(?:are\s+(?:now\s+)?[a-z]+ing|will|shall)\b"
    r"|^we\s+(?:\w+ly\s+)?(?:recommend|suggest|advise|propose)\b",
    re.I,
)
_YOU_DO = re.compile(
    r"(?:[,;:]\s*(?:and |so |but |then )*|\b(?:and|so|but|which is why|in which case|"
    rf"(?:in|on|with|of|from) which) )(?:you|we) {_ADVERB}(?!{_STATE})[a-z]+(?<!ed)\b"
    rf"|\ban? (?:[\w-]+ ){{1,3}}(?:where|which|that) you {_ADVERB}(?!{_STATE})[a-z]+(?<!ed)\b"
    rf"|^you (?:(?:will|should|can) )?{_ADVERB}(?:see|find|notice|get)\b.*"
    r"\b(?:and|then) [a-z]+ (?:it|them)\b"
    r"|\bby you\b",
    re.I,
)
"""A clause with *you* after a fact: `…, and you refill it`, `a form in which you name
it`, `you see a form and fill it`."""
_WHERE_YOU = re.compile(
    r"(?:\b(?:is|['’]s)\s+(?:also\s+)?(?:where|when|how)"
    r"|,\s*(?:where|which|whose|(?:in|from|at|on|with|by|for) which)(?:\s+[a-z]+)?)"
    rf"\s+you\s+{_ADVERB}(?!(?:can|could|may|see|find|get|will see|will find)\b)[a-z]",
    re.I,
)
_TO_BE_DONE = re.compile(
    r"\b(?:must|shall|ha(?:s|ve) to|needs? to|(?:is|are) to|ought to)\s+"
    rf"{_ADVERB}be\s+{_ADVERB}{_DONE}\b{_NOT_BY_OTHERS}"
    rf"|\bshould\s+{_ADVERB}be\s+{_ADVERB}(?!{_APPEARS}\b){_DONE}\b{_NOT_BY_OTHERS}"
    r"|\b(?:is|are) to be\b|\b(?:needs?|wants?|requires?)\s+[a-z]+ing\b(?! that\b)"
    rf"|\bthere (?:is|are)\b.*\bto be {_DONE}\b"
    r"|\b(?:is|are) (?:done|achieved|reached|accomplished|performed) by [a-z]+ing\b",
    re.I,
)
_REQUIRED = re.compile(
    r"^(?!(?:no|nothing|neither|none)\b)(?!.*\b(?:not|no longer|n't)\s).*"
    r"\b(?:is|are)\s+(?:now |also )?(?:required|mandatory|compulsory|obligatory|needed|necessary|"
    r"due|called for|up to you|your (?:turn|choice|task|job))"
    r"(?=\s*(?:[,.;:!]|$|here|now|first|too))",
    re.I,
)
_IT_IS_TO = re.compile(
    r"\b(?:it|that|this)"
    r"(?:['’]s|\s+(?:is|remains|(?:would|may|might|will) be|makes|pays|helps))\s+"
    r"(?!not\b|no\b)(?!(?:\w+ly )?(?:possible|impossible|easy|hard|difficult|enough|common|"
    r"normal|fine|safe|free|used|said|able|allowed|up)\b)"
    r"(?:[\w'’-]+\s+){0,4}?(?:to\s+(?!the\b|an?\b|be\b)[a-z]|that you\b)"
    r"|\bit (?:remains|pays|helps) to\b",
    re.I,
)
_LABEL_HAS_TO = re.compile(
    rf"{LABEL}[^.;{LABEL[1:-1]}]*?"
    r"\b(?:(?:must|shall|ha(?:s|ve) to|needs? to|(?:is|are) to)\b"
    rf"|should (?:now |then |also )?be (?!{_APPEARS}))",
    re.I,
)
_CONTROL_HAS_TO = re.compile(
    r"\b(?:fields?|(?:check ?)?box(?:es)?|switch(?:es)?|toggles?|sliders?|radio buttons?|"
    rf"drop-?downs?)\b[^,;]*\b{_DUTY}\b"
    rf"(?! (?:now |then )?(?:be )?(?:{_APPEARS}|appear|show|open))",
    re.I,
)
_PAGE_WANTS = re.compile(
    r"\b(?:fields?|box(?:es)?|form|dialog|wizard|prompt|input|cell|line|step|page)\b[^,;]*"
    r"\b(?:needs|requires|expects|wants|takes|awaits)\s+"
    r"(?!no\b|about\b|effect\b|place\b|some time\b|an? (?:while|moment|minute|second))"
    r"|\b(?:asks|asking|prompts|prompting|requests|requesting|invites|inviting)\s+(?:you|for)\b"
    r"|\b(?:goes|go|belongs) (?:in|into|under|inside)\b",
    re.I,
)
_STEP = r"(?:thing|step|task|job|turn|move|action|act|duty|to-?do)"
_STEP_IS = re.compile(
    r"\b(?:next|last|first|second|third|final|only|remaining|other|your|one|left)\s+(?:\w+\s+)?"
    rf"{_STEP}\b[^,;]*\b(?:is|are|comes?|remains?)\b"
    r"|\b(?:is|are|remains|left|nothing) (?:but |left but )?to (?!be\b)[a-z]+"
    r"|\b(?:is|are|remains) left (?:to|is|but)\b"
    rf"|\bis the (?:next|first|last) (?:{_STEP}|one)\b|\bthe way to go\b"
    r"|^(?:next|then|after that|first|last)\s+(?:is|are|comes?)\b"
    r"|^(?!the (?:newest|latest|oldest|earliest|most recent|largest|smallest|default)\b).*"
    r"\b(?:is|are|comes?) (?:next|first|last)\W*$|\b(?:is|are) due\b"
    r"|^(?:what|all|everything)\b[^,;]*\b(?:do|need|takes|left|remains)\b[^,;]*\s(?:is|are)\b",
    re.I,
)
_NO_STEP = re.compile(r"\b(?:purpose|aim|goal|idea|role|default|point)\b", re.I)
"""Subjects of `… is to …` that say what something is for."""
_FORMS = (
    _YOU_HAVE_TO,
    _YOU_DO,
    _WHERE_YOU,
    _TO_BE_DONE,
    _REQUIRED,
    _IT_IS_TO,
    _LABEL_HAS_TO,
    _CONTROL_HAS_TO,
    _PAGE_WANTS,
)


def obliges(text: str) -> bool:
    """True if a folded sentence that tells a fact says that its reader must do
    something."""
    if any(form.search(text) for form in _FORMS):
        return True
    return _STEP_IS.search(text) is not None and not _NO_STEP.search(text)
