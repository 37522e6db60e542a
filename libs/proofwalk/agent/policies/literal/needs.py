"""Asks for resources that a sentence presupposes and the console does not show.

A need is stated in typed members (`kernel.needs`), with the document's words beside
them, and asked for once. After the report, the page
is loaded again and the names in the report are looked for. A resource that cannot be
had, or is still missing then, is not the document's fault: the walk ends without a
finding.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import page_rows, wording
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import contains, normalise, tokens
from proofwalk.agent.policies.literal import introduced, list_pages
from proofwalk.agent.policies.literal.scene import DocumentScene
from proofwalk.agent.reading import lacks
from proofwalk.agent.reading.chinese.rewriting import is_chinese
from proofwalk.agent.reading.intents import Intent
from proofwalk.console.actions import GoTo, Provision
from proofwalk.kernel.needs import Need

_LEFT_BY = {
    "stop": "running",
    "restart": "running",
    "start": "stopped",
    "attach": "unattached",
    "detach": "attached",
}
_NOUN = re.compile(
    r"\b(?:the|an?|your|its)\s+(?P<noun>[\w-]+(?:"
    r" [\w-]+){0,3}?)(?=\s+(?:that|which|whose|where|containing|for|to|in|you|"
    r"from|of)\b|\s+(?:id|name)\b|[,.;]|$)",
    re.I,
)
_EXAMPLE = re.compile(
    r"(?:\b(?:such as|for example|for instance|e\.g\.),?\s+|(?:例如|比如)\s*)"
    r"[`“\"‘']?([^\s`“”\"’',;，。；]+)"
)
"""What the sentence gives as an example: `click on its name, such as `web-1``."""
_NAMES = re.compile(
    r"[`“\"'‘]([^`”\"'’]{2,80})[`”\"'’]|\b((?:[a-z]{1,6}-)[a-z0-9]{6,}|[\w]+(?:-[\w]+)+)\b"
)


def resource_noun(phrase: str) -> str:
    """`the running ECS instance that you want to stop` → `running ECS instance`."""
    found = _NOUN.search(phrase)
    return (found.group("noun") if found else phrase).strip()


def need_of(scene: DocumentScene, intent: Intent) -> Need:
    """Return what is missing: product, kind of thing, state and name; its text is in
    the document's words, with the sentence that needs it."""
    noun = resource_noun(intent.phrase) or intent.label or "resource"
    context = f"{intent.phrase} {intent.origin.sentence}".casefold()
    states = lacks.states_in(context)
    noun = lacks.without_states(noun, states)
    if not states:
        wanted = re.search(r"\b(?:want|need) to (\w+)", context)
        states = [_LEFT_BY[wanted.group(1)]] if wanted and wanted.group(1) in _LEFT_BY else []
    product = scene.turn.task.product or lacks.product_in(scene.page.url)
    shown = product.upper()
    named = " ".join(
        part
        for part in (
            " ".join(states),
            shown if shown.casefold() not in noun.casefold() else "",
            noun,
        )
        if part
    )
    name = intent.path[0] if _named_in_code(intent) else ""
    called = f" named {name}" if name else ""
    article = "an" if named[:1].casefold() in "aeiou" else "a"
    text = f"{article} {named}{called}, because the document says: {intent.origin.sentence}"
    kind = noun.removesuffix(name).strip(" `“”\"'‘’") if name else noun
    return lacks.typed_need(text, product=product, noun=kind, states=states, name=name)


def ask(scene: DocumentScene, intent: Intent, *, reload: bool = True) -> Script[bool]:
    """Ask once for what the intent presupposes, and load the page again. Return False
    if it was asked for before.

    Raises `Stuck` if the resource cannot be had.
    """
    key = f"{normalise(resource_noun(intent.phrase) or intent.label)}"
    if key in scene.memory.asked_needs:
        return False
    scene.memory.asked_needs.add(key)
    need = need_of(scene, intent)
    thought = f"The console shows none of what the sentence speaks of, so I ask for it: {need.text}"
    past = yield from scene.act(thought, Provision(need=need.text), need=need)
    if not past.ok:
        what = resource_noun(intent.phrase) or intent.label
        why = f"the console does not show it, and it could not be provisioned: {past.result}"
        raise Stuck(wording.taken_for_granted(what, why=why))
    if not reload:
        return True
    yield from scene.act("It is provisioned; I load the page again.", GoTo(url=scene.page.url))
    yield from scene.settle()
    return True


def reported_names(scene: DocumentScene) -> list[str]:
    """Return names and ids in the reports, newest report first."""
    names: list[str] = []
    for report in reversed(scene.turn.reports):
        if report.resources:
            told = [(made.id, made.name) for made in report.resources]
            names += [name for pair in told for name in pair if name]
        else:
            names += [one or two for one, two in _NAMES.findall(report.text)]
    return names


