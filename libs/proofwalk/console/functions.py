"""Functions that may be called beside acting by hand (ComputerRL §2.1: one space of API
calls and GUI actions): what a policy is told of one, and who calls it.

`apis.calling` calls those of a catalogue. A walk that verifies a document is given
none: its procedure is walked in the console, so a call there is `NO_FUNCTIONS`, a
result as that of any action which cannot be done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import CallApi
from proofwalk.kernel.json_values import JsonObject

NO_FUNCTIONS = ActionResult(
    ok=False,
    code="action.no_functions",
    message=(
        "no functions can be called here (a document's procedure is walked in the console): do it"
        " by hand"
    ),
)
"""The result of a call where there are no functions."""


@dataclass(frozen=True, kw_only=True)
class FunctionCard:
    """A function as a policy is told of it."""

    name: str
    description: str
    parameters: JsonObject
    """JSON schema of its arguments: an object."""


class Functions(Protocol):
    """Functions of one application, ready to be called."""

    @property
    def cards(self) -> Sequence[FunctionCard]:
        """Those that there are."""
        ...

    async def call(self, action: CallApi) -> ActionResult:
        """Call one. A function that is not there, that does not take the arguments or
        that fails is a result, not an exception. Raises `ProofwalkError` if the
        application gives no answer."""
        ...
