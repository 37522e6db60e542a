"""A tiny Qwen3-VL with random weights, its tokenizer, image processor and pictures:
what the tests with images share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import torch
from PIL import Image, ImageDraw
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from proofwalk.rl.images import with_images
from proofwalk.rl.samples import Sample, from_messages

IMAGE, VIDEO, START, END = 36, 37, 38, 39
LEFT, RIGHT = 10, 11
PATCH, MERGE = 4, 2
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }} {% if m['content'] is string %}{{"
    " m['content'] }}{% else %}{% for part in m['content'] %}{% if part['type'] == 'image'"
    " %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part['text'] }}{% endif %}{% endfor"
    " %}{% endif %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant {%"
    " endif %}"
)


def vision_model(
    seed: int = 0,
    *,
    vocabulary: int = 40,
    places: tuple[int, int, int, int] = (IMAGE, VIDEO, START, END),
    context: int = 128,
) -> Any:
    """Some 60k parameters, float32, in training mode; patches of 4 x 4 pixels, 2 x 2 of
    them merged to a token. `places`: the tokens of an image, a video, and of their
    beginning and end."""
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    torch.manual_seed(seed)
    text = {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": context,
        "pad_token_id": 0,
        "initializer_range": 0.15,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10000.0,
            "mrope_section": [2, 1, 1],
            "mrope_interleaved": True,
        },
    }
    vision = {
        "depth": 2,
        "initializer_range": 0.15,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "in_channels": 3,
        "patch_size": PATCH,
        "spatial_merge_size": MERGE,
        "temporal_patch_size": 1,
        "out_hidden_size": 32,
        "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0],
    }
    config = Qwen3VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=places[0],
        video_token_id=places[1],
        vision_start_token_id=places[2],
        vision_end_token_id=places[3],
        tie_word_embeddings=False,
    )
    return Qwen3VLForConditionalGeneration(config).train()


@cache
def vision_tokenizer() -> PreTrainedTokenizerFast:
    """40 words apart at white space, with Qwen's names for the places of images."""
    special = {1: "<|im_end|>", 2: "<|im_start|>", IMAGE: "<|image_pad|>", VIDEO: "<|video_pad|>"}
    special |= {START: "<|vision_start|>", END: "<|vision_end|>"}
    named = {
        0: "<pad>",
        3: "<unk>",
        4: "user",
        5: "assistant",
        6: "where",
        7: "is",
        8: "it",
        LEFT: "left",
        RIGHT: "right",
    } | special
    words = [named.get(index, f"word{index}") for index in range(40)]
    tokenizer = Tokenizer(
        models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<unk>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="<|im_end|>",
        unk_token="<unk>",
        additional_special_tokens=[word for word in special.values() if word != "<|im_end|>"],
    )
    fast.chat_template = TEMPLATE
    return fast


@cache
def image_processor() -> Any:
    """Qwen's image processor on Pillow: it rounds sizes to whole merged patches."""
    from transformers import Qwen2VLImageProcessorPil

    return Qwen2VLImageProcessorPil(
        patch_size=PATCH,
        merge_size=MERGE,
        temporal_patch_size=1,
        size={"shortest_edge": 64, "longest_edge": 4096},
    )


def picture(side: int, chance: Random, *, width: int = 0) -> Image.Image:
    """A dark page with a bright panel on its left or right half, 16 pixels high and 16
    or 24 wide."""
    width = width or chance.choice((16, 24))
    made = Image.new(
        "RGB", (width, 16), (chance.randrange(40), chance.randrange(40), chance.randrange(40))
    )
    left = 0 if side == LEFT else width // 2
    colour = (200 + chance.randrange(56), 200 + chance.randrange(56), 200 + chance.randrange(56))
    ImageDraw.Draw(made).rectangle(
        (left, chance.randrange(3), left + width // 2 - 1, 15 - chance.randrange(3)), fill=colour
    )
    return made


def asked(side: int, images: Sequence[Image.Image], *, words: str = "where is it") -> Sample:
    """The question about pictures, answered, by way of the chat template, the tokenizer
    and the image processor."""
    parts = [*({"type": "image"} for _ in images), {"type": "text", "text": f" {words}"}]
    sample = from_messages(
        vision_tokenizer(),
        [{"role": "user", "content": parts}],
        "left" if side == LEFT else "right",
    )
    return with_images(sample, images, image_processor(), image_token=IMAGE)


def pictured_samples(count: int, seed: int = 0) -> list[Sample]:
    """Questions with one picture each, of different sizes and lengths."""
    chance = Random(seed)
    made = []
    for _ in range(count):
        side = chance.choice((LEFT, RIGHT))
        words = " ".join(["where", "is", "it"][: chance.randint(1, 3)])
        made.append(asked(side, [picture(side, chance)], words=words))
    return made
