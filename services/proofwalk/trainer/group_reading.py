"""How a run reads the trajectories of its episodes: text and tokens, and for a model
that looks at pictures those too. Blocks; no torch. Next: `group_trajectories`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rl.images import Eyes
from proofwalk.trainer.group_pictures import keep_shown
from proofwalk.trainer.group_trajectories import Attempt, Trouble, Unfit, attempts_of
from proofwalk.trajectories.trajectory import unbundled


class Reading:
    """Of one run."""

    def __init__(self, *, run_id: str, eyes: Eyes | None, pictures: Path) -> None:
        """`pictures`: where what the model was shown is kept."""
        self._run_id = run_id
        self._eyes = eyes
        self._pictures = pictures
        self.vocabulary: int | None = None
        """Tokens that the model knows; None until its weights were published."""

    @property
    def artefact(self) -> str:
        """What is fetched of an episode."""
        return "trajectory" if self._eyes is None else "bundle"

    def attempts(self, data: bytes, member: pb.GroupMember) -> tuple[Attempt, ...]:
        """What a trajectory holds to learn from; its pictures are kept. Raises `Unfit`,
        `trainer.images_unsupported`."""
        images: Mapping[str, bytes] = {}
        if self._eyes is not None:
            try:
                data, images = unbundled(data)
            except ProofwalkError as error:
                raise Unfit(Trouble.CORRUPT, error.message) from error
        attempts = attempts_of(
            data,
            verification_id=member.verification_id,
            run_id=self._run_id,
            vocabulary=self.vocabulary,
            looking=self._eyes is not None,
        )
        keep_shown(attempts, images, self._pictures)
        return attempts
