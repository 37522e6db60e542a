"""A critic of a WebRL run, asked without a run: the value of a question, from a
checkpoint.

A checkpoint's folder holds what of the critic learns; where that is the head alone, it
reads the states of the model that the run began with. So the run's configuration is
read for the model, and the critic is made as the run made it. Blocks; torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from proofwalk.kernel.errors import invalid
from proofwalk.models.client import Message
from proofwalk.rl.adapters import frozen
from proofwalk.rl.critic import Critic
from proofwalk.rl.samples import from_messages
from proofwalk.rl.settings import WebrlSettings
from proofwalk.rl.sft import padding
from proofwalk.trainer.ended_runs import configuration_of
from proofwalk.trainer.examination import context_of
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.model_loading import load_model

Valued = Callable[[Sequence[Message]], float]
"""The critic's value of a question, from 0 to 1."""


def critic_at(checkpoint: Path) -> Valued:
    """The critic of `<run>/checkpoints/<checkpoint>`. Raises
    `trainer.run_not_found`, `trainer.configuration_invalid` for a run of another
    method, `trainer.bad_model`, `rl.checkpoint_unfit`; the critic `rl.template_unfit`,
    and `trainer.question_too_long`."""
    run = RunFolder(checkpoint.absolute().parents[1])
    config = configuration_of(run)
    settings = config.learning
    if not isinstance(settings, WebrlSettings):
        raise invalid(
            "trainer.configuration_invalid",
            f"the run in {run.path} is of {settings.method}, which has no critic",
            hint="name a checkpoint of a run of webrl",
        )
    model, tokenizer = load_model(config.model, adaptation=settings.adaptation)
    critic = Critic(frozen(model), settings, pad=padding(tokenizer))
    critic.read(checkpoint)
    context = context_of(config.model)

    def value(messages: Sequence[Message]) -> float:
        asked = [{"role": message.role, "content": message.text} for message in messages]
        # The critic reads no answer.
        state = from_messages(tokenizer, asked, "")
        if context and len(state.prompt) > context:
            raise invalid(
                "trainer.question_too_long",
                f"a question has {len(state.prompt)} tokens, and the critic reads {context}",
                hint="ask as the run's episodes were asked: PROOFWALK_ROLLOUT__MODEL__…",
            )
        return critic.values([state])[0]

    return value
