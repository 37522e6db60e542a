"""Which code is mutated, and which tests are to notice.

The near tests of a package are those that state its behaviour and run in seconds; a
mutant that only a walk in a browser would notice counts as survived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_POOL = "services/proofwalk/account_pool"
_REWARD = "services/proofwalk/reward_service"
_PROVISIONER = "services/proofwalk/resource_provisioner"


@dataclass(frozen=True, kw_only=True)
class Package:
    """Modules to mutate and their near tests: paths of files or folders, below the
    root."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


PACKAGES = (
    Package(name="kernel", modules=("libs/proofwalk/kernel",), tests=("tests/kernel",)),
    Package(
        name="leases",
        modules=tuple(f"{_POOL}/{name}.py" for name in ("domain", "usecases", "queue", "pool")),
        tests=tuple(
            f"tests/account_pool/test_{name}.py"
            for name in ("pool", "pools", "lease_model", "queue", "races", "allotment", "money")
        ),
    ),
    Package(
        name="judge",
        modules=(f"{_REWARD}/judges", f"{_REWARD}/evaluation.py", f"{_REWARD}/domain.py"),
        tests=tuple(
            f"tests/reward_service/test_{name}.py"
            for name in ("judges", "judging", "panel", "free_text", "decisions", "evaluation")
        ),
    ),
    Package(
        name="rules",
        modules=tuple(
            f"{_REWARD}/{name}.py"
            for name in (
                *("rules", "clauses", "conditions", "references", "bindings"),
                *("event_values", "expected_answers"),
            )
        ),
        tests=tuple(
            f"tests/reward_service/test_{name}.py"
            for name in ("rules", "examples", "hostile_rules", "expected_answers", "evaluation")
        ),
    ),
    Package(
        name="guard",
        modules=tuple(
            f"{_PROVISIONER}/{name}.py"
            for name in ("guard", "allowed_types", "allowed_operations", "literals", "limits")
        ),
        tests=tuple(
            f"tests/resource_provisioner/test_{name}.py"
            for name in ("guard", "accepted", "hostile_meta", "allowed_operations", "meta")
        ),
    ),
    Package(
        name="advantages",
        modules=("libs/proofwalk/rl/advantages.py",),
        tests=("tests/rl/test_advantages.py",),
    ),
)


def files_of(root: Path, paths: Iterable[str]) -> Iterator[Path]:
    """Python files at these paths, in order; a folder stands for all below it."""
    for path in paths:
        place = root / path
        yield from sorted(place.rglob("*.py")) if place.is_dir() else [place]
