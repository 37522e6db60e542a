"""Finds the words of a sentence that can be the verb of a subject before them.

A third person can (`opens`), and the base of a verb behind a plural (`Archived flags
keep …`), unless the word before it governs it (`to keep`, `the keep`). Which word is
what tells the dictionary (`word_forms`); a word that it lacks is no verb here. A
sentence whose first word may be an imperative has to have more for it: a verb that is
no noun as well (`Access requires …`), and no plural before it whose clause it could
end (`Delete pools Jorge owns`). `prose` and `statements` ask here whether a sentence
has a subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from proofwalk.agent.policies.literal.remainders import is_plural, may_be_imperative
from proofwalk.agent.reading.english.word_forms import WordForm, forms_of

AUXILIARY = (
    r"is|are|was|were|isn't|aren't|will|won't|would|can|cannot|can't|could|may|might|must|should|"
    r"has|have|had|does|doesn't|do not|don't|did|'s|'re"
)
_AUXILIARY = re.compile(rf"(?<![\w-])(?:{AUXILIARY})(?![\w-])", re.I)
_WORD = re.compile(r"(?<![\w-])[A-Za-z][\w/-]*(?![\w-])")
_GOVERNS = re.compile(
    r"(?:to|the|an?|this|that|these|those|your|our|its?|their|his|her|my|each|every|any|some|no|"
    r"of|for|with|without|in|on|at|by|from|into|onto|per|via|as|than|or|and|not|please|then)",
    re.I,
)
"""Words behind which the base of a verb is a noun, an infinitive or an imperative."""
_SINGULAR = re.compile(r"this|that", re.I)
"""Words that no plural follows: `This turns the page red` has a verb."""
_ADVERBS = re.compile(
    r"\w+ly|also|now|still|just|only|always|often|never|soon|later|once|twice|then", re.I
)
"""Other modifiers stand before a noun: `the free tier`."""
_NEXT_WORD = re.compile(r"\s+(?P<word>[A-Za-z][\w/'-]*)")
_STOPS = re.compile(r"(?:the|an?|your|its?|on|this|these|those)", re.I)
"""Words that no subject without an article has: the object of an imperative mostly
does."""
_DETERMINERS = re.compile(r"(?:the|an?|your|its|every|each|all|any|no)", re.I)
"""Words that follow no plural: `Quillmark keeps every …` has a verb."""
_NAME = re.compile(r"(?!Un|De|Re|Dis|Auto|Multi|Over|Pre)[A-Z][a-z]{2,}")
"""A word that the dictionary lacks, and that is no verb with a prefix: a product."""
_BEHIND_A_VERB = re.compile(r"from|as|with|in|to|on|at|by|until|when|after|before|only|then", re.I)
"""`Quillmark counts from the first day.`"""
_HELPS = re.compile(r"help|let|make|have|watch|see|get|hear|feel", re.I)
"""Verbs behind whose object a base stands: `Help users find it`."""
_RELATIVES = re.compile(r"(?:that|which|who)", re.I)
_NO_SUBJECT = re.compile(
    r"\b(?:that|which|who|whose|what|whatever|whichever|where|whether|how|if|when|while|until|"
    r"unless|because|so|as|to|you|we|it|they|them|each|every|all|any|everything|anything|anyone|everyone|nobody|somebody|both|one)\b",
    re.I,
)
"""Words between an imperative and the verb of its subordinate clause: `Rename whatever
needs a name`."""
_LONGEST_SUBJECT = 5
_LONGEST_RELATIVE = 5


def finite_verbs(text: str) -> Iterator[int]:
    """Yield where the words begin that can be the verb of a subject before them:
    auxiliaries first, then the others."""
    yield from (found.start() for found in _AUXILIARY.finditer(text))
    before, after_plural = "", False
    for found in _WORD.finditer(text):
        word = found.group()
        if _is_finite(word, before, after_plural=after_plural):
            yield found.start()
        after_plural = after_plural or WordForm.PLURAL in forms_of(word)
        before = word


def full_verb(text: str) -> re.Match[str] | None:
    """Return the first such word, unless it is an auxiliary, or there is none."""
    start = min(finite_verbs(text), default=None)
    if start is None or _AUXILIARY.match(text, start):
        return None
    return _WORD.match(text, start)


def has_bare_subject(text: str) -> bool:
    """True for a subject without an article, and its verb: `Names cannot contain
    spaces`, `Archived flags keep serving`."""
    words = _words_in_a_row(text)
    if len(words) < 2 or words[0].casefold() == "to":
        return False
    if may_be_imperative(words[0]):
        return _is_surely_subject(words)
    after_plural = WordForm.PLURAL in forms_of(words[0])
    if after_plural and words[1].casefold() == "then":
        words = [words[0], *words[2:]]  # No comma: `Users then find it.`
    for index, word in enumerate(words[1 : _LONGEST_SUBJECT + 1], start=1):
        if _RELATIVES.fullmatch(word):
            return _verb_behind_a_relative(words[index + 1 :])
        if _AUXILIARY.fullmatch(word) or _is_finite(
            word, words[index - 1], after_plural=after_plural
        ):
            return True
        if _STOPS.fullmatch(word):
            return False
        after_plural = after_plural or WordForm.PLURAL in forms_of(word)
    return False


def _words_in_a_row(text: str) -> list[str]:
    """Return the words from the beginning, up to the first other character."""
    first = re.match(r"[A-Za-z][\w/'-]*", text)
    words = [first.group()] if first else []
    end = first.end() if first else 0
    while words and (found := _NEXT_WORD.match(text, end)):
        words.append(found["word"])
        end = found.end()
    return words


def _is_finite(word: str, before: str, *, after_plural: bool) -> bool:
    forms = forms_of(word)
    governed = _GOVERNS.fullmatch(before) is not None
    if WordForm.THIRD in forms:
        is_noun = governed and _SINGULAR.fullmatch(before) is None
        return not (is_noun and WordForm.PLURAL in forms)
    if not after_plural or WordForm.BASE not in forms or governed:
        return False
    return WordForm.MODIFIER not in forms_of(before) or _ADVERBS.fullmatch(before) is not None


def _is_surely_subject(words: list[str]) -> bool:
    """True if the first word may be an imperative and is none: `Access requires a
    key`."""
    for index, word in enumerate(words[1 : _LONGEST_SUBJECT + 1], start=1):
        between = words[1:index]
        if _NO_SUBJECT.search(word) or _STOPS.fullmatch(word):
            return False
        if any(is_plural(one) for one in _before_a_joint(between)):
            return False
        if _AUXILIARY.fullmatch(word):
            return True
        if len(between) == 1 and is_plural(between[0]) and not _HELPS.fullmatch(words[0]):
            # `Bucket keys reduce the …`: nothing joins a second imperative.
            behind = "".join(words[index + 1 : index + 2])
            forms = forms_of(word)
            base = WordForm.BASE in forms and WordForm.MODIFIER not in forms
            if base and _DETERMINERS.fullmatch(behind):
                return True
        if between and is_plural(between[-1]):
            continue
        if WordForm.THIRD in forms_of(word) and _is_no_plural(words, index):
            return True
    return False


def _before_a_joint(between: list[str]) -> list[str]:
    """Return the words that a clause could end at: of `names and rates`, the first is
    joined to the second."""
    joined = (word for word, behind in pairwise(between) if behind.casefold() not in ("and", "or"))
    return list(joined)


def _is_no_plural(words: list[str], index: int) -> bool:
    """True if a third person can be no plural, or what is behind it follows none."""
    if WordForm.PLURAL not in forms_of(words[index]):
        return True
    behind = "".join(words[index + 1 : index + 2])
    if forms_of(words[0]):
        return False
    named = index == 1 and _NAME.fullmatch(words[0]) is not None
    return _DETERMINERS.fullmatch(behind) is not None or (
        named and _BEHIND_A_VERB.fullmatch(behind) is not None
    )


def _verb_behind_a_relative(words: list[str]) -> bool:
    """True for `that are used <verb>`: the relative clause has a verb, and so has the
    subject."""
    if not words or not (_AUXILIARY.fullmatch(words[0]) or WordForm.THIRD in forms_of(words[0])):
        return False
    behind = words[:_LONGEST_RELATIVE]
    return any(
        _AUXILIARY.fullmatch(word) or _is_finite(word, before, after_plural=True)
        for before, word in pairwise(behind)
    )
