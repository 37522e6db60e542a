"""Says in words what an intent asks for: `click “Stop”`, `set “Size” to “40”`.

The words are the document's labels in the frame of the act. Where they come from says
`intents`; what they are said for, `policies.literal.ledger` and `page.wording`.
"""

from __future__ import annotations

from proofwalk.agent.reading.intents import ARROW, Intent, IntentKind

_ACTS = {
    IntentKind.LOG_ON: "open the console {path}",
    IntentKind.NAVIGATE: "open {path}",
    IntentKind.CLICK: "click {path}",
    IntentKind.LOCATE: "find {thing}",
    IntentKind.OPEN_ROW: "open {thing}",
    IntentKind.SELECT_ROW: "select {thing}",
    IntentKind.UPLOAD: "upload a file for {path}",
    IntentKind.REGION: "choose the region {value}",
    IntentKind.WAIT: "wait for {path}",
    IntentKind.EXPECT_STATUS: "see the status {value}",
    IntentKind.EXPECT_ROW: "see {thing} in the list",
    IntentKind.EXPECT_GONE: "see {thing} in the list no more",
    IntentKind.EXPECT_TEXT: "see {path}",
    IntentKind.EXPECT_VALUE: "see {path} at {value}",
    IntentKind.HOVER: "point at {path}",
    IntentKind.OPEN_CONTEXT_MENU: "click {thing} with the right button",
    IntentKind.COPY: "copy {path}",
    IntentKind.DRAG: "drag {path} to {value}",
    IntentKind.REFRESH: "refresh the list",
    IntentKind.CONFIRM: "{thing}",
}


def act_in_words(intent: Intent) -> str:
    """Return the act, without the place that the sentence gives for it. An intent that
    is no act of its own is told by its sentence."""
    path = " > ".join(f"“{part}”" for part in intent.path)
    value = f"“{intent.value}”" if intent.value is not None else "a value of the reader's choice"
    thing = f"“{intent.phrase or intent.value or intent.label}”"
    match intent.kind:
        case IntentKind.SET:
            asked = f"set {path} to {value}" if path else f"choose {value}"
        case IntentKind.CHECK:
            asked = f"{'tick' if intent.checked else 'clear'} {path}"
        case IntentKind.CLICK if intent.noun == ARROW and intent.label not in intent.words:
            asked = f"unfold {intent.phrase}"
        case kind if kind in _ACTS:
            asked = _ACTS[kind].format(path=path, value=value, thing=thing)
        case _:
            asked = f"“{intent.origin.sentence}”"
    return " ".join(asked.split())
