"""A run's weights on their way into the inference role, under the run's name and step
(`group_weights` has the files)."""

from __future__ import annotations

from typing import Any

import structlog

from proofwalk.api.inference.v1.inference_pb2 import LoadWeightsRequest
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.loop_thread import LoopThread
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.rl.rollouts import step_of
from proofwalk.trainer.group_weights import WeightsFolder
from proofwalk.trainer.role_channels import RoleChannels

_LOAD_S = 600.0
_OTHER_NAMES = 9
log = structlog.get_logger()


class WeightsPublisher:
    """Of one run. Blocks."""

    def __init__(
        self, weights: WeightsFolder, *, run_id: str, channels: RoleChannels, loop: LoopThread
    ) -> None:
        self._weights = weights
        self._run_id = run_id
        self._channels = channels
        self._loop = loop
        self._published = ""

    def publish(self, version: str, model: Any, tokenizer: Any) -> None:
        """Raises what LoadWeights has against the weights, `trainer.version_taken`."""
        if version == self._published:
            return
        aside = self._weights.write(model, tokenizer)
        for name in (version, *(f"{version}+{number}" for number in range(1, _OTHER_NAMES + 1))):
            placed = self._weights.place(aside, name)
            if placed is None:
                continue
            try:
                self._loop.run(self._load(name, placed.absolute().as_uri()))
            except ProofwalkError as error:
                if error.code != "inference.version_taken":
                    raise
                aside = self._weights.take_back(placed)
                continue
            self._published = version
            self._weights.prune(step_of(version))
            log.info("weights_published", version=name)
            return
        raise conflict(
            "trainer.version_taken",
            f"{version} and {_OTHER_NAMES} names like it are other weights' at the inference role",
            hint="start the run under another id",
        )

    async def _load(self, name: str, uri: str) -> None:
        request = LoadWeightsRequest(policy_version=f"{self._run_id}@{name}", uri=uri)
        stub = InferenceStub(self._channels.to("inference"))
        await stub.LoadWeights(request, timeout=_LOAD_S)
