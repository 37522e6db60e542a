"""The mutation score: of the mutants of a package, how many its near tests notice.

cosmic-ray lists and makes the mutants, one at a time, in a copy of the tree; each is
run against the near tests of its package, which stop at the first failure and are ended
after some multiple of what they take unmutated. Which mutants, in which order and until
when is decided here, and each is written down when it is done: the tool's own session
knows neither a sample nor an end.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.health import journal, mutants
from benchmarks.health.copies import environment
from benchmarks.health.journal import Fate, Trial
from benchmarks.health.mutants import Mutant
from benchmarks.health.packages import Package, files_of

_PATIENCE = 4.0
"""A mutant's tests may take so many times what they take unmutated, and a bit."""
_MARGIN_S = 10.0
_PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "--tb=line"),
    *("-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-seed=0"),
    *("-m", "not leases and not postgres and not long"),
)


class NotGreen(Exception):
    """The near tests fail unmutated, so they say nothing of a mutant."""


@dataclass(frozen=True, kw_only=True)
class Workbench:
    """Where mutants are made, by which program."""

    tree: Path
    program: Path
    """cosmic-ray."""

    def candidates(self, package: Package) -> list[Mutant]:
        """Every telling mutant of a package."""
        modules = [
            str(path.relative_to(self.tree)) for path in files_of(self.tree, package.modules)
        ]
        config, session = self.tree / "mutation.toml", self.tree / "mutation.sqlite"
        config.write_text(_config(modules), encoding="utf-8")
        session.unlink(missing_ok=True)
        self._ask("init", config.name, session.name)
        sources = {name: (self.tree / name).read_text(encoding="utf-8") for name in modules}
        return mutants.telling(mutants.listed(self._ask("dump", session.name)), sources)

    def digests(self, package: Package) -> dict[str, str]:
        """Of each module together with the package's near tests."""
        tests = list(files_of(self.tree, package.tests))
        return {
            str(path.relative_to(self.tree)): journal.digest_of([path, *tests])
            for path in files_of(self.tree, package.modules)
        }

    def unmutated(self, package: Package) -> float:
        """Seconds that the near tests take. Raises `NotGreen`."""
        begun = time.monotonic()
        done = subprocess.run(
            [*_PYTEST, *package.tests],
            cwd=self.tree,
            env=environment(self.tree),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise NotGreen(f"{package.name}: {done.stdout[-2000:]}")
        return time.monotonic() - begun

    def trial(self, package: Package, mutant: Mutant, *, digest: str, limit_s: float) -> Trial:
        """Make one mutant, run the near tests, and put the module back."""
        command = ["timeout", "--kill-after=5", f"{limit_s:.0f}", *_PYTEST, *package.tests]
        begun = time.monotonic()
        answer = json.loads(
            self._ask(
                "mutate-and-test",
                *(mutant.module, mutant.operator, str(mutant.occurrence)),
                shlex.join(command),
            )
        )
        seconds = time.monotonic() - begun
        fate = _fate(answer["worker_outcome"], answer["test_outcome"], seconds, limit_s)
        return Trial(
            package=package.name,
            digest=digest,
            mutant=mutant,
            fate=fate,
            seconds=round(seconds, 1),
            change=journal.changed(answer["diff"]) if fate is Fate.SURVIVED else "",
        )

    def _ask(self, *arguments: str) -> str:
        done = subprocess.run(
            [str(self.program), *arguments],
            cwd=self.tree,
            env=environment(self.tree),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout


def trials(
    bench: Workbench, package: Package, chosen: Sequence[Mutant], path: Path, *, until: float
) -> Iterator[Trial]:
    """The trials of the chosen mutants: those of the journal, and new ones as far as
    the time goes, each of which is added to it."""
    digests = bench.digests(package)
    earlier = journal.valid(journal.read(path), package.name, digests)
    yield from (earlier[mutant] for mutant in chosen if mutant in earlier)
    left = [mutant for mutant in chosen if mutant not in earlier]
    if not left or time.monotonic() > until:
        return
    limit_s = bench.unmutated(package) * _PATIENCE + _MARGIN_S
    for mutant in left:
        if time.monotonic() > until:
            return
        trial = bench.trial(package, mutant, digest=digests[mutant.module], limit_s=limit_s)
        journal.add(path, trial)
        yield trial


def _fate(worker: str, tests: str | None, seconds: float, limit_s: float) -> Fate:
    if worker != "normal" or tests not in ("killed", "survived"):
        return Fate.BROKEN
    if tests == "survived":
        return Fate.SURVIVED
    return Fate.TIMEOUT if seconds >= limit_s else Fate.KILLED


def _config(modules: Sequence[str]) -> str:
    """What `cosmic-ray init` wants to know; the rest of it is not used."""
    return (
        f"[cosmic-ray]\nmodule-path = {json.dumps(modules)}\ntimeout = 1.0\n"
        'excluded-modules = []\ntest-command = "false"\n'
        '[cosmic-ray.distributor]\nname = "local"\n'
    )
