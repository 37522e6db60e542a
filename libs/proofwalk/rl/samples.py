"""From chat messages to token rows: one `Sample` is one decision of the policy, prompt
and completion.

A `Batch` has no padding in what is learned: whatever is per token is flat, over the
learned tokens of all its samples, row by row, left to right; `predictors` marks the
positions whose logits predict them, so a model computes their logits and no others.
Rows hold one sample each or several (packing): positions start at 0 with each sample,
and transformers derives a block-diagonal causal mask from that when it gets no
attention mask and no cache (`masking_utils.find_packed_sequence_indices`), so samples
of a row do not see each other. Padding on the right goes on counting, which causal
attention keeps out for nothing and leaves the fast unmasked kernel in use; on the left
it is a block of its own.

Prompts of one task begin alike (the system message; in an episode, the document too).
With `share_prefix` that beginning is kept out of the rows, to be computed once for all
of them. Next: `logprobs`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float32, Int64
from torch import Tensor

from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One decision: what the policy read, and what it wrote."""

    prompt: Sequence[int]
    completion: Sequence[int]
    """Including the token that ends the turn."""
    mask: Sequence[bool] = ()
    """Per completion token: is it learned? Empty: all are."""
    weight: float = 1.0
    """The sample's share in the loss, relative to the others'."""
    advantage: float = 0.0
    """Â of its trajectory; unused by SFT."""
    old_logprobs: Sequence[float] = ()
    """log π_old per completion token, natural logarithm, as the engine that acted
    reports them; empty when unknown."""
    reference_logprobs: Sequence[float] = ()
    """log π_ref per completion token; empty when not computed."""
    policy_version: str = ""
    """The weights that acted; empty: the current ones, or a teacher."""
    episode: str = ""
    """The trajectory it belongs to."""
    episode_tokens: int = 0
    """Learned tokens of that whole trajectory, where the batch has a draw of its steps;
    0: it has all of them."""
    images: Mapping[str, Tensor] = field(default_factory=dict, compare=False)
    """What the model's processor made of the prompt's images (Qwen3-VL: `pixel_values`,
    `image_grid_thw`); a batch holds the samples' one after the other along the first
    dimension. The prompt carries the image tokens already expanded:
    `images.with_images` does."""
    token_types: Sequence[int] = ()
    """Per prompt token, the processor's `mm_token_type_ids`; needed with images, since
    the model derives its positions from them."""

    def __post_init__(self) -> None:
        if not len(self.prompt) or not len(self.completion):
            raise invalid(
                "rl.sample_invalid",
                "a sample needs a prompt and a completion of at least one token each",
            )
        for name in ("mask", "old_logprobs", "reference_logprobs"):
            values = getattr(self, name)
            if len(values) not in (0, len(self.completion)):
                raise invalid(
                    "rl.sample_invalid",
                    f"{name} has {len(values)} entries for {len(self.completion)} completion"
                    " tokens",
                )
        if len(self.token_types) != (len(self.prompt) if self.images else 0):
            raise invalid(
                "rl.sample_invalid",
                f"{len(self.token_types)} token types for {len(self.prompt)} prompt tokens",
                hint="with images, one each",
            )
        places = {token for token, kind in zip(self.prompt, self.token_types, strict=False) if kind}
        if not places.isdisjoint(self.completion):
            raise invalid(
                "rl.sample_invalid",
                "the completion has a token that stands for an image, which the model would"
                " look for",
                hint="keep the engine from sampling it",
            )
        if len(self.mask) and not any(self.mask):
            raise invalid("rl.sample_invalid", "a sample's loss mask leaves nothing to learn")

    @property
    def length(self) -> int:
        """Tokens of prompt and completion."""
        return len(self.prompt) + len(self.completion)

    @property
    def learned(self) -> tuple[int, ...]:
        """Indices of the completion tokens that are learned."""
        return tuple(
            index for index in range(len(self.completion)) if not len(self.mask) or self.mask[index]
        )


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows for one forward pass, behind tokens that all rows begin with."""

    input_ids: Int64[Tensor, "rows tokens"]
    position_ids: Int64[Tensor, "rows tokens"]
    """Each sample starts at 0, with a shared prefix at its length."""
    predictors: Bool[Tensor, "rows tokens"]
    """True at the position before each learned token."""
    targets: Int64[Tensor, " learned"]
    sample: Int64[Tensor, " learned"]
    """Which of the samples given to `collate`."""
    weights: Float32[Tensor, " learned"]
    """`objectives.token_weights`."""
    advantages: Float32[Tensor, " learned"]
    old_logprobs: Float32[Tensor, " learned"] | None
    """None unless every sample has them."""
    reference_logprobs: Float32[Tensor, " learned"] | None
    tokens: int
    """Tokens without padding; those of the prefix count for each row."""
    prefix: Int64[Tensor, " prefix"]
    """What every row begins with and does not repeat; empty where nothing is shared."""
    images: Mapping[str, Tensor] = field(default_factory=dict)
    """All samples' images, and `mm_token_type_ids` as `input_ids`; the model computes
    positions of its own from these."""

    def to(self, device: Any) -> Batch:
        """The same on a device."""
        moved = {
            name: value.to(device)
            for name, value in vars(self).items()
            if isinstance(value, Tensor)
        }
        images = {name: value.to(device) for name, value in self.images.items()}
        return Batch(**{**vars(self), **moved, "images": images})


def collate(
    samples: Sequence[Sample],
    rows: Sequence[Sequence[int]],
    *,
    weights: Sequence[float],
    pad: int = 0,
    side: Literal["left", "right"] = "right",
    share_prefix: bool = False,
) -> Batch:
    """Rows of sample indices as tensors. `weights[i]` is the weight of each learned
    token of `samples[i]`. `share_prefix`: where each row is one sample without images,
    the prompts' common beginning goes into `Batch.prefix`.

    Raises `rl.images_packed`: samples with images go one a row, padded on the right.
    """
    ordered = [samples[index] for row in rows for index in row]
    shared = (
        _common_prefix(ordered)
        if share_prefix and len(ordered) == len(rows) > 1 and side == "right"
        else 0
    )
    if any(sample.images for sample in ordered) and (len(ordered) > len(rows) or side == "left"):
        raise invalid(
            "rl.images_packed",
            "samples with images cannot share a row or be padded on the left",
            hint="set packing to false",
        )
    width = max(sum(samples[index].length - shared for index in row) for row in rows)
    laid = _laid_out(samples, rows, width=width, shared=shared, pad=pad, side=side)
    return Batch(
        input_ids=torch.tensor(laid.ids),
        position_ids=torch.tensor(laid.positions),
        predictors=laid.predictors,
        targets=torch.tensor(laid.targets),
        sample=torch.tensor(laid.owners),
        weights=torch.tensor([weights[index] for index in laid.owners], dtype=torch.float32),
        advantages=torch.tensor(
            [samples[index].advantage for index in laid.owners], dtype=torch.float32
        ),
        old_logprobs=_per_token(ordered, "old_logprobs"),
        reference_logprobs=_per_token(ordered, "reference_logprobs"),
        tokens=sum(sample.length for sample in ordered),
        prefix=torch.tensor(ordered[0].prompt[:shared], dtype=torch.int64),
        images=_images(ordered, width) if any(sample.images for sample in ordered) else {},
    )


@dataclass(frozen=True, kw_only=True)
class _LaidOut:
    """Rows of tokens, and their learned tokens with the samples that these are of."""

    predictors: Bool[Tensor, "rows tokens"]
    ids: list[list[int]] = field(default_factory=list)
    positions: list[list[int]] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)


def _laid_out(
    samples: Sequence[Sample],
    rows: Sequence[Sequence[int]],
    *,
    width: int,
    shared: int,
    pad: int,
    side: Literal["left", "right"],
) -> _LaidOut:
    """Lay samples without their `shared` first tokens out in rows of `width`."""
    laid = _LaidOut(predictors=torch.zeros((len(rows), width), dtype=torch.bool))
    for number, row in enumerate(rows):
        blank = width - sum(samples[index].length - shared for index in row)
        ids = [pad] * blank if side == "left" else []
        positions = list(range(len(ids)))
        for index in row:
            sample = samples[index]
            first = len(ids) + len(sample.prompt) - shared - 1
            for token in sample.learned:
                laid.predictors[number, first + token] = True
                laid.targets.append(sample.completion[token])
                laid.owners.append(index)
            ids += [*sample.prompt[shared:], *sample.completion]
            positions += range(shared, sample.length)
        if side == "right":
            ids += [pad] * blank
            positions += range(positions[-1] + 1, positions[-1] + 1 + blank)
        laid.ids.append(ids)
        laid.positions.append(positions)
    return laid


def _common_prefix(samples: Sequence[Sample]) -> int:
    """Tokens that all prompts begin with; 0 with images. One token of each prompt is
    left, whose logits predict the completion's first."""
    if any(sample.images for sample in samples):
        return 0
    first = samples[0].prompt
    most = min(len(sample.prompt) for sample in samples) - 1
    return next(
        (at for at in range(most) if any(sample.prompt[at] != first[at] for sample in samples)),
        most,
    )


