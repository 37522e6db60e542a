"""A tiny Qwen3-VL with random weights and `tiny`'s byte-level tokenizer, which has
tokens for the places of pictures; questions about pictures and what the trainer makes
of their answers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image as Pillow
from transformers import PreTrainedTokenizerFast

from proofwalk.inference.domain import Generation
from proofwalk.models.client import Image
from proofwalk.rl.images import with_images
from proofwalk.rl.samples import Sample
from tests.inference import tiny
from tests.rl.vision import image_processor, vision_model

IMAGE, VIDEO, START, END = 260, 261, 262, 263
NAMES = ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{% if m['content'] is string %}{{ m['content'] }}"
    "{% else %}{% for part in m['content'] %}{% if part['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>"
    "{% endif %}"
)


def tokenizer_of() -> PreTrainedTokenizerFast:
    made = tiny.tokenizer_of()
    made.add_special_tokens({"additional_special_tokens": [*tiny.SPECIAL[1:], *NAMES]})
    made.chat_template = TEMPLATE
    assert made.convert_tokens_to_ids(list(NAMES)) == [IMAGE, VIDEO, START, END]
    return made


def save(folder: Path, seed: int = 0) -> Path:
    """A folder as `save_pretrained` writes it, with its image processor."""
    model = vision_model(seed, vocabulary=264, places=(IMAGE, VIDEO, START, END), context=512)
    model.generation_config.eos_token_id = 256
    model.save_pretrained(folder)
    tokenizer_of().save_pretrained(folder)
    image_processor().save_pretrained(folder)
    return folder


def encoded(made: Pillow.Image) -> Image:
    """Losslessly, so that both sides see the same pixels."""
    out = io.BytesIO()
    made.save(out, "PNG")
    return Image(jpeg=out.getvalue(), width=made.width, height=made.height)


def acted(pictures: Sequence[Pillow.Image], words: str, found: Generation) -> list[Sample]:
    """What the trainer makes of a question, a text with pictures behind it, and of its
    answers."""
    parts = [{"type": "text", "text": words}, *({"type": "image"} for _ in pictures)]
    tokenizer = tokenizer_of()
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": parts if pictures else words}],
        add_generation_prompt=True,
        tokenize=False,
    )
    tokens = tuple(tokenizer.encode(prompt, add_special_tokens=False))
    made = [
        with_images(
            Sample(prompt=tokens, completion=one.token_ids, old_logprobs=one.logprobs),
            list(pictures),
            image_processor(),
            image_token=IMAGE,
        )
        for one in found.samples
    ]
    assert all(tuple(sample.prompt) == found.prompt_token_ids for sample in made)
    return made
