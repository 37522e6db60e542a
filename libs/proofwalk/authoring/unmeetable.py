"""Prerequisites that no record can meet: of a thing that the console does not have, and
of two sentences of which one denies the other.

What every walk has anyway (an account, permissions, somebody who has logged on) is
nobody's to make. Two things of one kind may be told of in one document, so that only
what is said of *the* thing can be denied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from proofwalk.authoring.catalogue import Catalogue, Values
from proofwalk.authoring.prerequisites import (
    demanded,
    existing_things,
    names_a_kind,
    says_that_one_exists,
)
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.procedures.model import Sentence

_GIVEN = re.compile(
    r"\b(?:accounts?|permissions?|authori[sz]ed|credentials?|log(?:ged)? (?:in|on)|signed in"
    r"|familiar|understand|read)\b"
    r"|账号|账户|帐号|权限|登录|了解|阅读",
    re.I,
)
_SAID = 300


def check(sentences: Sequence[Sentence], catalogue: Catalogue, *, visited: Sequence[str]) -> None:
    """Raise `author.cannot_make` for a thing that nothing in the console is called,
    `author.contradictory` for a thing that is to be so and otherwise. `visited` are the
    products to which the procedure goes."""
    for sentence in sentences:
        if (
            says_that_one_exists(sentence)
            and not _GIVEN.search(sentence.text)
            and not names_a_kind(sentence, catalogue)
        ):
            raise _refusal(
                "author.cannot_make",
                f"nothing in the console is called as the document says: “{sentence.text[:_SAID]}”",
                hint="say it as the console does, or write META by hand; see docs/howto/rules.md",
            )
    _check_agreement(sentences, catalogue, visited)


def _check_agreement(
    sentences: Sequence[Sentence], catalogue: Catalogue, visited: Sequence[str]
) -> None:
    told = {id(one): kind for one, kind in existing_things(sentences, catalogue, visited)}
    things = Counter(kind.id for kind in told.values())
    agreed: dict[tuple[str, str], tuple[Values, str]] = {}
    for sentence in sentences:
        kind, demands = demanded(sentence, told.get(id(sentence)), catalogue, visited) or (None, ())
        if kind is None or things[kind.id] > 1:
            continue
        for name, values in demands:
            before, text = agreed.get((kind.id, name), (values, sentence.text))
            both = tuple(one for one in before if one in values)
            if not both:
                raise _refusal(
                    "author.contradictory",
                    f"the document says “{text[:_SAID]}” and “{sentence.text[:_SAID]}”:"
                    f" no {kind.id} is both",
                    hint="mend the prerequisites, or say of which thing each sentence speaks",
                )
            agreed[kind.id, name] = (both, text)


def _refusal(code: str, message: str, *, hint: str) -> ProofwalkError:
    return ProofwalkError(code, message, status=Status.FAILED_PRECONDITION, hint=hint)
