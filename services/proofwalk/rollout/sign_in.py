"""Signs an episode in at its target's console: the declared steps of the target file, done through the console's own hands.

The values are named, never spelt: a step types `<secret:password>`, and the executor puts the value in, after checking where it would go.
A console that cannot be signed in to is an environment failure, whatever the reason.
"""

from __future__ import annotations

from proofwalk.cloud.target import Click, ConsoleSpec, Expect, Fill, Open, SignInStep
from proofwalk.console.actions import Click as ClickAction
from proofwalk.console.actions import Type, Wait
from proofwalk.console.observation import Element, Observation
from proofwalk.console.session import ConsoleSession
from proofwalk.kernel.errors import ProofwalkError, unavailable

_FIELDS = frozenset({"textbox", "searchbox", "combobox"})


async def sign_in(session: ConsoleSession, console: ConsoleSpec) -> None:
    """Raises `sign_in.failed`, or what the browser raises."""
    if not any(isinstance(step, Open) for step in console.sign_in):
        await session.open(console.url)
    for step in console.sign_in:
        await _do(session, console, step)


async def _do(session: ConsoleSession, console: ConsoleSpec, step: SignInStep) -> None:
    match step:
        case Open(path=path):
            await session.open(f"{console.url}/{path.lstrip('/')}" if path else console.url)
        case Fill(label=label, secret=secret):
            field = _find(await session.observe(screenshot=False), label, field=True)
            await _perform(session, Type(id=field.mark, text=f"<secret:{secret}>"), f"fill {label!r}")
        case Click(label=label):
            button = _find(await session.observe(screenshot=False), label, field=False)
            await _perform(session, ClickAction(id=button.mark), f"click {label!r}")
        case Expect(text=text):
            await _perform(session, Wait(text=text, seconds=20), f"expect {text!r}")


async def _perform(session: ConsoleSession, action: ClickAction | Type | Wait, what: str) -> None:
    result = await session.perform(action)
    if not result.ok:
        alerts = " ".join(session.latest.alerts) if session.latest else ""
        raise _failed(f"could not {what}: {result.message} {alerts}".strip())


def _find(page: Observation, label: str, *, field: bool) -> Element:
    wanted = label.casefold().strip()
    for element in page.elements:
        names = {text.casefold().strip(" :*") for text in (element.name, element.label, element.placeholder)}
        if wanted in names and (element.role in _FIELDS) == field:
            return element
    kind = "field" if field else "button"
    raise _failed(f"the sign-in page at {page.url} shows no {kind} {label!r}")


def _failed(message: str) -> ProofwalkError:
    return unavailable(
        "sign_in.failed", message, hint="check `console.sign_in` of the target file, and the account's credentials"
    )
