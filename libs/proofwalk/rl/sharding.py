"""A run whose weights, gradients and moments are split over its ranks: fully sharded
data parallelism (ZeRO stage 3, Rajbhandari et al. 2020), as torch's `fully_shard` has
it.

Each decoder layer is a unit: its weights are gathered before it computes and dropped
behind it, so a rank holds its share of the model and one layer. The start is what
`torchrun` and `accelerate launch` give every rank (RANK, WORLD_SIZE, LOCAL_RANK,
MASTER_ADDR, MASTER_PORT); devices are CUDA's where there are some, else processors with
gloo. The optimizer is made over the whole weights and follows them into their shards.

Rank 0 keeps a whole copy beside, in main memory: what is written, validated with and
published is that copy, with the current weights gathered into it. So a checkpoint of n
ranks has the form of one process's. Whatever gathers (`whole`, `moments`, `read`) is
called by every rank, or hangs.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from jaxtyping import Float
from torch import Tensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from proofwalk.kernel.errors import ProofwalkError, conflict, invalid
from proofwalk.rl.optimizers import Moments

T = TypeVar("T")

_DEADLINE = timedelta(minutes=30)
"""Of one exchange. Rank 0 may gather rollouts or validate meanwhile."""


class Sharded:
    """A rank. Raises `rl.not_launched` without a launcher."""

    def __init__(self) -> None:
        missing = [
            name
            for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
            if name not in os.environ
        ]
        if missing and not dist.is_initialized():
            raise invalid(
                "rl.not_launched",
                f"{', '.join(missing)} is not set",
                hint="start the ranks with torchrun",
            )
        device = "cuda" if torch.cuda.is_available() else "cpu"
        if device == "cuda":
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        if not dist.is_initialized():
            dist.init_process_group(
                "cpu:gloo,cuda:nccl" if device == "cuda" else "gloo", timeout=_DEADLINE
            )
        self.rank: int = dist.get_rank()
        self.world: int = dist.get_world_size()
        self._mesh = init_device_mesh(device, (self.world,))
        self._device = (
            torch.device(device, torch.cuda.current_device())
            if device == "cuda"
            else torch.device(device)
        )
        self._host: Any = None

    def place(self, model: Any) -> Any:
        layers = set(getattr(model, "_no_split_modules", None) or ())
        for module in model.modules():
            if type(module).__name__ in layers:
                fully_shard(module, mesh=self._mesh)
        return fully_shard(model, mesh=self._mesh)

    def prepare(self, model: Any, optimizer: Any) -> tuple[Any, Any]:
        if self.rank == 0:
            self._host = copy.deepcopy(model).cpu()
        names = {parameter: name for name, parameter in model.named_parameters()}
        self.place(model)
        shards = dict(model.named_parameters())
        for group in optimizer.param_groups:
            group["params"] = [shards[names[parameter]] for parameter in group["params"]]
        return model, optimizer

    def bare(self, model: Any) -> Any:
        return model

    def whole(self, model: Any) -> Any:
        gathered = {name: _full(tensor) for name, tensor in model.state_dict().items()}
        if self._host is not None:
            self._host.load_state_dict(gathered)
        return self._host

    def moments(self, optimizer: Any) -> Moments:
        state = optimizer.state_dict()
        whole = {
            index: {
                name: _full(value) if isinstance(value, Tensor) else value
                for name, value in values.items()
            }
            for index, values in state["state"].items()
        }
        return {"state": whole, "param_groups": state["param_groups"]}

    def read(self, model: Any, optimizer: Any, read: Callable[[Any], Moments]) -> None:
        def reading() -> tuple[Moments | None, ProofwalkError | None]:
            try:
                return read(self._host), None
            except ProofwalkError as error:
                return None, error

        moments, failed = reading() if self.rank == 0 else (None, None)
        # Every rank fails with rank 0, or the others would wait for it.
        failed = self.shared(lambda: failed)
        if failed is not None:
            raise failed
        weights = self._host.state_dict() if self._host is not None else {}
        with torch.no_grad():
            for name, shard in model.state_dict().items():
                shard.copy_(self._dealt(weights.get(name), shard))
        self._read_moments(optimizer, moments)

    def _read_moments(self, optimizer: Any, moments: Moments | None) -> None:
        """Rank 0 has them whole; each rank's optimizer gets its share."""
        known = moments["state"] if moments is not None else {}
        plain = self.shared(
            lambda: {
                index: {
                    name: None if isinstance(value, Tensor) and value.ndim else value
                    for name, value in values.items()
                }
                for index, values in known.items()
            }
        )
        parameters = [
            parameter for group in optimizer.param_groups for parameter in group["params"]
        ]
        if plain and len(plain) != len(parameters):
            raise conflict(
                "rl.checkpoint_unfit",
                f"the optimizer has moments of {len(plain)} weights; the model has"
                f" {len(parameters)}",
            )
        for index, values in plain.items():
            shard = parameters[index]
            optimizer.state[shard] = {
                name: self._dealt(known.get(index, {}).get(name), shard) if value is None else value
                for name, value in values.items()
            }

    def _dealt(self, whole: Tensor | None, shard: Any) -> Any:
        """A whole tensor of rank 0 split as `shard` is; a tensor that is not split is
        copied to every rank."""
        given = torch.empty(shard.shape, dtype=shard.dtype) if whole is None else whole
        given = given.to(self._device, shard.dtype)
        if isinstance(shard, DTensor):
            return distribute_tensor(given, shard.device_mesh, shard.placements)
        dist.broadcast(given, src=0)
        return given

    def accumulating(self, model: Any) -> AbstractContextManager[Any]:
        # Gradients are split at every micro-batch: whole ones would take as much memory
        # as whole weights.
        return nullcontext()

    def backward(self, loss: Float[Tensor, ""]) -> None:
        (loss * self.world).backward()  # ranks' gradients are averaged

    def total(self, values: Float[Tensor, " sums"]) -> Float[Tensor, " sums"]:
        summed = values.to(self._device)
        dist.all_reduce(summed)
        return summed

    def shared(self, make: Callable[[], T]) -> T:
        box: list[Any] = [make() if self.rank == 0 else None]
        dist.broadcast_object_list(box, src=0)
        made: T = box[0]
        return made

    def wait(self) -> None:
        dist.barrier()


def _full(tensor: Any) -> Tensor:
    """Gathered, in main memory."""
    whole: Tensor = (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().cpu()
    return whole
