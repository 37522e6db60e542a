"""Makes what a `Preparation` says, and takes it back.

The record is told before a step begins and after it ended, so that whoever takes over
knows what may be there: of a step that has begun and not ended, nobody knows whether it
was carried out. It is taken back if it can be, and done again. Taking back goes in the
opposite order, takes 404 for success and can be repeated; it looks, where `verify` is a
request, until that does not hold any more. What it cannot take back it names.
Leftovers go before the first step, before the steps are taken back, and after that;
in a leased account, which is clean when it is leased, not before the first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from proofwalk.cloud.field_mapping import at
from proofwalk.cloud.steps.caller import Answer, StepCaller, Values, lacks
from proofwalk.cloud.steps.model import AnyCall, ApiCall, CommandCall, HttpCall, Preparation, Step
from proofwalk.cloud.steps.placeholders import missing
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, conflict
from proofwalk.kernel.json_values import object_of

FAILED = "provision.step_failed"
NOT_VERIFIED = "provision.verify_failed"
LEFT = "provision.destroy_failed"
_POLL_S = 0.25
_ABSENT = (404, 410)
_TRANSIENT = (408, 425, 429)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far the steps have come."""

    begun: int = 0
    """How many have begun."""
    ended: int = 0
    """How many have ended well: as many, or one less."""
    outputs: Mapping[str, str] = field(default_factory=dict)


class Record(Protocol):
    """Where the progress is kept."""

    @property
    def progress(self) -> Progress:
        """How far an earlier maker of the same came."""
        ...

    async def keep(self, progress: Progress) -> None:
        """Keep it, before what it announces is done."""
        ...


