"""An outcome reward model: the chance that a walk did what its document says (WebRL
§2.1).

A causal language model is asked for YES or NO (`datasets.outcomes.questions` writes the
question) and is trained by SFT on questions whose answers a rule knows (preset
`webrl-orm`). Its judgement is the probability of YES among the two:

    P(YES) = π(YES | q) / (π(YES | q) + π(NO | q))

The walk counts as a success where π(YES | q) > π(NO | q). An answer may be several
tokens; its probability is their product, and the token that ends the turn is no part of
it. Nothing is sampled: the same weights and questions give the same numbers, up to the
rounding of another batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from proofwalk.datasets.outcomes.answers import NO, YES
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.logprobs import score
from proofwalk.rl.samples import Sample, from_messages
from proofwalk.rl.settings import Precision
from proofwalk.rl.sft import padding


class OutcomeModel:
    """A model that answers YES or NO, with its tokenizer. Puts it into eval mode."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        microbatch_tokens: int = 16_384,
        precision: Precision = "auto",
    ) -> None:
        self._model = model.eval()
        self._tokenizer = tokenizer
        self._microbatch_tokens = microbatch_tokens
        self._precision = precision

    def success_probabilities(self, questions: Sequence[Sequence[JsonObject]]) -> list[float]:
        """P(YES) of each question, which is a list of chat messages. Raises
        `rl.answers_alike`, `rl.template_unfit`."""
        asked = [
            answered(self._tokenizer, question, answer)
            for question in questions
            for answer in (YES, NO)
        ]
        if any(yes.completion == no.completion for yes, no in _pairs(asked)):
            raise invalid("rl.answers_alike", "the tokenizer makes the same tokens of YES and NO")
        scores = score(
            self._model,
            asked,
            microbatch_tokens=self._microbatch_tokens,
            precision=self._precision,
            pad=padding(self._tokenizer),
        )
        return [yes_share(math.fsum(yes), math.fsum(no)) for yes, no in _pairs(scores)]


def answered(tokenizer: Any, question: Sequence[JsonObject], answer: str) -> Sample:
    """The question with an answer whose turn is not ended. Raises
    `rl.template_unfit`."""
    whole = from_messages(tokenizer, question, answer)
    return Sample(prompt=whole.prompt, completion=whole.completion[:-1])


def yes_share(yes: float, no: float) -> float:
    """P(YES) of the two answers' log-probabilities."""
    # The larger one is taken out, so that the other cannot overflow.
    top = max(yes, no)
    return math.exp(yes - top) / (math.exp(yes - top) + math.exp(no - top))


def is_success(probability: float) -> bool:
    """Whether YES is likelier than NO; of equals the answer is NO."""
    return probability > 0.5


def _pairs(values: Sequence[Any]) -> list[tuple[Any, Any]]:
    return list(zip(values[::2], values[1::2], strict=True))
