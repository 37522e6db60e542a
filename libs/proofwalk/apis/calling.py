"""A catalogue's functions in a walk: what a policy is told of them, and the call of one
as an action (`console.functions.Functions`).

A call runs in the same confined process as a test (`running`). What comes back is one
bounded text without the secrets that this process knows; the policy reads it as the
result of its action, as ComputerRL's agent reads the feedback of a tool call (appendix
C). Whatever a function does wrong is a failed action.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from proofwalk.apis.model import ApiFunction
from proofwalk.apis.running import Ended, Order, Runner
from proofwalk.console.acting.results import ActionResult
from proofwalk.console.actions import CallApi
from proofwalk.console.functions import FunctionCard
from proofwalk.kernel.errors import ProofwalkError, Status

_RESULT = 2000
"""Characters of a result that a policy is told."""
_CONFINED = "action.function_confined"
_FAILED = "action.function_failed"


class CatalogueFunctions:
    """The functions of one application, run by `runner`. `mask` takes secrets out of a
    text. Functions for other applications are left out."""

    def __init__(
        self, functions: Iterable[ApiFunction], runner: Runner, *, mask: Callable[[str], str]
    ) -> None:
        application = runner.surface.application
        self._functions = {one.name: one for one in functions if one.application == application}
        self._runner = runner
        self._mask = mask
        self.cards = tuple(
            FunctionCard(
                name=one.name,
                description=f"{one.interface.description} {_returns(one)}".strip(),
                parameters=one.interface.schema_of(),
            )
            for one in self._functions.values()
        )

    async def call(self, action: CallApi) -> ActionResult:
        """Call a function. Raises what keeps the application from answering."""
        function = self._functions.get(action.name)
        if function is None:
            names = ", ".join(self._functions) or "none"
            message = f"there is no function {action.name[:60]!r} (there is: {names})"
            return ActionResult(ok=False, code="action.no_such_function", message=message)
        wrong = function.interface.complaint(action.arguments)
        if wrong:
            return ActionResult(ok=False, code="action.bad_arguments", message=wrong)
        order = Order(code=function.code, name=function.name, arguments=action.arguments)
        try:
            run = await self._runner.run(order)
        except ProofwalkError as error:
            # Nothing that the policy could do otherwise: the environment's failure.
            raise ProofwalkError(
                error.code, error.message, status=Status.UNAVAILABLE, hint=error.hint
            ) from error
        if run.ok:
            returned = json.dumps(run.content, ensure_ascii=False)
            return ActionResult(ok=True, message=self._bounded(f"{action.name} → {returned}"))
        return ActionResult(
            ok=False,
            code=_CONFINED if run.ended is Ended.CONFINED else _FAILED,
            message=self._bounded(f"{action.name}: {run.ended.value}: {run.message}"),
        )

    def _bounded(self, text: str) -> str:
        masked = self._mask(" ".join(text.split()))
        return masked if len(masked) <= _RESULT else f"{masked[:_RESULT]}… (cut)"


def _returns(function: ApiFunction) -> str:
    return f"Returns {function.interface.returns}" if function.interface.returns else ""
