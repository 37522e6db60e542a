"""Moves to a product: signing in, and opening the product from wherever the page is."""

from __future__ import annotations

import re

from proofwalk.agent.page import console_words, grounding, page_fields, places, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import acronym, normalise, tokens
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.actions import Click, GoTo
from proofwalk.console.observation import Element, Observation, State

_CONSOLE = re.compile(r"(?:管理)?控制台|\bconsole\b", re.I)
_OPENINGS = 2
"""Of the menu of products, at most."""
_HOST_NOISE = frozenset({"console", "the", "alibaba", "cloud", "aliyun", "management"})


def log_on(scene: DocumentScene, intent: Intent) -> Script[None]:
    yield from open_product(scene, intent.label or scene.turn.task.product, intent.target)


def open_product(scene: DocumentScene, name: str, target: str = "") -> Script[None]:
    """Open a product's console from wherever the console is."""
    console = scene.turn.task.console
    if not name or at_product(scene.page, name) or _is_console(console, name):
        return
    # A page of another product may show something of a similar name: nearly is enough
    # among the products alone.
    found = _product_entry(scene.page, name, least=2)
    if found is None:
        found = yield from _among_products(scene, name)
    if found is not None:
        yield from scene.act(f"I open {name}.", Click(id=found.mark))
        yield from scene.settle()
        return
    address = _same_host(scene.page.url, target)
    if address:
        yield from scene.act(f"I follow the document's link to {name}.", GoTo(url=address))
        yield from scene.settle()
        return
    if _opener(scene.page) is None and _bears_name(scene.page, name):
        return
    raise Stuck(f"the console shows no product called “{name}”")


def _among_products(scene: DocumentScene, name: str) -> Script[Element | None]:
    """Open the menu of products and look there; and open it again where something else,
    that came up and was put away, has closed it."""
    entry: Element | None = None
    for _ in range(_OPENINGS):
        opener = _opener(scene.page)
        if opener is not None:
            yield from scene.act(f"I look for {name} among the products.", Click(id=opener.mark))
            yield from scene.settle()
        entry = _product_entry(scene.page, name, least=1)
        left = _opener(scene.page)
        if entry is not None or left is None or State.COLLAPSED not in left.states:
            break
    return entry


def _opener(page: Observation) -> Element | None:
    controls = (
        one
        for name in console_words.PRODUCTS
        for one in grounding.controls(page, name, places.Place(top_bar=True))
    )
    return next(controls, None)


def _is_console(console: str, name: str) -> bool:
    """True if `name` is the name of the whole console, so that no product has to be
    opened. `VPC` is only a part of `Alibaba Cloud VPC and ECS`."""
    own, named = (
        {word for word in tokens(text) if word not in _HOST_NOISE} for text in (console, name)
    )
    return bool(own) and own == named


def _bears_name(page: Observation, name: str) -> bool:
    """True if the page's title, or what stands in its top bar, has this name: a console
    of one product, which shows no others."""
    wanted = normalise(_CONSOLE.sub("", name))
    shown = [page.title]
    shown += [one.name for one in page.elements if regions.in_top_bar(one)]
    shown += [run.text for run in page.texts if regions.in_top_bar(run)]
    told = (normalise(_CONSOLE.sub("", text)) for text in shown)
    return any(text and (wanted in text or (len(text) > 2 and text in wanted)) for text in told)


def _product_entry(page: Observation, name: str, *, least: int) -> Element | None:
    entries = [
        element
        for element in page.elements
        if element.name and element.role not in page_fields.FIELD_ROLES and not element.row
    ]
    scored = [(_names_product(element.name, name), element) for element in entries]
    best = max((score for score, _ in scored), default=0)
    return (
        next((element for score, element in scored if score == best), None)
        if best >= least
        else None
    )


def _names_product(shown: str, name: str) -> int:
    """Score how well a shown text names a product. 4: the same name; 3: its acronym; 2:
    all of its words; 1: an acronym, or the only word, of the one is in the other; 0:
    not at all. Words that many products share, such as “Service”, do not count."""
    wanted = " ".join(word for word in normalise(name).split() if word not in _HOST_NOISE)
    if not wanted:
        return 0
    if normalise(shown) == wanted:
        return 4
    first = normalise(shown.splitlines()[0]) if shown.strip() else ""
    if acronym(first) == wanted or acronym(wanted) == first:
        return 3
    if len(tokens(shown)) <= 12 and set(tokens(wanted)) <= set(tokens(shown)):
        return 2
    short = {word.casefold() for word in re.findall(r"\b[A-Z][A-Z0-9]{2,}\b", name)}
    inner = [
        word for word in tokens(wanted) if len(word) >= 3 and (word in short or word == wanted)
    ]
    return int(
        any(
            acronym(" ".join(first.split()[: len(word)])) == word or word in tokens(first)
            for word in inner
        )
    )


def at_product(page: Observation, name: str) -> bool:
    path = re.sub(r"^\w+://[^/]+", "", page.url).casefold()
    first = path.strip("/").split("/", 1)[0].split("?")[0]
    words = {word for word in tokens(name) if word not in _HOST_NOISE} | {acronym(name)}
    return bool(first) and first in words


def _same_host(here: str, target: str) -> str:
    """Return the link's address if it stays in this console, else an empty text."""
    origin = re.match(r"\w+://[^/]+", here)
    if target.startswith("/") and origin:
        return origin.group() + target
    return target if origin and target.startswith(origin.group() + "/") else ""
