"""Looks at what a configuration names before the run is queued, so that a mistake is
told at once and not hours later. No torch.

What can be told without the model's code is told here: folders, files, packages, ids of
tasks, what would leak an evaluation suite (`leaks`), and samples whose texts alone have
more tokens than the model's context. The chat template's own tokens are counted by the
run's process, which fails with the same code before its first step. Everything here
blocks.
"""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.sample_files import read_preferences, read_samples
from proofwalk.datasets.sample_pictures import pictures_of
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid, not_found
from proofwalk.rl.settings import DpoSettings, EpochSettings, RolloutSettings
from proofwalk.suites.model import Task
from proofwalk.suites.storage import load_suite
from proofwalk.trainer.configuration import RunConfig, SuccessesConfig
from proofwalk.trainer.domain import not_built
from proofwalk.trainer.ended_runs import EndedRun, ended_run
from proofwalk.trainer.group_limits import check_tasks
from proofwalk.trainer.group_tasks import named
from proofwalk.trainer.leaks import Leaks
from proofwalk.trainer.successes import drawn_successes
from proofwalk.trajectories.trajectory import image_in

ADAPTER = "adapter_config.json"
ADAPTER_WEIGHTS = "adapter_model.safetensors"
_PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "peft", "tensorboard")
_LONGEST = 256
"""So many samples, longest by characters, have their tokens counted."""


def examine(config: RunConfig, leaks: Leaks, clock: Clock) -> int:
    """The number of updates that the run is to have. `leaks` are the suites that
    measure. Raises what StartRun's contract says."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise conflict(
            "trainer.not_installed",
            f"training needs {', '.join(missing)}",
            hint="pip install 'proofwalk[train]'",
        )
    settings = config.learning
    folder = examine_model(config.model)
    if isinstance(settings, EpochSettings):
        if config.successes is not None:
            return _examine_successes(config, config.successes, leaks, clock)
        assert config.data is not None
        read = read_preferences if isinstance(settings, DpoSettings) else read_samples
        looking = _looks(folder) and not isinstance(settings, DpoSettings)
        samples = _read(config.data, read, looking=looking)
        held_out = (
            _read(config.held_out, read, looking=looking) if config.held_out is not None else []
        )
        _check_template(config.model)
        _check_lengths([*samples, *held_out], config.model, context_of(folder))
        leaks.refuse_samples([*samples, *held_out])
        return settings.epochs * -(-len(samples) // settings.batch_size)
    leaks.refuse_tasks(_tasks(config))
    return settings.steps


def _examine_successes(
    config: RunConfig, successes: SuccessesConfig, leaks: Leaks, clock: Clock
) -> int:
    """As `examine`, for SFT on what earlier runs did right."""
    settings = config.learning
    assert isinstance(settings, EpochSettings)
    folder = examine_model(config.model)
    runs = [ended_run(path) for path in successes.runs]
    for run in runs:
        _refuse_another_tokenizer(config.model, run)
    leaks.refuse_tasks(task for run in runs for task in run.tasks.values())
    drawn = drawn_successes(successes, seed=settings.seed, clock=clock)
    steps = [len(one.prompt) + len(one.completion) for each in drawn for one in each.attempts]
    longest, context = max(steps), context_of(folder)
    if context and longest > context:
        raise invalid(
            "trainer.sample_too_long",
            f"a success has a step of {longest} tokens, and the model reads {context}",
            hint="begin with a checkpoint of the run that the successes are of",
        )
    if config.held_out is not None:
        held_out = _read(config.held_out, read_samples, looking=False)
        _check_template(config.model)
        _check_lengths(held_out, config.model, context)
        leaks.refuse_samples(held_out)
    return settings.epochs * -(-len(steps) // settings.batch_size)


def _refuse_another_tokenizer(model: Path, run: EndedRun) -> None:
    """The successes are token ids. Raises `trainer.another_tokenizer`."""
    if _tokenizer(model) != _tokenizer(run.model):
        raise conflict(
            "trainer.another_tokenizer",
            f"the run in {run.folder.path} wrote the tokens of another tokenizer than that of"
            f" {model}",
            hint="begin with a checkpoint of that run, or of the model that it began with",
        )


def _tokenizer(model: Path) -> bytes:
    try:
        return hashlib.sha256((model / "tokenizer.json").read_bytes()).digest()
    except OSError as error:
        raise bad_model(model, f"its tokenizer.json cannot be read: {error}") from None


def examine_model(folder: Path) -> Path:
    """The folder of the full weights that a model's folder rests on: itself, or an
    adapter's base. Raises `trainer.model_not_found`, `trainer.bad_model`."""
    if not folder.is_dir():
        raise not_found(
            "trainer.model_not_found",
            f"there is no folder {folder}",
            hint="it must lie on the trainer role's machine",
        )
    if not (folder / "tokenizer.json").is_file():
        raise bad_model(folder, "it has no tokenizer.json")
    base = folder
    if (folder / ADAPTER).is_file():
        named = _json(folder, ADAPTER).get("base_model_name_or_path")
        base = Path(str(named))
        if not base.is_absolute() or not base.is_dir():
            raise bad_model(folder, f"the base of its adapter, {named}, is no folder here")
    if not (base / "config.json").is_file():
        raise bad_model(base, "it has no config.json")
    if not any(base.glob("*.safetensors")):
        raise bad_model(base, "it has no weights as safetensors")
    if base != folder and not (folder / ADAPTER_WEIGHTS).is_file():
        # peft would take a pickle in its place.
        raise bad_model(folder, f"its adapter has no {ADAPTER_WEIGHTS}")
    return base


