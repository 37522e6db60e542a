"""Tests of a function, carried out on the real application (ComputerRL §2.1, appendix
A: error-free invocation, and right results for a range of arguments).

The function runs in its own process (`running`); what it returned, and what the
application shows then, is judged here. A test whose own preparation fails says nothing
about the function, and is marked so (`Trial.of_the_test`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from proofwalk.apis.model import FunctionTest, Interface, Look, Trial
from proofwalk.apis.running import Ended, Order, Run, Runner
from proofwalk.cloud.field_mapping import at
from proofwalk.cloud.steps.caller import lacks
from proofwalk.kernel.json_values import JsonObject, JsonValue, object_of

_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_.]+)\}")
_LOG = 300
Scope: TypeAlias = dict[str, JsonValue]
"""What references of a test stand for: `unique`, `before`, `result`."""


class Unresolved(Exception):
    """A reference that nothing stands behind."""


class Examiner:
    """Tests functions through a runner. `unique` gives letters that no other run has;
    they are in the names of what tests make."""

    def __init__(self, runner: Runner, *, unique: Callable[[], str]) -> None:
        self._runner = runner
        self._unique = unique

    @property
    def application(self) -> str:
        return self._runner.surface.application

    @property
    def guide(self) -> str:
        """See `surfaces.Surface`."""
        return self._runner.surface.guide

    async def test(
        self, interface: Interface, code: str, tests: Sequence[FunctionTest]
    ) -> tuple[Trial, ...]:
        """What came of each test, in order. Raises what `Runner.run` raises."""
        return tuple([await self._tried(interface, code, test) for test in tests])

    async def _tried(self, interface: Interface, code: str, test: FunctionTest) -> Trial:
        scope: Scope = {"unique": self._unique()}
        try:
            arguments, wrong = await self._prepared(interface, test, scope)
        except Unresolved as error:
            arguments, wrong = {}, str(error)
        if wrong:
            return Trial(test=test.name, passed=False, message=wrong, of_the_test=True)
        run = await self._runner.run(Order(code=code, name=interface.name, arguments=arguments))
        wrong = _ended_wrong(test, run)
        if not wrong and run.ok:
            scope["result"] = run.content
            try:
                wrong = lacks(object_of(filled(dict(test.returns), scope)), run.content)
                for look in () if wrong else test.after:
                    wrong = wrong or await self._seen_wrong(look, scope)
            except Unresolved as error:
                wrong = str(error)
        return Trial(test=test.name, passed=not wrong, message=wrong)

    async def _prepared(
        self, interface: Interface, test: FunctionTest, scope: Scope
    ) -> tuple[JsonObject, str]:
        """The call's arguments once what it needs is there, or what is in the way."""
        answers: list[JsonValue] = []
        for request in test.before:
            scope["before"] = answers
            reply = await self._runner.surface.answer(object_of(filled(dict(request), scope)))
            if reply.code:
                return {}, f"before.{len(answers)} was refused: {reply.code}: {reply.message}"
            answers.append(reply.content)
        scope["before"] = answers
        arguments = object_of(filled(dict(test.arguments), scope))
        wrong = "" if test.raises else interface.complaint(arguments)
        return arguments, wrong

    async def _seen_wrong(self, look: Look, scope: Scope) -> str:
        """What is not as wanted of the application."""
        request = object_of(filled(dict(look.request), scope))
        reply = await self._runner.surface.answer(request)
        if reply.code:
            return f"afterwards {request} was refused: {reply.code}: {reply.message}"
        wrong = lacks(object_of(filled(dict(look.has), scope)), reply.content)
        for path, part in look.contains.items():
            seen, expected = at(reply.content, path), str(filled(part, scope))
            if not wrong and not (isinstance(seen, str) and expected in seen):
                wrong = f"{path} is {str(seen)[:80]!r} and does not contain {expected!r}"
        return f"afterwards, in the answer to {request}: {wrong}" if wrong else ""


def _ended_wrong(test: FunctionTest, run: Run) -> str:
    """Why the call did not end as the test wants; empty if it did."""
    if test.raises:
        return "" if run.ended is Ended.RAISED else f"it should fail, and {run.ended.value}"
    if run.ok:
        return ""
    log = f"; its log: {' '.join(run.log.split())[:_LOG]}" if run.log else ""
    return f"{run.ended.value}: {run.message}{log}"


def filled(template: JsonValue, scope: Scope) -> JsonValue:
    """A copy with what its references stand for. A text that is one reference keeps the
    value's type. Raises `Unresolved`."""
    if isinstance(template, str):
        whole = _REFERENCE.fullmatch(template)
        if whole:
            return _value(whole.group(1), scope)
        return _REFERENCE.sub(lambda match: str(_value(match.group(1), scope)), template)
    if isinstance(template, Mapping):
        return {name: filled(one, scope) for name, one in template.items()}
    if isinstance(template, list | tuple):
        return [filled(one, scope) for one in template]
    return template


def _value(path: str, scope: Scope) -> JsonValue:
    content = at(scope, path)
    if content is None:
        raise Unresolved(f"there is no ${{{path}}}")
    resolved: JsonValue = content  # type: ignore[assignment]  # `at` finds JSON in JSON
    return resolved
