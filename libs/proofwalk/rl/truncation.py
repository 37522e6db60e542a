"""The first and the last layers of a pretrained model as a model of its own: a cheaper
base that has learned its language.

Embeddings, final norm and head stay as they are; each layer writes onto the same
residual stream, so that what fewer of them leave is still read by the head, if worse.
The middle ones are left out: the first turn words into what the others compute with,
the last turn it into words again. What is lost SFT has to teach again. torch and
transformers are imported where they are used.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from proofwalk.kernel.errors import invalid


def truncate(source: Path, out: Path, *, layers: int) -> int:
    """Write `layers` layers of the model in `source` into `out`, the first half of them
    from its beginning and the second from its end, with its tokenizer; what `out` was
    is replaced whole. Returns the number of parameters.

    Raises `rl.layers_invalid` where the model has no such number of layers.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    model = AutoModelForCausalLM.from_pretrained(
        source, local_files_only=True, use_safetensors=True
    )
    body = model.get_decoder()
    if not 1 <= layers <= len(body.layers):
        raise invalid(
            "rl.layers_invalid",
            f"{source} has {len(body.layers)} layers, and {layers} were asked for",
            hint=f"name 1 to {len(body.layers)}",
        )
    taken = [*range(layers - layers // 2), *range(len(body.layers) - layers // 2, len(body.layers))]
    body.layers = type(body.layers)(body.layers[number] for number in taken)
    model.config.num_hidden_layers = layers
    kinds = getattr(model.config, "layer_types", None)
    if kinds is not None:
        model.config.layer_types = [kinds[number] for number in taken]
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as scratch:
        made = Path(scratch) / "model"
        model.save_pretrained(made)
        AutoTokenizer.from_pretrained(source, local_files_only=True).save_pretrained(made)
        shutil.rmtree(out, ignore_errors=True)
        made.replace(out)
    return sum(parameter.numel() for parameter in model.parameters())
