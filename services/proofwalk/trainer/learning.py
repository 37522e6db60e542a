"""Trains in a run's own process: model and data from the configuration, `rl`'s loops,
TensorBoard, and what the run was made with.

The model is trained in float32, which `settings.precision: bf16` computes with under
autocast, on the first CUDA device where there is one. A folder with an adapter is
trained on (`adaptation: lora`) or merged first (`full`). Source: AliyunConsoleAgent
§5.1 for SFT, §5.2 for GRPO; EvoCUA §5.3 for DPO; WebRL §2.2.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import structlog
import torch

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.sample_files import read_preferences, read_samples
from proofwalk.datasets.sample_pictures import pictures_of
from proofwalk.kernel.clock import Clock, SystemClock
from proofwalk.rl.chat import paired, tokenized
from proofwalk.rl.dpo import preferring, run_dpo, with_reference
from proofwalk.rl.grpo import run_grpo
from proofwalk.rl.hooks import Hooks
from proofwalk.rl.images import Eyes
from proofwalk.rl.logprobs import score
from proofwalk.rl.objectives import token_weights
from proofwalk.rl.preferences import Pair
from proofwalk.rl.rollouts import RolloutGroup, RolloutSource
from proofwalk.rl.run_files import read_checkpoints
from proofwalk.rl.runs import RunResult, ShouldStop, Validate
from proofwalk.rl.samples import Sample
from proofwalk.rl.settings import DpoSettings, RolloutSettings, SftSettings, WebrlSettings
from proofwalk.rl.sft import padding, run_sft
from proofwalk.rl.webrl import run_webrl
from proofwalk.trainer.child import Order
from proofwalk.trainer.configuration import RunConfig, parse_configuration
from proofwalk.trainer.examination import too_long
from proofwalk.trainer.folder import RunFolder
from proofwalk.trainer.group_counting import Told, samples_of
from proofwalk.trainer.group_pictures import pictures_in
from proofwalk.trainer.model_loading import eyes_in, load_model, saved_beside
from proofwalk.trainer.provenance import note_provenance
from proofwalk.trainer.successes import Success, drawn_successes

log = structlog.get_logger()


class Source(RolloutSource, Protocol):
    """The rollouts of GRPO or WebRL, and how it is validated."""

    def validate(self, step: int, model: Any) -> float:
        """Share of successes; called only where the configuration has a validation."""
        ...

    def close(self, *, abandon: bool = False) -> None:
        """Let go of what it holds; with `abandon`, end the episodes that were begun
        ahead."""
        ...


MakeSource = Callable[[RunConfig, RolloutSettings, Order, Any], Source]
"""From configuration, settings, order and tokenizer."""


def train(
    order: Order,
    *,
    should_stop: ShouldStop,
    make_source: MakeSource | None = None,
    clock: Clock | None = None,
) -> RunResult:
    """Train or go on training in the order's folder, until the run is done or
    `should_stop`. Raises what the loops raise, `trainer.bad_model`,
    `trainer.sample_too_long`, `data.bad_samples`."""
    torch.set_num_threads(order.threads)
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    clock = clock or SystemClock()
    folder = order.folder
    config = parse_configuration(folder.configuration.read_text(encoding="utf-8"), stored=True)
    settings = config.learning
    if order.rank == 0:
        note_provenance(folder, config)
    model, tokenizer = load_model(config.model, adaptation=settings.adaptation)
    with _Board(folder) if order.rank == 0 else nullcontext() as board:
        # Metrics are told on rank 0 alone, and there is rollouts' source asked.
        on_metrics = board.add if board is not None else _unheard
        hooks = Hooks(on_metrics=on_metrics, should_stop=should_stop, clock=clock)
        if isinstance(settings, SftSettings):
            return _sft(config, settings, folder, model, tokenizer, hooks)
        if isinstance(settings, DpoSettings):
            return _dpo(config, settings, folder, model, tokenizer, hooks)
        make = (make_source or _group_rollouts) if order.rank == 0 else _elsewhere
        source = make(config, settings, order, tokenizer)
        beside = saved_beside(tokenizer, eyes_in(config.model, folder.path))
        over = False
        try:
            if config.validation is not None:
                hooks = replace(hooks, validate=source.validate)
            if isinstance(settings, WebrlSettings):
                ended = run_webrl(model, beside, source, settings, folder.path, hooks)
            else:
                ended = run_grpo(
                    model,
                    beside,
                    source,
                    settings,
                    folder.path,
                    hooks.on_metrics,
                    hooks.should_stop,
                    clock=hooks.clock,
                    validate=hooks.validate,
                )
            # One that is to go on, now or after a crash, asks for the same episodes
            # again.
            over = ended.status == "finished" or folder.stop.exists()
            return ended
        finally:
            source.close(abandon=over)


def _sft(
    config: RunConfig,
    settings: SftSettings,
    folder: RunFolder,
    model: Any,
    tokenizer: Any,
    hooks: Hooks,
) -> RunResult:
    context = _context(model)

    def read(path: Path) -> list[Sample]:
        eyes = eyes_in(config.model, pictures_of(path))
        return read_data(path, tokenizer, context=context, eyes=eyes)

    if config.successes is not None:
        drawn = drawn_successes(config.successes, seed=settings.seed, clock=hooks.clock)
        samples = [sample for one in drawn for sample in as_samples(one)]
    else:
        assert config.data is not None
        samples = read(config.data)
    validate: Validate | None = None
    if config.held_out is not None:
        validate = held_out_score(read(config.held_out), settings, pad=padding(tokenizer))
    log.info("samples_read", samples=len(samples), tokens=sum(sample.length for sample in samples))
    return run_sft(
        model,
        saved_beside(tokenizer, eyes_in(config.model, folder.path)),
        samples,
        settings,
        folder.path,
        hooks.on_metrics,
        hooks.should_stop,
        clock=hooks.clock,
        validate=validate,
    )


def as_samples(success: Success) -> tuple[Sample, ...]:
    """An episode's answers as SFT learns them."""
    told = Told(temperature=1.0, forced=success.forced)
    return samples_of(success.attempts, episode=success.episode, told=told)


