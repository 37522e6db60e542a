"""Pictures of a question, for a vision-language model (Qwen3-VL): decoded, cut into
patches, and set into the places that the chat template leaves for them.

A message is its text and then its pictures, as an endpoint is told it
(`models.endpoint_messages`). The image processor is transformers' on Pillow, which
needs no torchvision; `rl.images` expands the places, for the trainer too, so that both
read one prompt. What a caller sends is decoded only after its size is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.inference.domain import bad_request, bad_weights
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import Image, Message
from proofwalk.rl.images import (
    PlacedImages,
    content_of,
    decoded,
    placed_images,
    processor_in,
)
from proofwalk.rl.saved_models import looks

_KINDS = ("qwen3_vl",)


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """How a model looks at pictures."""

    processor: Any
    image_token: int
    unspoken: tuple[int, ...]
    """Tokens that stand for pictures in a prompt, and that an answer never has."""

    def placed(self, prompt: Sequence[int], messages: Sequence[Message]) -> PlacedImages | None:
        """The prompt with the pictures of its messages in their places; None without
        any. Raises `inference.bad_request`."""
        images = [image for message in messages for image in message.images]
        if not images:
            return None
        places = sum(token == self.image_token for token in prompt)
        if places != len(images):
            raise bad_request(
                f"the prompt has {places} places for {len(images)} images",
                hint="a text must not hold the tokens that stand for an image",
            )
        seen = [_decoded(image) for image in images]
        return placed_images(prompt, seen, self.processor, image_token=self.image_token)


def pictures_of(folder: Path, config: Any) -> Pictures | None:
    """How the model of a folder looks at pictures; None if it reads text alone. Raises
    `inference.bad_weights`."""
    if not looks(config):
        return None
    if config.model_type not in _KINDS:
        raise bad_weights(
            folder,
            f"vision models of the kind {config.model_type} are not served,"
            f" {', '.join(_KINDS)} are",
        )
    try:
        processor = processor_in(folder)
    except (OSError, ValueError, KeyError) as error:
        raise bad_weights(folder, f"no image processor: {error}") from error
    spoken_of = (config.image_token_id, config.video_token_id)
    return Pictures(processor=processor, image_token=int(config.image_token_id), unspoken=spoken_of)


def turns_of(messages: Sequence[Message]) -> list[JsonObject]:
    """Messages as a chat template takes them."""
    return [
        {"role": message.role, "content": content_of(message.text, len(message.images))}
        for message in messages
    ]


def _decoded(image: Image) -> Any:
    try:
        return decoded(image.jpeg)
    except ProofwalkError as error:
        raise bad_request(error.message) from error