class Maker:
    """Works on one preparation."""

    def __init__(
        self,
        caller: StepCaller,
        preparation: Preparation,
        record: Record,
        *,
        variables: Mapping[str, str],
        clock: Clock,
        verify_s: float,
    ) -> None:
        self._caller = caller
        self._preparation = preparation
        self._record = record
        self._variables = variables
        self._clock = clock
        self._verify_s = verify_s
        self.progress = record.progress

    async def make(self) -> Mapping[str, str]:
        """Do the steps that are not done yet; the outputs. Raises `provision.*`,
        `meta.steps_undeclared`, `cloud.*`."""
        self._caller.refuse_undeclared(self._preparation)
        steps, ended = self._preparation.steps, self.progress.ended
        if self.progress.begun == 0:
            # Those that refuse are told of by the walk that left them.
            if not self._preparation.acts_as_account:
                await self._remove_leftovers()
        elif self.progress.begun > ended:
            await self._settle(steps[ended])
        else:
            await self._verify(ended - 1, steps[ended - 1])
        for number in range(self.progress.ended, len(steps)):
            await self._do(number, steps[number])
        return self.progress.outputs

    async def undo(self) -> None:
        """Take back everything that has begun, and the leftovers. Raises
        `provision.destroy_failed`, which names what is left, and what is raised where
        the console is away."""
        left: list[str] = []
        before = await self._remove_leftovers()
        for number in reversed(range(self.progress.begun)):
            complaint = await self._undo(self._preparation.steps[number])
            if complaint:
                left.append(complaint)
            elif not left:
                await self._keep(begun=number, ended=min(number, self.progress.ended))
        # What a step made may have stood in the way of a leftover, or have made it
        # anew. Without it, a call for what is gone may be refused by another status.
        after = await self._remove_leftovers()
        left += [complaint for number, complaint in after.items() if number in before]
        if left:
            raise conflict(
                LEFT, "; ".join(left), hint="delete it by hand, or mend the META record's undo"
            )

    async def _do(self, number: int, step: Step) -> None:
        await self._keep(begun=number + 1)
        answer = await self._caller.call(step.do, self._values)
        wrong = self._wrong(step.do, answer)
        if wrong:
            if _made_nothing(step.do, answer):
                # What is there is somebody else's: it must not be taken back.
                await self._keep(begun=number)
            raise conflict(
                FAILED,
                f"steps.{number}: {step.do}: {wrong}",
                hint=(
                    "mend headers or basic below options.provisioning of the target's file"
                    if isinstance(step.do, HttpCall) and answer.status in (401, 403)
                    else "mend the META record's step, or what it needs"
                ),
            )
        outputs = {name: _output(number, name, path, answer) for name, path in step.outputs.items()}
        await self._keep(ended=number + 1, outputs={**self.progress.outputs, **outputs})
        await self._verify(number, step)

    async def _verify(self, number: int, step: Step) -> None:
        wrong = await self._until(step.verify, step, holds=True) if step.verify else ""
        if wrong:
            raise conflict(
                NOT_VERIFIED,
                f"steps.{number}: after {self._seconds(step):g} s: {step.verify}: {wrong}",
                hint="mend the META record's verify, or its step",
            )

    async def _settle(self, step: Step) -> None:
        """Make a step of which nobody knows whether it was carried out one that was
        not, or one that was. Raises where that cannot be."""
        number = self.progress.ended
        if step.do.is_repeatable:
            return
        seen = step.verify if isinstance(step.do, ApiCall) and not step.outputs else None
        if seen is not None and await self._look(seen, holds=True) == "":
            await self._keep(ended=number + 1)
            return
        complaint = "nothing takes it back" if step.undo is None else await self._undo(step)
        if complaint:
            raise conflict(
                FAILED,
                f"steps.{number} was interrupted, and cannot be done again: {complaint}",
                hint="write an undo for it that needs none of its outputs",
            )

    async def _undo(self, step: Step) -> str:
        """What is left of a step; empty if nothing is."""
        if step.undo is None:
            return ""
        unknown = self._unknown(step.undo)
        seen = step.verify
        if isinstance(seen, CommandCall) or (seen is not None and self._unknown(seen)):
            seen = None
        if unknown:
            if seen is not None and not await self._until(seen, step, holds=False):
                return ""
            return f"{step.undo} cannot be called: the step {step.do} gave no {', '.join(unknown)}"
        answer = await self._caller.call(step.undo, self._values)
        wrong = self._not_gone(step.undo, answer)
        if wrong:
            return f"{step.undo}: {wrong}"
        if seen is not None and await self._until(seen, step, holds=False):
            return f"{step.undo} succeeded, and {seen} still holds"
        return ""

    async def _remove_leftovers(self) -> Mapping[int, str]:
        """Call those that can be called yet; what failed, by number."""
        wrong: dict[int, str] = {}
        for number, call in enumerate(self._preparation.leftovers):
            if not self._unknown(call):
                complaint = self._not_gone(call, await self._caller.call(call, self._values))
                if complaint:
                    wrong[number] = f"leftovers.{number}: {call}: {complaint}"
        return wrong

    def _seconds(self, step: Step) -> float:
        return step.within_s or self._verify_s

    async def _until(self, call: AnyCall, step: Step, *, holds: bool) -> str:
        """Ask until the call succeeds, or does not any more; at the end what speaks
        against it, else nothing."""
        deadline = self._clock.monotonic() + self._seconds(step)
        while True:
            wrong = await self._look(call, holds=holds)
            if wrong is not None and (not wrong) is holds:
                return ""
            if self._clock.monotonic() + _POLL_S > deadline:
                return "it gives no answer" if wrong is None else wrong or "it holds"
            await asyncio.sleep(_POLL_S)

    async def _look(self, call: AnyCall, *, holds: bool) -> str | None:
        """What is wrong with an answer; None where there is none that counts: of all
        refusals only that there is no such thing shows that it is gone."""
        try:
            answer = await self._caller.call(call, self._values)
        except ProofwalkError as error:
            if error.status is not Status.UNAVAILABLE:
                raise
            return None
        refuses = not call.is_met_by(answer.status) and answer.status not in _ABSENT
        return None if refuses and not holds else self._wrong(call, answer)

    def _wrong(self, call: AnyCall, answer: Answer) -> str:
        """What an answer lacks for success; empty if nothing."""
        if not call.is_met_by(answer.status):
            word = "exit status" if isinstance(call, CommandCall) else "HTTP"
            return f"{word} {answer.status}: {self._caller.quoted(answer.text) or 'no text'}"
        has = self._values.json(dict(call.has))
        return self._caller.quoted(lacks(object_of(has), answer.json()))

    def _not_gone(self, call: AnyCall, answer: Answer) -> str:
        if not isinstance(call, CommandCall) and answer.status in _ABSENT:
            return ""
        return self._wrong(call, answer)

    def _unknown(self, call: AnyCall) -> list[str]:
        return sorted(
            name for text in call.texts() for name in missing(text, self.progress.outputs)
        )

    @property
    def _values(self) -> Values:
        return Values(outputs=self.progress.outputs, variables=self._variables)

    async def _keep(
        self,
        *,
        begun: int | None = None,
        ended: int | None = None,
        outputs: Mapping[str, str] | None = None,
    ) -> None:
        now = self.progress
        self.progress = replace(
            now,
            begun=now.begun if begun is None else begun,
            ended=now.ended if ended is None else ended,
            outputs=now.outputs if outputs is None else outputs,
        )
        await self._record.keep(self.progress)


def _made_nothing(call: AnyCall, answer: Answer) -> bool:
    """Whether a refusal is sure to have changed nothing."""
    return (
        not isinstance(call, CommandCall)
        and 400 <= answer.status < 500
        and answer.status not in _TRANSIENT
    )


def _output(number: int, name: str, path: str, answer: Answer) -> str:
    value = at(answer.json(), path) if path else answer.text.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise conflict(
        FAILED,
        f"steps.{number}: the answer has no text or number at {path!r} for the output {name!r}",
        hint="mend the output's path in the META record",
    )
