"""Several models that take turns by chance: each question goes to one of them.

What one model gets wrong another may get right, and in the middle of a walk too: a task
that no model of a pool solves alone may be solved by their mixture (ComputerRL §3.1:
"randomly select one to determine each action"). Each answer names the model that gave
it, and so does the recorded step. `ModelPool` answers `client.ModelClient`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import AnswerForm, Completion, Message, ModelClient


class ModelPool:
    """Of at least one client, all of which take answers in one form."""

    def __init__(self, members: Sequence[ModelClient], *, chance: Random) -> None:
        self._members = tuple(members)
        self._chance = chance

    @property
    def form(self) -> AnswerForm:
        return self._members[0].form

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonObject,
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        """Raises what the member raises that was drawn."""
        member = self._chance.choice(self._members)
        return await member.generate(messages, schema=schema, max_tokens=max_tokens, seed=seed)
