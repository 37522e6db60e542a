"""Images in a prompt: what turns a sample of text with places for images into one that
a vision-language model can learn.

A chat template writes one image token for each image; the model wants as many as the
image has merged patches, the patches themselves, and the type of each token (Qwen3-VL
and its kin: `pixel_values`, `image_grid_thw`, `mm_token_type_ids`). `with_images` does
for token ids what the model's own processor does for text, so that it needs no video
processor (and with it no torchvision): an image processor on Pillow is enough. What
follows is the trainers' as for text: `samples.collate` joins the images of a batch,
`logprobs` hands them to the model.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PIL import Image
from torch import Tensor

from proofwalk.kernel.errors import invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.samples import Sample

_TEXT, _IMAGE = 0, 1
MOST_PIXELS = 16_000_000
"""Of one image; what is larger is refused before it is decoded."""


def with_images(
    sample: Sample, images: Sequence[Any], processor: Any, *, image_token: int
) -> Sample:
    """The sample with its images, in the order of their places in the prompt.

    `images` are Pillow images or what else `processor` takes, an image processor of
    transformers that gives `pixel_values` and `image_grid_thw` and has a `merge_size`
    (`Qwen2VLImageProcessorPil`). `image_token` is the model's
    (`config.image_token_id`). Without images the sample is returned as it is. Raises
    `rl.images_unfit` unless the prompt has one image token for each image and the
    completion has none.
    """
    places = [index for index, token in enumerate(sample.prompt) if token == image_token]
    if len(places) != len(images) or image_token in sample.completion or sample.images:
        raise invalid(
            "rl.images_unfit",
            f"the prompt has {len(places)} places for {len(images)} images"
            + (", and the completion has places too" if image_token in sample.completion else "")
            + (", and images are there already" if sample.images else ""),
            hint="render one image part for each image, in the messages of the prompt",
        )
    if not images:
        return sample
    placed = placed_images(sample.prompt, images, processor, image_token=image_token)
    return replace(
        sample, prompt=placed.prompt, token_types=placed.token_types, images=placed.images
    )


@dataclass(frozen=True, kw_only=True)
class PlacedImages:
    """A prompt with as many image tokens as its images have merged patches."""

    prompt: tuple[int, ...]
    token_types: tuple[int, ...]
    images: Mapping[str, Tensor]
    """`pixel_values`, `image_grid_thw`."""


def placed_images(
    prompt: Sequence[int], images: Sequence[Any], processor: Any, *, image_token: int
) -> PlacedImages:
    """The images in the places of a prompt that has one place for each."""
    found = processor(images=list(images), return_tensors="pt")
    grids = found["image_grid_thw"]
    sizes = (grids.prod(dim=1) // processor.merge_size**2).tolist()
    tokens: list[int] = []
    types: list[int] = []
    left = iter(sizes)
    for token in prompt:
        pictured = token == image_token
        count = next(left) if pictured else 1
        tokens += [token] * count
        types += [_IMAGE if pictured else _TEXT] * count
    return PlacedImages(
        prompt=tuple(tokens),
        token_types=tuple(types),
        images={"pixel_values": found["pixel_values"], "image_grid_thw": grids},
    )


def with_expanded(
    sample: Sample, images: Sequence[Any], processor: Any, *, image_token: int
) -> Sample:
    """A sample whose prompt an engine expanded already, with its images. Raises
    `rl.images_unfit` where it has another number of places than the images have merged
    patches: engine and trainer would not see the same."""
    found = processor(images=list(images), return_tensors="pt")
    grids = found["image_grid_thw"]
    wanted = int((grids.prod(dim=1) // processor.merge_size**2).sum())
    types = tuple(_IMAGE if token == image_token else _TEXT for token in sample.prompt)
    if sum(types) != wanted:
        raise invalid(
            "rl.images_unfit",
            f"the prompt has {sum(types)} places for {len(images)} images of {wanted} patches",
            hint="engine and trainer need the same preprocessor_config.json",
        )
    tensors = {"pixel_values": found["pixel_values"], "image_grid_thw": grids}
    return replace(sample, token_types=types, images=tensors)


def content_of(text: str, images: int) -> str | list[JsonObject]:
    """A message's content as chat templates take it: its text, and its images behind
    it, as an endpoint is told them."""
    if not images:
        return text
    return [{"type": "text", "text": text}, *({"type": "image"} for _ in range(images))]


def decoded(encoded: bytes) -> Any:
    """A JPEG or PNG as a Pillow image. Raises `rl.image_unreadable`."""
    try:
        with Image.open(io.BytesIO(encoded), formats=("JPEG", "PNG")) as opened:
            width, height = opened.size
            if width * height > MOST_PIXELS:
                raise invalid(
                    "rl.image_unreadable",
                    f"a picture has {width} x {height} pixels, and {MOST_PIXELS} are taken",
                )
            return opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        # Pillow refuses some sizes itself at once, and names broken PNGs so.
        raise invalid("rl.image_unreadable", f"a picture cannot be read: {error}") from error


@dataclass(frozen=True, kw_only=True)
class Eyes:
    """How a model looks at images, and where they are read."""

    processor: Any
    image_token: int
    read: Callable[[str], bytes]
    """By content address."""


def processor_in(folder: Path) -> Any:
    """The image processor of a model's folder (Qwen's, on Pillow). Raises OSError,
    ValueError."""
    from transformers import Qwen2VLImageProcessorPil

    return Qwen2VLImageProcessorPil.from_pretrained(folder, local_files_only=True)


class Reading:
    """Tokenizer and image processor as one: what `save_pretrained` writes beside
    weights, so that a checkpoint serves and is trained on."""

    def __init__(self, tokenizer: Any, processor: Any) -> None:
        self._tokenizer = tokenizer
        self._processor = processor
        self.pad_token_id = tokenizer.pad_token_id
        self.decode = tokenizer.decode

    def save_pretrained(self, folder: Path) -> None:
        self._tokenizer.save_pretrained(folder)
        self._processor.save_pretrained(folder)
