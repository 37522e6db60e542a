"""From the chat samples that `datasets.sample_files` wrote to token rows, as inference
would have made them.

The tokens of the question are those that the embedded engine makes of the same messages
(chat template with the generation prompt, no further special tokens);
tests/trainer/test_samples.py holds the two to each other.
"""

from __future__ import annotations

from typing import Any

from proofwalk.datasets.chat_samples import ChatSample, PreferencePair
from proofwalk.kernel.errors import invalid, unimplemented
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.images import Eyes, content_of, decoded, with_images
from proofwalk.rl.preferences import Pair
from proofwalk.rl.samples import Sample, from_messages


def paired(tokenizer: Any, pair: PreferencePair) -> Pair:
    """Two answers to one question as tokens. Raises what `tokenized` raises, and
    `rl.pair_invalid`."""
    chosen = tokenized(tokenizer, pair)
    asked = pair.chat()[:-1]
    rejected = from_messages(tokenizer, asked, pair.rejected, episode=pair.episode)
    return Pair(chosen=chosen, rejected=rejected)


def tokenized(tokenizer: Any, sample: ChatSample, *, eyes: Eyes | None = None) -> Sample:
    """One decision as tokens; the answer alone is learned.

    Raises `rl.template_missing`, `rl.template_unfit`, `rl.images_not_built` (there are
    pictures and no `eyes`), `rl.image_unreadable`, `rl.images_unfit`, and what
    `eyes.read` raises.
    """
    addresses = [address for message in sample.messages for address in message.images]
    if addresses and eyes is None:
        raise unimplemented(
            "rl.images_not_built",
            f"step {sample.step} of {sample.episode} has pictures, and text alone is read here",
        )
    if not tokenizer.chat_template:
        raise invalid(
            "rl.template_missing",
            "the tokenizer has no chat template",
            hint="set tokenizer.chat_template and save it again",
        )
    question: list[JsonObject] = [
        {"role": one.role, "content": content_of(one.text, len(one.images))}
        for one in sample.messages
    ]
    made = from_messages(tokenizer, question, sample.answer, episode=sample.episode)
    if eyes is None:
        return made
    images = [decoded(eyes.read(address)) for address in addresses]
    return with_images(made, images, eyes.processor, image_token=eyes.image_token)
