"""From a trajectory to what is learned from it: every answer that the model wrote, in
its order, with the tokens that it read and wrote.

Answers that could not be used are among them: the model wrote them, and the outcome is
theirs too (EvoCUA §5: a trajectory's advantage is allocated uniformly on its steps). A
trajectory is used whole or not at all: one in which an answer lacks its tokens, or that
somebody else's weights acted in, would teach half of what happened. Why it is not used
is a `Trouble`, which is counted and never a reward. No torch.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa
import pyarrow.parquet as pq

from proofwalk.kernel.errors import ProofwalkError, unimplemented
from proofwalk.trajectories import schema
from proofwalk.trajectories.records import ExchangeRecord

_OURS = re.compile(r"(?P<version>step-(?P<step>\d{1,18}))(?:\+\d+)?")
_ROUNDING = 1e-3
"""Above 0 a log-probability may lie by this much: sums of float32."""
_LEFT = 0.9
"""The least Z at which a token is the policy's own."""


class Trouble(StrEnum):
    """Why an episode that counts is not learned from."""

    LATE = "late"
    """Not finished by the step's deadline."""
    ABSENT = "absent"
    """There is no trajectory."""
    CORRUPT = "corrupt"
    """It cannot be read, or says what cannot be."""
    BROKEN_OFF = "broken_off"
    """The recording is not whole."""
    UNASKED = "unasked"
    """No model was asked."""
    NO_TOKENS = "no_tokens"
    """The endpoint told no token ids."""
    FOREIGN = "foreign"
    """Weights acted that this run has not published."""
    AHEAD = "ahead"
    """Weights acted that this run will publish: it was resumed from a step before
    them."""
    CONSTRAINED = "constrained"
    """The answers' form decided every token: the policy chose nothing."""


class Unfit(Exception):
    """A trajectory that is not learned from."""

    def __init__(self, trouble: Trouble, why: str) -> None:
        super().__init__(why)
        self.trouble = trouble


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One answer of the model."""

    prompt: tuple[int, ...]
    completion: tuple[int, ...]
    """With the token that ends it, where the model wrote one."""
    logprobs: tuple[float, ...]
    """Raw, natural logarithms at temperature 1, one for each token of the completion;
    empty where the engine tells none."""
    version: str
    """`step-…`, without the run's name."""
    constrained: tuple[float, ...] = ()
    """Likewise, among the tokens that the answer's form left; empty where the engine
    does not tell."""

    usable: bool = True
    """Whether the policy could read an action in it."""
    images: tuple[str, ...] = ()
    """Addresses of the pictures in its prompt, in their order."""

    @property
    def step(self) -> int:
        """Updates behind the weights that acted."""
        return step_of(self.version)


def own(one: Attempt) -> tuple[bool, ...]:
    """For each token, whether the policy chose it: log π - log π_m = log Z. Empty,
    which is all, where the engine does not tell."""
    if not one.constrained or not one.logprobs:
        return ()
    least = math.log(_LEFT)
    return tuple(
        raw - among >= least for raw, among in zip(one.logprobs, one.constrained, strict=True)
    )


def step_of(version: str) -> int:
    """The number in `step-00000012`."""
    found = _OURS.fullmatch(version)
    assert found is not None, "versions are checked where they are read"
    return int(found["step"])


def attempts_of(
    parquet: bytes,
    *,
    verification_id: str,
    run_id: str,
    vocabulary: int | None,
    looking: bool = False,
) -> tuple[Attempt, ...]:
    """Every answer in a trajectory's file; at least one. `looking`: the model that is
    trained sees pictures. Raises `Unfit`, `trainer.images_unsupported`. Blocks."""
    try:
        file = pq.ParquetFile(io.BytesIO(parquet))
        with _of_our_schema():
            episode, ending = schema.read_about(file)
        if episode.verification_id != verification_id:
            raise Unfit(Trouble.CORRUPT, f"it is of {episode.verification_id!r}")
        if not ending.complete:
            raise Unfit(Trouble.BROKEN_OFF, "its recording broke off")
        found = tuple(
            _attempt(one, run_id, vocabulary, looking=looking) for one in _exchanges(file)
        )
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise Unfit(
            Trouble.CORRUPT, f"it cannot be read: {type(error).__name__}: {error}"
        ) from error
    if not found:
        raise Unfit(Trouble.UNASKED, "no model was asked in it")
    return found


def _exchanges(file: pq.ParquetFile) -> Iterator[ExchangeRecord]:
    for batch in file.iter_batches(batch_size=64, columns=["exchanges"]):
        for row in batch.to_pylist():
            for one in row["exchanges"] or ():
                with _of_our_schema():
                    record = schema.record_of(one, ExchangeRecord)
                yield record


@contextmanager
def _of_our_schema() -> Iterator[None]:
    """What is read within has to be of the recorder's schema. Raises `Unfit`."""
    try:
        yield
    except ProofwalkError as error:
        raise Unfit(Trouble.CORRUPT, error.message) from error


def images_unsupported() -> ProofwalkError:
    return unimplemented(
        "trainer.images_unsupported",
        "the policy was shown screenshots, and what is trained reads text alone",
        hint=(
            "set PROOFWALK_ROLLOUT__MODEL__VISION=false where the rollout role runs, or train a"
            " Qwen3-VL by GRPO"
        ),
    )


def _attempt(one: ExchangeRecord, run_id: str, vocabulary: int | None, *, looking: bool) -> Attempt:
    images = tuple(address for message in one.messages for address in message.images)
    if images and not looking:
        raise images_unsupported()
    name, _, version = one.model.rpartition("@")
    ours = _OURS.fullmatch(version)
    if name != run_id or ours is None:
        raise Unfit(Trouble.FOREIGN, f"{one.model!r} acted")
    if not one.prompt_token_ids or not one.token_ids:
        raise Unfit(Trouble.NO_TOKENS, "an answer lacks its token ids")
    ids = (*one.prompt_token_ids, *one.token_ids)
    if min(ids) < 0 or (vocabulary is not None and max(ids) >= vocabulary):
        raise Unfit(Trouble.CORRUPT, f"a token id is outside of the model's {vocabulary}")
    for values in (one.logprobs, one.constrained_logprobs):
        if len(values) not in (0, len(one.token_ids)):
            raise Unfit(
                Trouble.CORRUPT, f"{len(values)} log-probabilities for {len(one.token_ids)} tokens"
            )
        if not all(math.isfinite(value) and value <= _ROUNDING for value in values):
            raise Unfit(Trouble.CORRUPT, "a log-probability is no logarithm of a probability")
    return Attempt(
        prompt=one.prompt_token_ids,
        completion=one.token_ids,
        logprobs=one.logprobs,
        version=ours["version"],
        constrained=one.constrained_logprobs,
        usable=not one.error,
        images=images,
    )
