"""One process or several: the few things a training loop asks of them.

`Single` is plain torch on one device. `Accelerated` is data-parallel through
accelerate, configured by its own launcher; `sharding.Sharded` splits the weights too.
Every rank computes the same batch and the same cut into micro-batches, takes every
world-th of them, and gradients are summed, so a run on n ranks follows the run on one
but for rounding, and its checkpoints are those of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, Protocol, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch.distributed.tensor import DTensor

from proofwalk.kernel.errors import conflict, invalid
from proofwalk.rl.optimizers import Moments

T = TypeVar("T")


class Process(Protocol):
    """This process among its peers."""

    rank: int
    world: int

    def prepare(self, model: Any, optimizer: Any) -> tuple[Any, Any]:
        """Both, wrapped for this kind of run, on their device."""
        ...

    def place(self, model: Any) -> Any:
        """A model that is never trained, on the device and split as those of this kind
        of run are."""
        ...

    def bare(self, model: Any) -> Any:
        """The model without the wrapper. What computes with it is called by every
        rank."""
        ...

    def whole(self, model: Any) -> Any:
        """A model with all current weights, to be used on rank 0 alone. Called by every
        rank."""
        ...

    def moments(self, optimizer: Any) -> Moments:
        """The optimizer's whole state, as one process has it. Called by every rank."""
        ...

    def read(self, model: Any, optimizer: Any, read: Callable[[Any], Moments]) -> None:
        """`read` puts saved weights into the model that it is given and returns the
        saved moments; then every rank has its part of both.

        Raises `rl.checkpoint_unfit`, and what `read` raises, on every rank.
        """
        ...

    def accumulating(self, model: Any) -> AbstractContextManager[Any]:
        """Within it, gradients are not exchanged between ranks."""
        ...

    def backward(self, loss: Float[Tensor, ""]) -> None:
        """Adds the loss's gradient; over all ranks, gradients add up to that of the sum
        of the losses."""
        ...

    def total(self, values: Float[Tensor, " sums"]) -> Float[Tensor, " sums"]:
        """Sum over ranks."""
        ...

    def shared(self, make: Callable[[], T]) -> T:
        """What `make()` returned on rank 0, on every rank."""
        ...

    def wait(self) -> None:
        """Until every rank is here."""
        ...


class Single:
    """One process, one device."""

    rank = 0
    world = 1

    def prepare(self, model: Any, optimizer: Any) -> tuple[Any, Any]:
        return model, optimizer

    def place(self, model: Any) -> Any:
        return model

    def bare(self, model: Any) -> Any:
        return model

    def whole(self, model: Any) -> Any:
        return model

    def moments(self, optimizer: Any) -> Moments:
        moments: Moments = optimizer.state_dict()
        return moments

    def read(self, model: Any, optimizer: Any, read: Callable[[Any], Moments]) -> None:
        _load_moments(optimizer, read(model))

    def accumulating(self, model: Any) -> AbstractContextManager[Any]:
        return nullcontext()

    def backward(self, loss: Float[Tensor, ""]) -> None:
        loss.backward()

    def total(self, values: Float[Tensor, " sums"]) -> Float[Tensor, " sums"]:
        return values

    def shared(self, make: Callable[[], T]) -> T:
        return make()

    def wait(self) -> None:
        return None


class Accelerated:
    """A rank of a data-parallel run. Raises `rl.sharding_elsewhere` under accelerate's
    own FSDP, DeepSpeed and the like."""

    def __init__(self) -> None:
        from accelerate import Accelerator
        from accelerate.utils import DistributedType

        self._accelerator = Accelerator(cpu=not torch.cuda.is_available())
        kind = self._accelerator.distributed_type
        if kind not in (DistributedType.NO, DistributedType.MULTI_CPU, DistributedType.MULTI_GPU):
            raise invalid(
                "rl.sharding_elsewhere",
                f"accelerate is configured for {kind}, and the run for data-parallel processes",
                hint=(
                    'set "processes": "sharded" to split the weights; the launcher needs no plugin'
                    " for it"
                ),
            )
        self.rank: int = self._accelerator.process_index
        self.world: int = self._accelerator.num_processes

    def prepare(self, model: Any, optimizer: Any) -> tuple[Any, Any]:
        prepared: tuple[Any, Any] = self._accelerator.prepare(model, optimizer)
        return prepared

    def place(self, model: Any) -> Any:
        return model.to(self._accelerator.device)

    def bare(self, model: Any) -> Any:
        return self._accelerator.unwrap_model(model)

    def whole(self, model: Any) -> Any:
        return self.bare(model)

    def moments(self, optimizer: Any) -> Moments:
        moments: Moments = optimizer.state_dict()
        return moments

    def read(self, model: Any, optimizer: Any, read: Callable[[Any], Moments]) -> None:
        _load_moments(optimizer, read(self.bare(model)))

    def accumulating(self, model: Any) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = self._accelerator.no_sync(model)
        return context

    def backward(self, loss: Float[Tensor, ""]) -> None:
        self._accelerator.backward(loss * self.world)  # ranks' gradients are averaged

    def total(self, values: Float[Tensor, " sums"]) -> Float[Tensor, " sums"]:
        summed: Tensor = self._accelerator.reduce(values, reduction="sum")
        return summed

    def shared(self, make: Callable[[], T]) -> T:
        from accelerate.utils import broadcast_object_list

        box: list[Any] = [make() if self.rank == 0 else None]
        made: T = broadcast_object_list(box)[0]
        return made

    def wait(self) -> None:
        self._accelerator.wait_for_everyone()


def _load_moments(optimizer: Any, moments: Moments) -> None:
    try:
        optimizer.load_state_dict(moments)
    except ValueError as error:
        raise conflict(
            "rl.checkpoint_unfit", f"the optimizer of the checkpoint is of another model: {error}"
        ) from None


def process(kind: Literal["single", "accelerate", "sharded"]) -> Process:
    """The process that a setting names."""
    if kind == "sharded":
        from proofwalk.rl.sharding import Sharded

        return Sharded()
    return Single() if kind == "single" else Accelerated()


def dealt(pieces: Sequence[T], ours: Process) -> list[tuple[T, bool]]:
    """This rank's pieces, as many on every rank; False marks a repeated one that only
    keeps step and must count nothing."""
    each = -(-len(pieces) // ours.world)
    numbers = range(ours.rank, each * ours.world, ours.world)
    return [
        (pieces[number], True) if number < len(pieces) else (pieces[0], False) for number in numbers
    ]


def accumulated(
    model: Any,
    pieces: Sequence[T],
    ours: Process,
    add: Callable[[T, bool], Float[Tensor, " sums"]],
) -> Float[Tensor, " sums"]:
    """Calls `add(piece, counts)` for this rank's pieces, exchanging gradients at the
    last one, and sums what it returns over all ranks.

    `add` accumulates a gradient; where `counts` is False, one of zeros.
    """
    mine = dealt(pieces, ours)
    sums: list[Tensor] = []
    for number, (piece, counts) in enumerate(mine):
        with nullcontext() if number == len(mine) - 1 else ours.accumulating(model):
            sums.append(add(piece, counts))
    return ours.total(torch.stack(sums).sum(0))


def descend(model: Any, optimizer: Any, max_grad_norm: float) -> float:
    """Clips the gradient's global norm, steps, and clears it. Returns the norm before
    clipping."""
    trained = [parameter for parameter in model.parameters() if parameter.grad is not None]
    clipped: Any = torch.nn.utils.clip_grad_norm_(trained, max_grad_norm)
    norm = float(clipped.full_tensor() if isinstance(clipped, DTensor) else clipped)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm
