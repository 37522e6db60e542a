"""What is asked for in a few words, in typed members: `a stopped ECS instance named
web-1` (`kernel.needs`).

The literal policy knows the members when it asks; a model asks in words, and they are
read here. Only words of the need itself are read, and none after `because`.
"""

from __future__ import annotations

import re

from proofwalk.kernel.needs import (
    LONGEST_LABEL,
    LONGEST_RESOURCE,
    LONGEST_VALUE,
    MOST_STATES,
    Need,
)

STATES = (
    "running", "stopped", "available", "unattached", "attached", "idle", "pay-as-you-go", "subscription", "locked",
    "expired", "in use", )  # fmt: skip
"""Words that say how a thing is to be."""
_CUT = re.compile(r",? because\b.*|[.;\n].*", re.I | re.S)
_ARTICLE = re.compile(r"^(?:an?|the|one|some|your|my)\s+", re.I)
_NAMED = re.compile(
    r"\s+(?:named|called|with the name)\s+[`“\"‘']?(?P<name>[\w.-]+)[`”\"’']?", re.I
)
_TAIL = re.compile(
    r"\s+(?:that|which|whose|where|containing|for|to|in|on|of|from|with|so)\b.*", re.I
)
_FIRST_OF_PATH = re.compile(r"^\w+://[^/]+/?([^/?#]*)")


def product_in(address: str) -> str:
    """The first part of an address's path, where consoles put the product."""
    found = _FIRST_OF_PATH.match(address)
    return found[1] if found else ""


def states_in(words: str) -> list[str]:
    """The states that the words say."""
    folded = words.casefold()
    return [state for state in STATES if re.search(rf"\b{state}\b", folded)]


def without_states(noun: str, states: list[str]) -> str:
    """A noun without the words for its states."""
    return " ".join(word for word in noun.split() if word.casefold() not in states)


def need_in(text: str, product: str) -> Need:
    """The need that the words say. `product` is the one whose page is open."""
    head = " ".join(_CUT.sub("", text).split())
    named = _NAMED.search(head)
    noun = _TAIL.sub("", _NAMED.sub("", head))
    states = states_in(noun)
    for state in states:
        noun = re.sub(rf"\b{state}\b", " ", noun, flags=re.I)
    return typed_need(
        text,
        product=product,
        noun=_ARTICLE.sub("", " ".join(noun.split())),
        states=states,
        name=named["name"] if named else "",
    )


def typed_need(text: str, *, product: str, noun: str, states: list[str], name: str) -> Need:
    """The need with the members that a need may have: what is too long for one is left
    to the words."""
    return Need(
        text=text,
        product=_short(product, LONGEST_LABEL),
        resource=_short(noun, LONGEST_RESOURCE),
        states=tuple(states[:MOST_STATES]),
        values={"name": name} if _short(name, LONGEST_VALUE) else {},
    )


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest and text.isprintable() else ""
