"""Full weights of a vLLM server, changed in place while it serves.

The server's worker reads a folder into the model that it has (`reload_weights`, by way
of `/collective_rpc`), and what was cached under the old weights is dropped. It needs
VLLM_SERVER_DEV_MODE=1, and has to see the folder under the same path; the memory of one
model is enough.

Four things would be served under a wrong name, and are not:

- An answer that began under other weights than it ended under. Questions and changes
  take turns: a change waits for the questions inside, and those that come wait for it.
- What a server holds that was restarted (its base), or that this process did not fill
  itself. The first question, and the first after a change that failed, puts there what
  is to serve; and an answer under loaded weights counts only if the server's process is
  the one that they were loaded into, which its metrics tell by its start.
- A folder that is not the model's. vLLM's worker ends at one, so names and shapes of
  its tensors are held beside the base's before.
- A model whose output layer is its embedding (a folder without `lm_head`): vLLM 0.32
  takes the embedding and leaves the output layer as it was, and says so in its log
  alone (seen on a CPU; log-probabilities are off by several nats). Such a model is
  refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import structlog

from proofwalk.inference.domain import (
    Weights,
    bad_weights,
    engine_away,
    not_offered,
    weights_not_found,
)
from proofwalk.inference.engines.vllm_replies import Models
from proofwalk.inference.engines.vllm_server import UnknownPath, VllmServer
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.json_values import JsonObject

CHANGE_S = 900.0
"""Seconds that a server may take to read weights."""
_LONGEST_HEADER = 64 << 20
_OUTPUT = "lm_head.weight"
log = structlog.get_logger()


class FullWeights:
    """What one server holds in full."""

    def __init__(self, server: VllmServer, base: Weights) -> None:
        self._server = server
        self._base = base
        self._holds: Weights | None = None
        """None: not known."""
        self._since = 0.0
        """The start of the process that was given them."""
        self._inside = 0
        self._left = asyncio.Event()
        self._open = asyncio.Event()
        self._open.set()
        self._changing = asyncio.Lock()

    @asynccontextmanager
    async def question(self) -> AsyncIterator[None]:
        """Nothing changes while one is inside."""
        while not self._open.is_set():
            await self._open.wait()
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1
            self._left.set()

    @asynccontextmanager
    async def change(self, weights: Weights) -> AsyncIterator[None]:
        """The server holds `weights`, and no question is inside. A server that already
        holds them is left alone. Raises `inference.*`; what it holds is then not
        known."""
        async with self._changing:
            self._open.clear()
            try:
                while self._inside:
                    self._left.clear()
                    await self._left.wait()
                if not await self.holds(weights):
                    await self._write(weights)
                yield
            finally:
                self._open.set()

    def is_known_to_hold(self, weights: Weights) -> bool:
        """As far as this process knows."""
        return self._holds is not None and self._holds.version == weights.version

    async def holds(self, weights: Weights) -> bool:
        """Whether it holds them now; the server is asked where a restart would have put
        others in their place. Raises `inference.engine_away`."""
        if not self.is_known_to_hold(weights):
            return False
        if weights.version == self._base.version or await self._server.started() == self._since:
            return True
        log.info("vllm_restarted", version=weights.version)
        self._holds = None
        return False

    async def check(self, folder: Path) -> None:
        """Raises `inference.bad_weights`, `inference.weights_not_found` for a folder
        that is not of the base's shape, `inference.not_offered` for a base that cannot
        take any."""
        home = await self._home()
        if not home.is_dir():
            raise bad_weights(
                folder,
                f"the base's folder {home} is not to be seen from here, so it cannot be told"
                " whether they are of its shape",
            )
        await asyncio.to_thread(_compare, folder, home)

    async def _write(self, weights: Weights) -> None:
        self._holds = None
        folder = weights.folder if weights.version != self._base.version else None
        try:
            # Questions that were given up may still be computed: no answer waits for
            # them.
            await self._server.order("/pause?mode=abort", {}, timeout_s=CHANGE_S)
        except (UnknownPath, ProofwalkError) as error:
            if not _is_refused(error):
                raise
            if folder is not None:
                raise not_offered(
                    "vllm",
                    "way to load full weights while this server serves",
                    hint="start it with VLLM_SERVER_DEV_MODE=1, or load a LoRA adapter",
                ) from error
            # Nobody can have changed what it began with.
            self._holds = weights
            return
        try:
            since = await self._server.started()
            path = str(folder or await self._home())
            await self._order(
                "/collective_rpc",
                {"method": "reload_weights", "kwargs": {"weights_path": path}},
                timeout_s=CHANGE_S,
            )
            await self._order("/reset_prefix_cache")
        except BaseException:
            # Whoever asks next puts back what is to serve, which resumes it too.
            with contextlib.suppress(ProofwalkError):
                await self._order("/resume")
            raise
        await self._order("/resume")
        if await self._server.started() != since:
            raise self._server.odd("it was restarted while it read weights")
        self._holds, self._since = weights, since

    async def _order(
        self, path: str, body: JsonObject | None = None, *, timeout_s: float = 0
    ) -> None:
        try:
            await self._server.order(path, body or {}, timeout_s=timeout_s)
        except UnknownPath as error:
            raise engine_away(str(error)) from error

    async def _home(self) -> Path:
        """Where the base lies, as the server was started with it."""
        models = self._server.read(Models, await self._server.look("/models"))
        roots = [one.root for one in models.data if one.id == self._base.version]
        if not roots or not roots[0]:
            raise self._server.odd(f"it lists no root for {self._base.version!r}")
        return Path(roots[0])


def _is_refused(error: Exception) -> bool:
    """Whether the server, or what stands before it, takes no such order."""
    return isinstance(error, UnknownPath) or (
        isinstance(error, ProofwalkError) and error.status is Status.UNAUTHENTICATED
    )


def _compare(folder: Path, home: Path) -> None:
    if not folder.is_dir():
        raise weights_not_found(folder)
    given, wanted = shapes(folder), shapes(home)
    odd = sorted(
        name for name in wanted.keys() | given.keys() if wanted.get(name) != given.get(name)
    )
    if not any(name.endswith(_OUTPUT) for name in wanted):
        raise not_offered(
            "vllm",
            f"way to load full weights into {home}, whose output layer is its embedding: the"
            " server would leave that layer as it was",
            hint="load a LoRA adapter, or serve a base that is saved with an lm_head of its own",
        )
    if odd:
        first = odd[0]
        raise bad_weights(
            folder,
            f"{len(odd)} tensors are not those of the base, the first of them {first}:"
            f" {given.get(first, 'missing')} instead of {wanted.get(first, 'none')}",
        )


def shapes(folder: Path) -> Mapping[str, tuple[int, ...]]:
    """The tensors of a folder's safetensors files, by name. The header is read and
    nothing else, without torch: eight bytes of length, then JSON (the format's README).
    Blocks. Raises `inference.bad_weights`."""
    tensors: dict[str, tuple[int, ...]] = {}
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with path.open("rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                if length > _LONGEST_HEADER:
                    raise ValueError(f"a header of {length} bytes")
                header = json.loads(file.read(length))
                size = (
                    8
                    + length
                    + max(
                        (
                            one["data_offsets"][1]
                            for name, one in header.items()
                            if name[:2] != "__"
                        ),
                        default=0,
                    )
                )
            if path.stat().st_size != size:
                raise ValueError(f"{path.stat().st_size} bytes instead of {size}")
            tensors |= {
                name: tuple(one["shape"]) for name, one in header.items() if name[:2] != "__"
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
            raise bad_weights(folder, f"{path.name}: {type(error).__name__}: {error}") from error
    if not tensors:
        raise bad_weights(folder, "there is no safetensors file in it")
    return tensors