def _images(samples: Sequence[Sample], width: int) -> dict[str, Tensor]:
    names = dict.fromkeys(name for sample in samples for name in sample.images)
    joined = {
        name: torch.cat([sample.images[name] for sample in samples if name in sample.images])
        for name in names
    }
    types = [[*sample.token_types, *[0] * (width - len(sample.token_types))] for sample in samples]
    return {**joined, "mm_token_type_ids": torch.tensor(types, dtype=torch.int32)}


def _per_token(samples: Sequence[Sample], name: str) -> Float32[Tensor, " learned"] | None:
    if not all(len(getattr(sample, name)) for sample in samples):
        return None
    return torch.tensor(
        [getattr(sample, name)[token] for sample in samples for token in sample.learned],
        dtype=torch.float32,
    )


def microbatches(lengths: Sequence[int], *, tokens: int, packing: bool) -> list[list[list[int]]]:
    """Cuts a batch into forward passes of at most `tokens` tokens, padding included; a
    longer sample goes alone.

    Each pass is a list of rows, each row a list of indices. Without packing, samples of
    like length share a pass, one a row; with it, a pass is one row, filled first-fit
    from the longest down. A pure function of the lengths.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    if packing:
        packs: list[list[int]] = []
        room: list[int] = []
        for index in order:
            place = next((n for n, left in enumerate(room) if left >= lengths[index]), None)
            if place is None:
                packs.append([index])
                room.append(tokens - lengths[index])
            else:
                packs[place].append(index)
                room[place] -= lengths[index]
        return [[pack] for pack in packs]
    passes: list[list[list[int]]] = []
    for index in order:
        if passes and (len(passes[-1]) + 1) * lengths[passes[-1][0][0]] <= tokens:
            passes[-1].append([index])
        else:
            passes.append([[index]])
    return passes


def shuffled(count: int, *, seed: int, epoch: int) -> list[int]:
    """0 … count - 1 in the order of an epoch: a function of (count, seed, epoch), so
    that a resumed run needs only its step."""
    order = list(range(count))
    Random(f"{seed}/{epoch}").shuffle(order)  # noqa: S311  # an order of data, not a secret
    return order


def digest(samples: Sequence[Sample]) -> str:
    """SHA-256 over tokens, masks, weights and images, in order: the identity of a data
    set."""
    total = hashlib.sha256()
    for sample in samples:
        total.update(
            repr(
                (
                    tuple(sample.prompt),
                    tuple(sample.completion),
                    sample.learned,
                    float(sample.weight),
                )
            ).encode("ascii")
        )
        for name, tensor in sorted(sample.images.items()):
            total.update(f"{name} {tuple(tensor.shape)}".encode())
            total.update(tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return total.hexdigest()


def from_messages(
    tokenizer: Any,
    messages: Sequence[JsonObject],
    answer: str,
    *,
    weight: float = 1.0,
    episode: str = "",
    policy_version: str = "",
) -> Sample:
    """A sample whose completion is `answer` as the assistant's next turn, and nothing
    else is learned.

    A message's content is what the chat template takes: a text, or a list of parts
    (then `images.with_images` puts the images in their places). The prompt is tokenised
    exactly as at inference (chat template with the generation prompt, no further
    special tokens) and apart from the completion, since that is how a generated
    completion joins its prompt. The completion ends with the token that ends a turn.
    Raises `rl.template_unfit` when a rendered conversation does not begin with its
    rendered prompt.
    """
    prompt = str(
        tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False)
    )
    whole = str(
        tokenizer.apply_chat_template(
            [*messages, {"role": "assistant", "content": answer}], tokenize=False
        )
    )
    if not whole.startswith(prompt):
        raise invalid(
            "rl.template_unfit",
            "the chat template renders a conversation differently once it is answered, so the"
            " answer's tokens cannot be told apart",
            hint="use a template whose generation prompt is a prefix of the assistant's turn",
        )
    completion, end = whole[len(prompt) :], str(tokenizer.eos_token)
    completion = completion[: completion.rindex(end)] if end in completion else completion
    encode: Callable[..., list[int]] = tokenizer.encode
    return Sample(
        prompt=tuple(encode(prompt, add_special_tokens=False)),
        completion=(*encode(completion, add_special_tokens=False), int(tokenizer.eos_token_id)),
        weight=weight,
        episode=episode,
        policy_version=policy_version,
    )
