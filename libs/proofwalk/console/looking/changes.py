"""What an action changed, in words: the difference of two looks, most telling first.

Pure. The sentences go into the policy's history and into the report, so they name what
a person would notice: another address, a dialog that opened or closed, a message, the
value of the element acted on, what appeared and what went away.
"""

from __future__ import annotations

from proofwalk.console.observation import Element, Observation

NOTHING = "nothing changed"
_NOTEWORTHY = 3


def name_of(element: Element) -> str:
    """Return an element's name in results: `button "Create"`."""
    words = element.name or element.label or element.placeholder or element.hint
    return f'{element.role} "{words[:80]}"' if words else element.role


def _listed(words: list[str]) -> str:
    shown = ", ".join(f'"{word[:60]}"' for word in words[:_NOTEWORTHY])
    return shown + (f" and {len(words) - _NOTEWORTHY} more" if len(words) > _NOTEWORTHY else "")


def _element_changes(before: Observation, after: Observation, target: str) -> list[str]:
    sentences = []
    old = {element.identity: element for element in before.elements}
    for element in after.elements:
        past = old.get(element.identity)
        if past is None:
            continue
        if past.value != element.value:
            sentences.append(
                (
                    element.identity != target,
                    f'{name_of(element)}: value "{past.value[:80]}" → "{element.value[:80]}"',
                )
            )
        gained = sorted(element.states - past.states - {"focused"})
        lost = sorted(past.states - element.states - {"focused"})
        if gained or lost:
            words = [
                *(f"now {state}" for state in gained),
                *(f"no longer {state}" for state in lost),
            ]
            sentences.append(
                (element.identity != target, f"{name_of(element)}: {', '.join(words)}")
            )
    return [sentence for _, sentence in sorted(sentences, key=lambda pair: pair[0])][
        : _NOTEWORTHY + 1
    ]


def describe_changes(before: Observation, after: Observation, target: str = "") -> str:
    """Describe what is different in `after`. Returns `NOTHING` if nothing is."""
    sentences: list[str] = []
    if after.browser_dialog and after.browser_dialog != before.browser_dialog:
        return f'a browser dialog opened: "{after.browser_dialog[:200]}"'
    if before.browser_dialog and not after.browser_dialog:
        sentences.append("the browser dialog is closed")
    if len(after.tabs) > len(before.tabs):
        sentences.append("a new tab opened")
    elif len(after.tabs) < len(before.tabs):
        sentences.append("a tab closed")
    if after.url != before.url:
        sentences.append(f"the address is now {after.url}")
    elif after.title != before.title:
        sentences.append(f'the title is now "{after.title[:80]}"')
    if after.modal != before.modal:
        sentences.append(f'opened "{after.modal}"' if after.modal else f'"{before.modal}" closed')
    fresh = [alert for alert in after.alerts if alert not in before.alerts]
    sentences.extend(f'message: "{alert[:200]}"' for alert in fresh[:_NOTEWORTHY])
    sentences.extend(_element_changes(before, after, target))
    known, now = {e.identity for e in before.elements}, {e.identity for e in after.elements}
    appeared = [e for e in after.elements if e.identity not in known and not e.offscreen]
    if appeared and after.url == before.url:
        container = next(
            (e.container for e in appeared if e.container and e.container != after.modal), ""
        )
        where = f" in {container}" if container else ""
        sentences.append(
            f"appeared{where}: {_listed([e.name or e.label or e.role for e in appeared])}"
        )
    vanished = [e for e in before.elements if e.identity not in now and not e.offscreen]
    if vanished and after.url == before.url and after.modal == before.modal and not appeared:
        sentences.append(f"gone: {_listed([e.name or e.label or e.role for e in vanished])}")
    if not sentences:
        was = {text.text for text in before.texts}
        texts = [text.text for text in after.texts if text.text not in was]
        if texts:
            sentences.append(f"new text: {_listed(texts)}")
    if not sentences and after.scroll != before.scroll:
        sentences.append("the page scrolled")
    if not sentences and [e.box for e in before.elements] != [e.box for e in after.elements]:
        sentences.append("elements moved")
    return "; ".join(sentences) if sentences else NOTHING
