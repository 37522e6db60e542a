"""Tensors of sequences that are decoded together: one row each, left-padded, with the
cache of their keys and values.

Rows join between two steps (a prompt is read on its own, then its cache is expanded to
its samples) and leave when they are finished, so a short answer never waits for a long
one (iteration-level scheduling, Orca, Yu et al., OSDI 2022). Keys and values lie in
buffers with room to spare (`GrowingLayer`): a token is written behind the others
instead of copying them all. Left padding is masked, and positions count from each row's
own first token: what a row computes is what it would compute alone, but for the order
of sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad
from transformers.cache_utils import Cache, DynamicLayer

from proofwalk.rl.images import PlacedImages
from proofwalk.rl.logprobs import selected
from proofwalk.rl.saved_models import looks

_SHORTEST = 16
"""Tokens of a beginning that is worth keeping apart."""
_SPARE = 128
"""Tokens of room that a buffer of keys and values is made with."""
_CHUNK = 512
"""Tokens of a prompt that are read at a time: between two chunks a caller who went away
is noticed."""


class GrowingLayer(DynamicLayer):  # type: ignore[misc]  # transformers has no types
    """Keys and values of one layer as views of buffers. What was handed out stays as it
    is: tokens are written behind it, never into it, and into a buffer of the layer's
    own. Tensors that were put in from outside are copied at the next token."""

    keys: Tensor
    values: Tensor
    _buffers: tuple[Tensor, Tensor] | None = None
    _view: Tensor | None = None

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        length = self.get_seq_length()
        end = length + key_states.shape[-2]
        if self._buffers is None or self._view is not self.keys or end > self._buffers[0].shape[-2]:
            self._buffers = (
                _roomy(self.keys, key_states, length),
                _roomy(self.values, value_states, length),
            )
        keys, values = self._buffers
        keys[:, :, length:end] = key_states
        values[:, :, length:end] = value_states
        self.keys = self._view = keys[:, :, :end]
        self.values = values[:, :, :end]
        return self.keys, self.values


def _roomy(states: Tensor, added: Tensor, length: int) -> Tensor:
    rows, heads, tokens, width = added.shape
    buffer = added.new_empty((rows, heads, length + tokens + _SPARE, width))
    if length:
        buffer[:, :, :length] = states
    return buffer


def growing_cache() -> Any:
    """An empty cache of such layers."""
    return Cache(layer_class_to_replicate=GrowingLayer)


@dataclass
class Rows:
    """B sequences, T tokens long with their padding, V words in the vocabulary."""

    cache: Any
    """`growing_cache` with keys and values [B, heads, T, width] for each layer."""
    mask: Tensor
    """int64 [B, T]: 1 where there is a token, 0 where there is padding."""
    positions: Tensor
    """int64 [B]: the position of the token that comes next."""
    logits: Tensor
    """float32 [B, V]: of the token that comes next."""

    def expand(self, n: int) -> None:
        """Each row n times: the samples of a prompt share what was computed for it."""
        self.cache.batch_repeat_interleave(n)
        self.mask = self.mask.repeat_interleave(n, dim=0)
        self.positions = self.positions.repeat_interleave(n, dim=0)
        self.logits = self.logits.repeat_interleave(n, dim=0)

    def join(self, other: Rows) -> None:
        """Append other rows."""
        length = max(self.mask.shape[1], other.mask.shape[1])
        for mine, theirs in zip(self.cache.layers, other.cache.layers, strict=True):
            mine.keys = torch.cat(
                [_lengthened(mine.keys, length), _lengthened(theirs.keys, length)]
            )
            mine.values = torch.cat(
                [_lengthened(mine.values, length), _lengthened(theirs.values, length)]
            )
        masks = [pad(rows.mask, (length - rows.mask.shape[1], 0)) for rows in (self, other)]
        self.mask = torch.cat(masks)
        self.positions = torch.cat([self.positions, other.positions])
        self.logits = torch.cat([self.logits, other.logits])

    def keep(self, indices: Sequence[int]) -> None:
        """Drop every other row, and padding that all that stay have in common. At least
        one stays."""
        chosen = torch.tensor(indices, device=self.mask.device)
        self.mask = self.mask[chosen]
        spare = int((self.mask.cumsum(dim=1) == 0).sum(dim=1).min())
        self.mask = self.mask[:, spare:]
        for layer in self.cache.layers:
            layer.keys = layer.keys[chosen, :, spare:]
            layer.values = layer.values[chosen, :, spare:]
        self.positions = self.positions[chosen]
        self.logits = self.logits[chosen]

    def feed(self, model: Any, tokens: Tensor) -> None:
        """One step: `tokens` int64 [B] come next."""
        self.mask = pad(self.mask, (0, 1), value=1)
        reply = model(
            input_ids=tokens[:, None],
            attention_mask=self.mask,
            position_ids=_along_axes(model, self.positions[:, None]),
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        self.positions = self.positions + 1
        self.logits = reply.logits[:, -1].float()


def _lengthened(states: Tensor, length: int) -> Tensor:
    return pad(states, (0, 0, length - states.shape[2], 0))


class Prefixes:
    """Keys and values of the latest prompts, for prompts that begin as they do: an
    episode's next step, another sample of its task.

    What a cache has handed out is never written to as it grows: it can be kept and cut
    without a copy. What is kept is of the weights that computed it: `clear` when they
    change.
    """

    def __init__(self, most_tokens: int) -> None:
        self._most = most_tokens
        self._known: list[tuple[list[int], list[tuple[Tensor, Tensor]]]] = []

    def begin(self, prompt: Sequence[int], cache: Any) -> int:
        """Put the longest known beginning of the prompt into an empty cache; how many
        tokens that are. The last token is always left to be read."""
        lengths = [_common(tokens, prompt) for tokens, _ in self._known]
        length = min(max(lengths, default=0), len(prompt) - 1)
        if length < _SHORTEST:
            return 0
        best = lengths.index(max(lengths))
        # The latest used is the last to go.
        self._known.append(self._known.pop(best))
        for index, (keys, values) in enumerate(self._known[-1][1]):
            cache.update(keys[:, :, :length], values[:, :, :length], index)
        return length

    def keep(self, prompt: list[int], cache: Any) -> None:
        """Remember a prompt that was read; the least used go when there are too many
        tokens."""
        # One that only begins like this one says nothing that this one does not.
        self._known = [known for known in self._known if _common(known[0], prompt) < len(known[0])]
        self._known.append((prompt, [(layer.keys, layer.values) for layer in cache.layers]))
        while sum(len(tokens) for tokens, _ in self._known) > self._most:
            self._known.pop(0)

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens two sequences begin with together."""
    shorter = min(len(left), len(right))
    one, other = np.asarray(left[:shorter]), np.asarray(right[:shorter])
    differ = np.flatnonzero(one != other)
    return int(differ[0]) if len(differ) else shorter