def known_values(scene: DocumentScene, intent: Intent) -> list[str]:
    """Return the texts by which the intent's row may be recognised, best first."""
    named = [
        _instead(scene, part) for part in intent.path if part and not _is_example(intent, part)
    ]
    given = _EXAMPLE.findall(intent.origin.sentence)
    known = (*named, *bound(scene, intent), *reported_names(scene), *reversed(scene.memory.names))
    told = []
    if not named and intent.phrase:
        task = scene.turn.task
        noun = resource_noun(intent.phrase)
        told = introduced.names_of(task.procedure, noun, before=scene.turn.index)
    return [*known, *told, *given]


def _instead(scene: DocumentScene, name: str) -> str:
    """What was provisioned for a name of the document, or the name."""
    binds = scene.turn.task.binds.items()
    return next((value for key, value in binds if normalise(key) == normalise(name)), name)


def bound(scene: DocumentScene, intent: Intent, *, of_sentence: bool = True) -> list[str]:
    """Return the provisioned values whose phrase is that of the intent, then those of
    phrases that its sentence has (unless `of_sentence` is false: another of its acts
    may mean them), then those that speak of the same kind of resource."""
    phrase = normalise(intent.phrase)
    sentence = normalise(intent.origin.sentence)
    same: list[str] = []
    in_sentence: list[str] = []
    near: list[tuple[int, str]] = []
    words = set(tokens(resource_noun(intent.phrase) or intent.label))
    for key, value in scene.turn.task.binds.items():
        wanted = normalise(key)
        if phrase and (contains(phrase, wanted) or contains(wanted, phrase)):
            same.append(value)
        elif (
            of_sentence
            and phrase
            and (contains(sentence, wanted) or (is_chinese(wanted) and wanted in sentence))
        ):
            in_sentence.append(value)
        elif words & set(tokens(resource_noun(key))):
            near.append((len(words & set(tokens(resource_noun(key)))), value))
    return [*same, *in_sentence, *[value for _, value in sorted(near, key=lambda pair: -pair[0])]]


def locate(scene: DocumentScene, intent: Intent) -> Script[None]:
    """Find the row that the sentence speaks of. Ask for the resource if there is
    none."""
    found = _row(scene, intent)
    if not found:
        yield from scene.await_page(
            "I do not see the row yet; I wait for the list.",
            lambda page: bool(page_rows.rows(page)),
            times=1,
            seconds=3,
        )
        found = _row(scene, intent)
    if not found:
        found = yield from list_pages.find(scene, intent, known_values(scene, intent))
    if not found and page_rows.rows(scene.page):
        yield from scene.pause(
            "The row may be on its way; I wait.", 5, next(iter(known_values(scene, intent)), "")
        )
        yield from scene.act("I load the list again.", GoTo(url=scene.page.url))
        yield from scene.settle()
        found = _row(scene, intent)
    if not found:
        asked = yield from ask(scene, intent)
        if asked:
            yield from scene.await_page(
                "I wait for the list.", lambda page: bool(_row(scene, intent)), times=3, seconds=10
            )
            found = _row(scene, intent)
    if not found:
        what = intent.phrase or intent.label
        why = "the list does not show it, although it was asked for and provisioned"
        raise Stuck(wording.taken_for_granted(what, why=why))
    scene.memory.row_is_ours = found not in known_values(scene, intent)
    scene.memory.row_value = found
    scene.memory.row_origin = intent.origin


def take_another_row(scene: DocumentScene) -> bool:
    """Have the next look take another row, where the walk itself took one that may not
    be fit: the reader's own account cannot be deleted. Return False where the document
    tells the row, or there is no other."""
    memory = scene.memory
    if not memory.row_is_ours or memory.row_value in memory.refused_rows:
        return False
    memory.refused_rows.add(memory.row_value)
    return True


def _row(scene: DocumentScene, intent: Intent) -> str:
    """Return the value by which the row is found; empty without a row."""
    page = scene.page
    for value in known_values(scene, intent):
        if page_rows.row_with(page, value):
            return value
    shown = page_rows.rows(page)
    if not shown or bound(scene, intent) or _named_in_code(intent):
        return ""
    refused = scene.memory.refused_rows
    last = scene.memory.row_value
    if last and last not in refused and page_rows.row_with(page, last):
        return last
    keys = [_row_key(row) for row in shown]
    return next((key for key in keys if key not in refused), keys[0])


def _named_in_code(intent: Intent) -> bool:
    """True if the sentence names the row itself, not just a column, a state or an
    example."""
    return any(re.search(r"[-_\d]", part) and not _is_example(intent, part) for part in intent.path)


def _is_example(intent: Intent, part: str) -> bool:
    """True if the sentence describes the row, and gives a name only as an example."""
    return bool(intent.phrase) and any(
        part.startswith(given) for given in _EXAMPLE.findall(intent.origin.sentence)
    )


def _row_key(row: str) -> str:
    """Return a text that identifies the row later: the first word of its first filled
    cell."""
    cells = [cell.strip() for cell in row.split(" | ") if cell.strip()]
    return cells[0].split()[0] if cells else row