def _dpo(
    config: RunConfig,
    settings: DpoSettings,
    folder: RunFolder,
    model: Any,
    tokenizer: Any,
    hooks: Hooks,
) -> RunResult:
    assert config.data is not None
    pairs = _read_pairs(config.data, model, tokenizer)
    if config.held_out is not None:
        pad = padding(tokenizer)
        held_out = _read_pairs(config.held_out, model, tokenizer)
        known = with_reference(model, held_out, settings, pad=pad)
        hooks = replace(hooks, validate=preferring(known, settings, pad=pad))
    log.info("pairs_read", pairs=len(pairs), tokens=sum(pair.length for pair in pairs))
    return run_dpo(model, tokenizer, pairs, settings, folder.path, hooks)


def _read_pairs(path: Path, model: Any, tokenizer: Any) -> list[Pair]:
    """Raises `trainer.sample_too_long`, what `read_preferences` and `paired` raise."""
    chats = read_preferences(path)[1]
    pairs = [paired(tokenizer, chat) for chat in chats]
    longest = [max(pair.chosen.length, pair.rejected.length) for pair in pairs]
    _refuse_long(longest, chats, context=_context(model))
    return pairs


def _context(model: Any) -> int:
    return int(getattr(model.config.get_text_config(), "max_position_embeddings", 0) or 0)


def _refuse_long(lengths: Sequence[int], chats: Sequence[ChatSample], *, context: int) -> None:
    long = [
        (length, number) for number, length in enumerate(lengths) if context and length > context
    ]
    if long:
        length, number = max(long)
        raise too_long(len(long), length, context, chats[number])


def read_data(
    path: Path, tokenizer: Any, *, context: int, eyes: Eyes | None = None
) -> list[Sample]:
    """A file's samples as tokens, with their pictures. Raises
    `trainer.sample_too_long` and what `read_samples` and `tokenized` raise."""
    chats = read_samples(path)[1]
    samples = [tokenized(tokenizer, chat, eyes=eyes) for chat in chats]
    _refuse_long([sample.length for sample in samples], chats, context=context)
    return samples


def held_out_score(samples: Sequence[Sample], settings: SftSettings, *, pad: int) -> Validate:
    """Validation of SFT: minus the mean loss on held-out samples, averaged over tokens
    as the training loss is."""
    learned = [len(sample.learned) for sample in samples]
    weights = token_weights(
        learned, aggregation=settings.aggregation, weights=[sample.weight for sample in samples]
    )

    def validate(_step: int, model: Any) -> float:
        scores = score(
            model,
            samples,
            microbatch_tokens=settings.microbatch_tokens,
            packing=settings.packing,
            share_prefix=settings.share_prefix,
            precision=settings.precision,
            pad=pad,
        )
        return sum(weight * sum(values) for weight, values in zip(weights, scores, strict=True))

    return validate


def _group_rollouts(
    config: RunConfig, settings: RolloutSettings, order: Order, tokenizer: Any
) -> Source:
    from proofwalk.trainer.group_rollouts import group_rollouts

    assert config.rollouts is not None
    source: Source = group_rollouts(
        config.rollouts,
        validation=config.validation,
        run_id=order.folder.path.name,
        folder=order.folder.path,
        rollout=order.rollout,
        inference=order.inference,
        tokenizer=tokenizer,
        settings=settings,
        clock=SystemClock(),
        eyes=eyes_in(config.model, pictures_in(order.folder.path)),
    )
    return source


def _unheard(_step: int, _values: Mapping[str, float]) -> None:
    return None


class _Elsewhere:
    """The rollouts of a rank that is not the first: they come from there, by
    `Process.shared`."""

    def tasks(self, step: int) -> Sequence[str]:
        raise AssertionError("rank 0 gathers")

    def roll(self, wanted: Mapping[str, int], step: int) -> Sequence[RolloutGroup]:
        raise AssertionError("rank 0 gathers")

    def publish(self, version: str, model: Any) -> None:
        raise AssertionError("rank 0 publishes")

    def validate(self, step: int, model: Any) -> float:
        raise AssertionError("rank 0 validates")

    def close(self, *, abandon: bool = False) -> None:
        return None


def _elsewhere(
    _config: RunConfig, _settings: RolloutSettings, _order: Order, _tokenizer: Any
) -> Source:
    return _Elsewhere()


class _Board:
    """TensorBoard's event files. Steps that are done again after a crash take the place
    of those of the first time."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._writer: Any = None

    def __enter__(self) -> _Board:
        from torch.utils.tensorboard import SummaryWriter

        checkpoints = read_checkpoints(self._folder.checkpoints)
        purge = checkpoints[-1].manifest.step + 1 if checkpoints else None
        self._writer = SummaryWriter(str(self._folder.tensorboard), purge_step=purge)
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            if name != "step":
                self._writer.add_scalar(name, value, step)
        # Written at once: what is in memory is lost with a kill, and the page and
        # TensorBoard would tell different stories.
        self._writer.flush()