class Prefill:
    """Reads one prompt, a chunk at a time."""

    def __init__(
        self,
        model: Any,
        prompt: Sequence[int],
        *,
        logprobs: bool,
        prefixes: Prefixes | None = None,
        looked: PlacedImages | None = None,
    ) -> None:
        self._model = model
        self._prompt = torch.tensor([list(prompt)], device=model.device)
        self._cache = growing_cache()
        self._wants = logprobs
        self._looked = looked
        # What follows pictures is not told by tokens alone.
        self._prefixes = prefixes if looked is None else None
        # Logits of every token are wanted, and a cache has none.
        self._done = (
            self._prefixes.begin(prompt, self._cache)
            if self._prefixes is not None and not logprobs
            else 0
        )
        self.cached = self._done
        """Tokens of the prompt that were read before."""
        self.logprobs: list[float] = []
        """Raw, of each token but the first, where they are wanted."""

    def advance(self) -> Rows | None:
        """Read a chunk; the prompt as one row when it was the last. With pictures there
        is one chunk, since their places look at each other."""
        size = _CHUNK if self._looked is None else self._prompt.shape[1]
        chunk = self._prompt[:, self._done : self._done + size]
        end = self._done + chunk.shape[1]
        device = chunk.device
        positions, images = self._seen(end)
        reply = self._model(
            input_ids=chunk,
            attention_mask=torch.ones((1, end), dtype=torch.int64, device=device),
            position_ids=positions,
            **images,
            past_key_values=self._cache,
            use_cache=True,
            # By an index: a slice of the last position would be strided, and its
            # product would copy the vocabulary's weights.
            logits_to_keep=0 if self._wants else torch.tensor([chunk.shape[1] - 1], device=device),
        )
        if self._wants:
            following = self._prompt[0, self._done + 1 : end + 1]
            self.logprobs += selected(
                reply.logits[0, : len(following)], following
            ).logprobs.tolist()
        self._done = end
        if end < self._prompt.shape[1]:
            return None
        if self._prefixes is not None:
            self._prefixes.keep(self._prompt[0].tolist(), self._cache)
        return Rows(
            cache=self._cache,
            mask=torch.ones((1, end), dtype=torch.int64, device=device),
            positions=positions.amax().reshape(1) + 1,
            logits=reply.logits[:, -1].float(),
        )

    def _seen(self, end: int) -> tuple[Tensor, dict[str, Tensor]]:
        """Positions of the chunk, and what the model is told of pictures: there each
        has a width and a height, so that positions run along three axes (M-RoPE)."""
        device = self._prompt.device
        if self._looked is None:
            found = torch.arange(self._done, end, device=device)[None]
            return _along_axes(self._model, found), {}
        types = torch.tensor([self._looked.token_types], dtype=torch.int32, device=device)
        images = {name: tensor.to(device) for name, tensor in self._looked.images.items()}
        images["pixel_values"] = images["pixel_values"].to(self._model.dtype)
        positions, _ = self._model.model.get_rope_index(
            self._prompt, mm_token_type_ids=types, image_grid_thw=images["image_grid_thw"]
        )
        return positions, {**images, "mm_token_type_ids": types}


