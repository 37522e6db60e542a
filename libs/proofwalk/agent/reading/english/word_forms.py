"""Says what forms an English word may have: base of a verb, plural of a noun, …

The dictionary is LemmInflect's, which is the NIH's SPECIALIST lexicon: 80,000 forms
with the word that each belongs to. A word has several forms (`lists` is a plural and a
third person), and one that the dictionary lacks has none: whoever asks decides what an
unknown word may be. The library's guesses for such words are not used.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from lemminflect import getAllLemmas

_KEPT = 10_000
"""Most words whose forms are kept, for a document may have any."""
_PREFIX = re.compile(r"(?:re|un|de|dis|auto)-?(?=[a-z]{3})")
"""What makes a verb of a verb: `untick`, `re-run`, `deprovision`."""


class WordForm(Enum):
    """A form of a word, as far as a reading asks for it."""

    BASE = "base"
    """Of a verb: `open`. It is the imperative, the infinitive, a plural's present."""
    THIRD = "third"
    """Of a verb: `opens`."""
    PARTICIPLE = "participle"
    """Of a verb, in *ed* or *ing*, or irregular: `opened`, `kept`."""
    NOUN = "noun"
    PLURAL = "plural"
    MODIFIER = "modifier"
    """An adjective or an adverb."""


_OF_VERBS = frozenset({WordForm.BASE, WordForm.THIRD, WordForm.PARTICIPLE})


@lru_cache(_KEPT)
def forms_of(word: str) -> frozenset[WordForm]:
    """Return the forms that a word may have, in any case; none for an unknown word. A
    word with a prefix that the dictionary lacks has the verb's forms of what is behind
    it."""
    word = word.casefold()
    forms = _forms_in_dictionary(word)
    prefix = None if forms else _PREFIX.match(word)
    return forms if prefix is None else _forms_in_dictionary(word[prefix.end() :]) & _OF_VERBS


def _forms_in_dictionary(word: str) -> frozenset[WordForm]:
    forms: set[WordForm] = set()
    for kind, lemmas in getAllLemmas(word).items():
        if kind == "VERB":
            forms |= {_form_of_verb(word, lemma) for lemma in lemmas}
        elif kind == "NOUN":
            forms |= {WordForm.NOUN if lemma == word else WordForm.PLURAL for lemma in lemmas}
        elif kind in ("ADJ", "ADV"):
            forms.add(WordForm.MODIFIER)
    return frozenset(forms)


@lru_cache(_KEPT)
def verbs_of(word: str) -> frozenset[str]:
    """Return the verbs that a word may be a form of, by their bases: `plant` for
    `planted`; none for an unknown word."""
    return frozenset(getAllLemmas(word.casefold(), upos="VERB").get("VERB", ()))


def _form_of_verb(word: str, lemma: str) -> WordForm:
    if word == lemma:
        return WordForm.BASE
    return WordForm.THIRD if word.endswith("s") else WordForm.PARTICIPLE
