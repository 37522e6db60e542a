"""Who decides in a walk, in a console or on a desktop: the order's policy, with the
model that it asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from proofwalk.agent.choosing import MODEL_POLICIES, Choice, make_policy
from proofwalk.agent.core.policy import Policy
from proofwalk.agent.policies.cascade.settings import CascadeSettings
from proofwalk.chassis.logs import Redaction
from proofwalk.console.functions import FunctionCard
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import caused_by
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.models.asking import Model
from proofwalk.rollout.replays import REPLAY
from proofwalk.rollout.walk_order import WalkOrder

Models = Callable[[float], AbstractAsyncContextManager[Model | None]]
"""Opens the model that is asked at this temperature, for one walk."""


class WalkPolicies:
    """Makes policies of orders."""

    def __init__(
        self,
        *,
        clock: Clock,
        redaction: Redaction,
        model: Model | None = None,
        models: Models | None = None,
        cascade: CascadeSettings | None = None,
    ) -> None:
        """`models` opens the model at another temperature than the settings'. Without
        it, an order that names a temperature is walked at that of the settings."""
        self._clock = clock
        self._redaction = redaction
        self._model = model
        self._models = models
        self._cascade = cascade or CascadeSettings()

    def redact(self, spellings: Iterable[str]) -> None:
        """Keep these out of logs and of what a model is told."""
        for spelling in spellings:
            self._redaction.register(spelling)

    @asynccontextmanager
    async def model(self, order: WalkOrder) -> AsyncIterator[Model | None]:
        """The model that the order's policy asks. One that cannot be opened fails for
        the cause `model`."""
        if (
            order.temperature is None
            or order.asked.policy not in MODEL_POLICIES
            or self._models is None
        ):
            yield self._model
            return
        async with AsyncExitStack() as stack:
            with caused_by(EnvCause.MODEL):
                model = await stack.enter_async_context(self._models(order.temperature))
            yield model

    def masked(self, text: str) -> str:
        """A text without the secrets that this process knows."""
        return self._redaction.text(text)

    def make(
        self, order: WalkOrder, model: Model | None, functions: Sequence[FunctionCard] = ()
    ) -> Policy:
        """The order's policy. The seed of a replay has the episode in it, so that what
        a replay makes up differs between episodes."""
        replays = order.asked.policy == REPLAY
        choice = Choice(
            script_yaml=order.asked.script,
            replay_json=order.replay_json,
            outputs=order.outputs,
            seed=f"{order.seed}:{order.episode_id}" if replays else order.seed,
            draws=order.draws,
            model=model,
            cascade=self._cascade,
            spent=order.spent,
            mask=self._redaction.text,
            functions=functions,
            clock=self._clock,
        )
        return make_policy(order.asked.policy, choice)


def takes_pictures(order: WalkOrder, model: Model | None) -> bool:
    """Whether somebody looks at pictures of the walk, or keeps them."""
    asks = order.asked.policy in MODEL_POLICIES
    return order.screenshots or (asks and model is not None and model.settings.vision)