def _along_axes(model: Any, positions: Tensor) -> Tensor:
    """Positions of text, int64 [B, T], as the model takes them: one that looks at
    pictures has three axes, along which text counts alike."""
    if not looks(model.config):
        return positions
    return positions.expand(3, -1, -1)


def choose(
    logits: Tensor,
    *,
    temperatures: Sequence[float],
    top_ps: Sequence[float],
    draws: Sequence[float],
) -> Tensor:
    """A token for each row: int64 [B]. `logits` float32 [B, V], −inf where forbidden;
    `draws` uniform in [0, 1).

    By inversion of the cumulative distribution, in double precision: one draw a token,
    so that a sample depends on its own seed alone and not on who is decoded beside it.
    Temperature 0 takes the likeliest. top_p keeps the smallest set of likeliest tokens
    that reaches it (nucleus sampling, Holtzman et al., 2020).
    """
    chosen = logits.argmax(dim=1)
    warm = [index for index, temperature in enumerate(temperatures) if temperature > 0]
    if not warm:
        return chosen
    device = logits.device
    scale = torch.tensor(
        [temperatures[index] for index in warm], dtype=torch.float64, device=device
    )
    probabilities = torch.softmax(logits[warm].double() / scale[:, None], dim=1)
    for place, index in enumerate(warm):
        if top_ps[index] < 1:
            probabilities[place] = _nucleus(probabilities[place], top_ps[index])
    sums = probabilities.cumsum(dim=1)
    drawn = torch.tensor([draws[index] for index in warm], dtype=torch.float64, device=device)
    points = drawn * sums[:, -1]
    # `right`: the first token whose sum is beyond the point, which has a probability
    # above 0.
    chosen[warm] = torch.searchsorted(sums, points[:, None], right=True)[:, 0].clamp(
        max=logits.shape[1] - 1
    )
    return chosen


def _nucleus(probabilities: Tensor, top_p: float) -> Tensor:
    ordered, order = probabilities.sort(descending=True)
    before = ordered.cumsum(dim=0) - ordered
    kept = torch.where(before < top_p, ordered, 0.0)
    return torch.zeros_like(probabilities).scatter(0, order, kept)