def _looks(folder: Path) -> bool:
    return "vision_config" in _json(folder, "config.json")


def context_of(folder: Path) -> int:
    """Tokens that the model of a folder holds; 0 when its configuration does not
    say."""
    config = _json(folder, "config.json")
    inner = config.get("text_config")
    told = config.get("max_position_embeddings") or (
        inner.get("max_position_embeddings") if isinstance(inner, dict) else 0
    )
    return int(told or 0)


def bad_model(folder: Path, why: str) -> ProofwalkError:
    return invalid(
        "trainer.bad_model",
        f"{folder} cannot be trained: {why}",
        hint="give a folder that save_pretrained or a checkpoint wrote",
    )


def too_long(count: int, longest: int, context: int, sample: ChatSample) -> ProofwalkError:
    """Of samples that the model cannot hold; `sample` is the longest of them."""
    return invalid(
        "trainer.sample_too_long",
        f"{count} samples are longer than the model's context of {context} tokens; the longest,"
        f" step {sample.step} of {sample.episode}, has at least {longest}",
        hint="write the samples again: proofwalk data samples --context-tokens",
        details={"context": str(context), "longest": str(longest), "samples": str(count)},
    )


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        read = json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise bad_model(folder, f"{name} cannot be read: {error}") from None
    if not isinstance(read, dict):
        raise bad_model(folder, f"{name} is no object")
    return read


def _read(
    path: Path, read: Callable[[Path], tuple[object, Sequence[ChatSample]]], *, looking: bool
) -> Sequence[ChatSample]:
    samples = read(path)[1]
    if not samples:
        raise invalid("data.bad_samples", f"{path} holds no sample")
    shown = {
        address for sample in samples for message in sample.messages for address in message.images
    }
    if shown and not looking:
        raise not_built(
            f"{path} has samples with pictures, and this model or method learns from text alone",
            hint=(
                "write them without: proofwalk data samples --no-vision; or begin SFT with a"
                " Qwen3-VL"
            ),
        )
    for address in sorted(shown):
        image_in(pictures_of(path), address)
    return samples


def _check_template(folder: Path) -> None:
    if (folder / "chat_template.jinja").is_file():
        return
    if not (folder / "tokenizer_config.json").is_file() or not _json(
        folder, "tokenizer_config.json"
    ).get("chat_template"):
        raise bad_model(folder, "its tokenizer has no chat template")


def _characters(sample: ChatSample) -> int:
    return sample.length + max(map(len, sample.answers))


def _check_lengths(samples: Sequence[ChatSample], folder: Path, context: int) -> None:
    if not context:
        return
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    found: list[tuple[int, ChatSample]] = []
    for sample in heapq.nlargest(_LONGEST, samples, key=_characters):
        texts = [*(message.text for message in sample.messages), max(sample.answers, key=len)]
        tokens = sum(
            len(encoding.ids)
            for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)
        )
        if tokens > context:
            found.append((tokens, sample))
    if found:
        tokens, sample = max(found, key=lambda pair: pair[0])
        raise too_long(len(found), tokens, context, sample)


def _tasks(config: RunConfig) -> list[Task]:
    """What the run acts on and is scored by."""
    rollouts, validation = config.rollouts, config.validation
    assert rollouts is not None
    suite = load_suite(rollouts.suite)
    chosen = named(suite, rollouts.tasks)
    assert isinstance(config.learning, RolloutSettings), "what has rollouts learns from them"
    check_tasks(tuple(chosen), rollouts, config.learning)
    if validation is None:
        return list(chosen.values())
    scored = named(
        suite if validation.suite is None else load_suite(validation.suite), validation.tasks
    )
    return [*chosen.values(), *scored.values()]
