"""One judge: a model behind an endpoint, asked until it gives an answer that holds, a
bounded number of times.

An answer that cannot be used is asked for again with the error told
(`malformed_retries`), then it is `malformed`. Whatever keeps the endpoint from
answering is the environment's: it passes through as the endpoint's error. What is asked
is bounded: `concurrency` questions at a time, `deadline_s` for one judgement with all
its questions. Every completion is counted as it comes, also those that led to nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from pydantic import SecretStr

from proofwalk.chassis.settings import read_secret
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, invalid, unavailable
from proofwalk.models.asking import Model, Room, Usage, ask
from proofwalk.models.client import AnswerForm, Completion
from proofwalk.models.connection import connect
from proofwalk.models.fence import Fence
from proofwalk.models.settings import ModelSettings
from proofwalk.reward_service.gauges import JudgeMetrics
from proofwalk.reward_service.judges.answers import (
    MALFORMED,
    Finding,
    JudgeAnswer,
    Verdict,
    answer_schema,
    field_answer_schema,
    plain,
    read_answer,
    read_field_answer,
)
from proofwalk.reward_service.judges.case import Case
from proofwalk.reward_service.judges.question import Failed, Question, build_question
from proofwalk.reward_service.settings import JudgeSettings


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A model that judges. Shared by the judgements of a process."""

    settings: JudgeSettings
    model: Model
    clock: Clock
    metrics: JudgeMetrics
    turns: asyncio.Semaphore = field(repr=False)

    @property
    def family(self) -> str:
        return self.settings.family

    @property
    def name(self) -> str:
        return self.settings.name or self.settings.family

    async def judge(self, case: Case, fence: Fence, *, within_s: float) -> JudgeAnswer:
        """Its answer, `malformed` at worst. Raises what keeps the endpoint from
        answering, `judges.late` when `within_s` is over."""
        asking = _Asking(self, case, fence)
        started = self.clock.monotonic()
        try:
            async with asyncio.timeout(within_s), self.turns:
                found = await asking.ask()
        except TimeoutError as error:
            what = f"the judge {self.name!r} gave no usable answer within {within_s:.0f} s"
            raise unavailable(
                "judges.late",
                what,
                hint="raise the judge's deadline_s, or see whether it is overloaded",
            ) from error
        self.metrics.seconds.labels(self.family).observe(self.clock.monotonic() - started)
        usage = asking.usage
        return JudgeAnswer(
            family=self.family,
            judge=self.name,
            model=plain(asking.answered_by),
            verdict=found.verdict,
            reason=found.reason,
            substeps=found.substeps,
            fields=found.fields,
            evidence=found.evidence,
            calls=usage.calls,
            malformed=usage.malformed,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            tokens_cached=usage.tokens_cached,
            cost=usage.cost,
            currency=usage.currency,
            answered_at=self.clock.now(),
        )


class _Asking:
    """One judge and one case."""

    def __init__(self, judge: Judge, case: Case, fence: Fence) -> None:
        self._judge = judge
        self._case = case
        self._fence = fence
        self._fields = tuple(one.name for one in case.free_text)
        self._room = Room(judge.model.settings)
        self.usage = Usage()
        self.answered_by = ""

    async def ask(self) -> Finding:
        failed: list[Failed] = []
        for _ in range(self._judge.settings.malformed_retries + 1):
            question, completion = await self._complete(failed)
            try:
                return self._read(question, completion)
            except ProofwalkError as error:
                self.usage.malformed += 1
                self._judge.metrics.malformed.labels(self._judge.family).inc()
                failed.append(Failed(text=completion.text, error=error.message))
        reason = f"no answer could be used, {len(failed)} times; the last time: {failed[-1].error}"
        return Finding(verdict=Verdict.MALFORMED, reason=reason)

    def _read(self, question: Question, completion: Completion) -> Finding:
        try:
            if self._fields:
                return read_field_answer(
                    completion.text, names=self._fields, sources=question.sources
                )
            return read_answer(
                completion.text, substeps=self._case.walk.substeps, sources=question.sources
            )
        except ProofwalkError as error:
            if completion.finish_reason == "length":
                why = f"the answer was cut off after {completion.tokens_out} tokens; be shorter"
                raise invalid(MALFORMED, why) from error
            raise

    async def _complete(self, failed: list[Failed]) -> tuple[Question, Completion]:
        """One answer, whatever it is."""
        room = self._room

        def build(_: AnswerForm) -> Question:
            vision = self._judge.settings.vision
            return build_question(
                self._case,
                self._fence,
                room=room.tokens,
                estimator=room.estimator,
                vision=vision,
                failed=failed,
            )

        schema = field_answer_schema(self._fields) if self._fields else answer_schema()
        question, completion = await ask(self._judge.model, build, schema=schema, room=room)
        self._count(completion)
        return question, completion

    def _count(self, completion: Completion) -> None:
        metrics, family = self._judge.metrics, self._judge.family
        self.answered_by = completion.model
        cost = self.usage.count(completion, self._judge.model)
        metrics.tokens.labels(family, "in").inc(completion.tokens_in)
        metrics.tokens.labels(family, "out").inc(completion.tokens_out)
        if self.usage.currency:
            metrics.cost.labels(family, self.usage.currency).inc(cost)


@asynccontextmanager
async def open_judges(
    settings: Mapping[str, JudgeSettings],
    *,
    clock: Clock,
    metrics: JudgeMetrics,
    register_secret: Callable[[str], None],
) -> AsyncIterator[tuple[Judge, ...]]:
    """The judges in the order of their names in the settings; none when none are set.
    Asks nothing yet.

    Raises `settings.bad_file`, `model.bad_endpoint`, `prices.invalid`."""
    async with AsyncExitStack() as exits:
        judges = []
        for _, one in sorted(settings.items()):
            key = ""
            if one.api_key_file is not None:
                named_by = f"API_KEY_FILE of the judge {one.family!r}"
                key = (await asyncio.to_thread(read_secret, one.api_key_file, named_by)).strip()
            if key:
                register_secret(key)
            model = await exits.enter_async_context(connect(_model_settings(one, key), clock=clock))
            assert model is not None, "the settings refuse a judge without an endpoint"
            turns = asyncio.Semaphore(one.concurrency)
            judges.append(
                Judge(settings=one, model=model, clock=clock, metrics=metrics, turns=turns)
            )
        yield tuple(judges)


def _model_settings(settings: JudgeSettings, key: str) -> ModelSettings:
    return ModelSettings(
        endpoint=settings.endpoint,
        name=settings.name,
        api_key=SecretStr(key),
        vision=settings.vision,
        context_tokens=settings.context_tokens,
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        timeout_s=settings.timeout_s,
        deadline_s=settings.deadline_s,
        retries=settings.retries,
        prices=settings.prices,
    )
