"""The `llm` policy: shows a model the turn, and takes a thought and one action from its
answer as the decision.

A question is built by `context`, sent by a `client.ModelClient`, and its answer read by
`answers`. An answer may hold several actions, which `batch` gives one a turn. An answer
that cannot be read is asked for again with the error told, a bounded number of times;
after that the decision fails as `model.malformed`, which counts against the policy.
Whatever keeps the endpoint from answering is the environment's failure and passes
through. A finding is held against the document (`findings`) before it leaves; one that
cannot be held up is dropped, and the decision's notes say why.

`usage` counts every question, also those that led to no decision. A decision carries
what was spent since the one before. Exchanges that led to none go with the failure
(`agent.core.policy.Undecided`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import structlog

from proofwalk.agent.core.policy import Decision, Turn, Undecided
from proofwalk.agent.policies.llm import findings
from proofwalk.agent.policies.llm.answers import (
    MALFORMED,
    Answer,
    answer_schema,
    describe_actions,
    read_answer,
)
from proofwalk.agent.policies.llm.batch import Batch
from proofwalk.agent.policies.llm.compact import CompactConversation
from proofwalk.agent.policies.llm.context import Conversation, Failed
from proofwalk.agent.policies.llm.functions import describe_functions
from proofwalk.agent.reading import lacks
from proofwalk.console.actions import Action, Provision, TaskUnachievable
from proofwalk.console.functions import FunctionCard
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.needs import Need
from proofwalk.kernel.outcomes import Finding
from proofwalk.models.asking import Model, Room, Usage, ask
from proofwalk.models.client import AnswerForm, Completion, Exchange, Message
from proofwalk.models.fence import Fence

log = structlog.get_logger()
_PLANNED = "As answered before."
"""The thought of a step that an earlier answer holds."""


@dataclass(frozen=True, kw_only=True)
class _Question:
    form: AnswerForm
    messages: tuple[Message, ...]


class LlmPolicy:
    """One episode's policy. `code` is a random text that no author of a page or a
    document can know; `mask` takes secrets out of a line.

    With a `seed`, the n-th question has a fixed seed derived from it. Two policies with
    one seed then draw alike where their distributions agree, so their walks differ only
    where the policies do (common random numbers). Empty: random.

    `functions` are those that it may call beside acting by hand, but in the compact
    layout. Who gives it any has an environment that carries calls out.
    """

    name = "llm"

    def __init__(
        self,
        model: Model,
        *,
        code: str,
        mask: Callable[[str], str] = lambda line: line,
        seed: str = "",
        functions: Sequence[FunctionCard] = (),
    ) -> None:
        self._model = model
        self._seed = seed
        fence, compact = Fence(code, mask), model.settings.layout == "compact"
        callable_ones = () if compact else tuple(functions)
        self._schema = answer_schema(
            model.settings.prompt, batches=model.settings.batched, functions=callable_ones
        )
        self._batch = Batch()
        actions = "\n".join(filter(None, [describe_actions(), describe_functions(callable_ones)]))
        self._conversation: Conversation | CompactConversation = (
            CompactConversation(model.settings, fence)
            if compact
            else Conversation(model.settings, fence, actions=actions)
        )
        self._room = Room(model.settings)
        self.usage = Usage()
        self._told = Usage()
        self._exchanges: list[Exchange] = []

    async def decide(self, turn: Turn, *, advice: str = "") -> Decision:
        """Return the next action of the latest answer while the console is as that
        expected; else ask the model. `advice` is another policy's view of the turn.
        Raises `model.malformed`, and what `client` raises."""
        planned = self._batch.proceed(turn)
        if planned is not None:
            return Decision(
                thought=_PLANNED, action=planned, need=_lacked(planned, turn), by=self.name
            )
        failed: list[Failed] = []
        for _ in range(self._model.settings.malformed_retries + 1):
            question, completion = await self._ask(turn, advice, failed)
            form, messages = question.form, question.messages
            try:
                answer = _read(completion)
            except ProofwalkError as error:
                self.usage.malformed += 1
                self._exchanges.append(
                    Exchange(
                        messages=messages, form=form, completion=completion, error=error.message
                    )
                )
                failed.append(Failed(text=completion.text, error=error.message))
                continue
            self._exchanges.append(Exchange(messages=messages, form=form, completion=completion))
            self._conversation.keep(turn)
            return self._decision(answer, turn, completion)
        spent = {
            "tokens_in": str(self.usage.tokens_in),
            "tokens_out": str(self.usage.tokens_out),
            "cost": f"{self.usage.cost:.6f}",
        }
        exchanges = tuple(self._exchanges)
        self._exchanges.clear()
        raise Undecided(
            MALFORMED,
            f"the model's answer could not be read {len(failed)} times; the last time:"
            f" {failed[-1].error}",
            hint="`proofwalk doctor --endpoint URL` says which form of answers the model keeps to",
            details=spent,
            exchanges=exchanges,
        )

    async def close(self) -> None:
        """Do nothing: the model is shared."""

    async def _ask(
        self, turn: Turn, advice: str, failed: list[Failed]
    ) -> tuple[_Question, Completion]:
        """Ask once, and return the question with the answer, usable or not."""
        room = self._room

        def build(form: AnswerForm) -> _Question:
            messages = self._conversation.messages(
                turn, form, room=room.tokens, estimator=room.estimator, advice=advice, failed=failed
            )
            return _Question(form=form, messages=messages)

        seed = _nth(self._seed, self.usage.calls) if self._seed else None
        question, completion = await ask(
            self._model, build, schema=self._schema, room=room, seed=seed
        )
        self.usage.count(completion, self._model)
        return question, completion

    def _decision(self, answer: Answer, turn: Turn, completion: Completion) -> Decision:
        finding, notes = _founded(answer, turn)
        ends = isinstance(answer.action, TaskUnachievable)
        whole = self._model.settings.batched
        action = self._batch.begin(answer, turn) if whole else answer.action
        if isinstance(action, TaskUnachievable) and notes:
            action = TaskUnachievable(reason=f"{action.reason} ({'; '.join(notes)})")
        usage, told = self.usage, self._told
        self._told, exchanges = replace(usage), tuple(self._exchanges)
        self._exchanges.clear()
        return Decision(
            thought=answer.thought,
            action=action,
            need=_lacked(action, turn),
            finding=finding if ends else None,
            noted=(finding,) if finding is not None and not ends else (),
            confidence=_confidence(completion),
            cost=usage.cost - told.cost,
            currency=usage.currency,
            by=self.name,
            notes=notes,
            model=completion.model,
            malformed=usage.malformed - told.malformed,
            tokens_in=usage.tokens_in - told.tokens_in,
            tokens_out=usage.tokens_out - told.tokens_out,
            tokens_cached=usage.tokens_cached - told.tokens_cached,
            exchanges=exchanges,
        )


def _lacked(action: Action, turn: Turn) -> Need | None:
    """What a `provision` asks for."""
    if not isinstance(action, Provision):
        return None
    product = turn.task.product or lacks.product_in(turn.observation.url)
    return lacks.need_in(action.need, product)


def _read(completion: Completion) -> Answer:
    """Read an answer. Raises `model.malformed`."""
    try:
        return read_answer(completion.text)
    except ProofwalkError as error:
        if completion.finish_reason == "length":
            raise invalid(
                MALFORMED,
                f"the answer was cut off after {completion.tokens_out} tokens; be shorter",
            ) from error
        if completion.finish_reason == "content_filter":
            raise invalid(MALFORMED, "the endpoint's filter kept the answer back") from error
        raise


def _nth(seed: str, question: int) -> int:
    """Return the seed of the n-th question, from 0 to 2⁶³ − 1."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{question}".encode()).digest()[:8], "big") >> 1


def _founded(answer: Answer, turn: Turn) -> tuple[Finding | None, tuple[str, ...]]:
    """Return the finding if it is supported, and notes about one that is not."""
    if answer.finding is None:
        return None, ()
    if turn.task.purpose == "follow" and not isinstance(answer.action, TaskUnachievable):
        return None, ("a finding was given with an action that goes on, and was dropped",)
    try:
        return findings.check(answer.finding, turn), ()
    except findings.Unfounded as error:
        log.info("finding_dropped", reason=str(error), substep=turn.substep.number)
        return None, (f"the finding was dropped: {error}",)


def _confidence(completion: Completion) -> float:
    """Return the geometric mean of the answer's token probabilities; 1 if the endpoint
    serves none."""
    if not completion.logprobs:
        return 1.0
    return min(1.0, math.exp(sum(completion.logprobs) / len(completion.logprobs)))
