"""`make bench-first-minutes`: from `git clone` to the demo's table on a fresh Debian,
at two commits.

A root of Debian is built once by mmdebstrap: the minimal variant, with Python, venv,
make and git. Each run unpacks it anew, so that no cache of apt or pip is there, and
calls `git clone` and `make demo` in it. The commits take turns, and so meet the same
machine; what else is at work on it is said as its load. Seconds are by the clock and
depend on that load; `cpu_s` is the processor time of everything that was started, and
hardly does. `longest_silence_s` is the longest time without a line.

How apt and pip reach their servers is this machine's affair: its configuration is
copied into the root and nowhere else. Needs root.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks import record
from benchmarks.record import ROOT, Load, judged, spreads
from setup.packages import configuration

WORK = ROOT / "build" / "first-minutes"
BEFORE = "d030c85"
"""The last commit whose demo installed what development and the tests need. It and
the two before it mend what kept a fresh Debian 12 from its table: a package for
newer Pythons in the lock, a script that confined Terraform could not read, a missing
library."""
SUITE = "bookworm"
PACKAGES = "python3,python3-venv,make,git,ca-certificates"
CONFIGURATION = (
    "/etc/apt/apt.conf.d",
    "/etc/apt/auth.conf.d",
    "/etc/apt/sources.list",
    "/etc/apt/sources.list.d",
    "/etc/apt/trusted.gpg.d",
    "/usr/share/keyrings",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/ssl/certs",
    "/etc/pip.conf",
    "/etc/xdg/pip",
    "/root/.config/pip",
    "/root/.pip",
)
PASSED_ON = re.compile(r"(PIP|SSL|UV)_\w+|(https?|no)_proxy", re.IGNORECASE)
WALKING = re.compile(r"Walking \d+ documents|examples/docs/\S+ +(queued|running)")
TABLE = re.compile(r"(\d+) of (\d+) verdicts as expected")
LIMIT_S = 3600.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """One way from the clone to the table."""

    seconds: float
    until_walking_s: float
    cpu_s: float
    longest_silence_s: float
    installed_mib: float

    def figures(self) -> Mapping[str, float]:
        return vars(self)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", default=BEFORE, help="the commit to compare with")
    parser.add_argument("--after", default="HEAD")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each commit")
    parser.add_argument("--out", type=Path, default=record.RESULTS)
    arguments = parser.parse_args()
    for program in ("mmdebstrap", "unshare", "chroot"):
        if os.geteuid() != 0 or shutil.which(program) is None:
            raise SystemExit(
                f"run this as root, with {program}: apt-get install mmdebstrap util-linux"
            )
    base = base_root()
    commits = {"before": commit(arguments.before), "after": commit(arguments.after)}
    runs: dict[str, list[Run]] = {name: [] for name in commits}
    loads = [str(Load.now())]
    for _ in range(arguments.rounds):
        for name, one in commits.items():
            runs[name].append(measure(base, name, one))
            print(f"{name} ({one[:9]}): {runs[name][-1]}", flush=True)
            loads.append(str(Load.now()))
    figures = {name: spreads([run.figures() for run in runs[name]]) for name in commits}
    ratios = {
        key: figures["after"][key]["median"] / figures["before"][key]["median"]
        for key in ("seconds", "cpu_s")
    }
    content = {
        **asyncio.run(record.head("first-minutes", n=arguments.rounds)),
        # What was cloned and measured, whatever the working copy has beside it.
        "commit": commits["after"],
        "load": loads,
        "suite": SUITE,
        "figures": {
            "seconds_of_before": judged(ratios["seconds"], at_most=0.5),
            "cpu_of_before": judged(ratios["cpu_s"], at_most=0.5),
            "longest_silence_s": judged(figures["after"]["longest_silence_s"]["max"], at_most=60.0),
            **{name: {"commit": commits[name], **figures[name]} for name in commits},
        },
    }
    print(record.write_part("first-minutes", content, folder=arguments.out))


def commit(name: str) -> str:
    return subprocess.run(
        ["git", "rev-parse", f"{name}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def base_root() -> Path:
    """The fresh machine as a tarball, built unless it is there."""
    base = WORK / f"{SUITE}.tar"
    if not base.is_file():
        WORK.mkdir(parents=True, exist_ok=True)
        sources = sorted(Path("/etc/apt/sources.list.d").glob("debian.*")) or [
            Path("/etc/apt/sources.list")
        ]
        draft = base.with_suffix(".partial.tar")
        command = [
            "mmdebstrap",
            "--variant=minbase",
            f"--include={PACKAGES}",
            SUITE,
            draft,
            *sources,
        ]
        subprocess.run(list(map(str, command)), check=True, stdin=subprocess.DEVNULL)
        draft.rename(base)
    return base


def measure(base: Path, name: str, revision: str) -> Run:
    """`git clone` and `make demo` in a root of its own, which is removed afterwards."""
    WORK.mkdir(parents=True, exist_ok=True)
    machine = Path(tempfile.mkdtemp(prefix="machine-", dir=WORK))
    subprocess.run(["tar", "-C", str(machine), "-xf", str(base)], check=True)
    configure(machine)
    subprocess.run(
        ["git", "clone", "--quiet", "--bare", str(ROOT), str(machine / "srv/proofwalk.git")],
        check=True,
    )
    work = (
        "cd /root && git clone -q /srv/proofwalk.git proofwalk && cd proofwalk"
        f" && git checkout -q {revision} && make demo"
    )
    size = disk_usage(machine)
    spent = cpu_of_children()
    lines, seconds = timed(inside(machine, work), WORK / f"{name}.log")
    spent = cpu_of_children() - spent
    told = [found for _, line in lines if (found := TABLE.search(line))]
    if not told or told[-1][1] != told[-1][2]:
        raise SystemExit(
            f"{name} ({revision[:9]}) did not come to its table; see {WORK / f'{name}.log'}"
        )
    moments = [0.0, *(moment for moment, _ in lines), seconds]
    walking = next((moment for moment, line in lines if WALKING.search(line)), seconds)
    run = Run(
        seconds=seconds,
        until_walking_s=walking,
        cpu_s=spent,
        longest_silence_s=max(after - before for before, after in pairwise(moments)),
        installed_mib=disk_usage(machine) - size,
    )
    shutil.rmtree(machine, ignore_errors=True)
    return run


def configure(machine: Path) -> None:
    """Give a root this machine's way to its servers."""
    for place in map(Path, CONFIGURATION):
        target = machine / place.relative_to("/")
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            shutil.copytree(place, target, ignore_dangling_symlinks=True)
        elif place.is_file():
            shutil.copyfile(place, target)
    for folder in local_packages():
        (machine / folder.relative_to("/")).mkdir(parents=True, exist_ok=True)


def local_packages() -> Sequence[Path]:
    """Folders of this machine from which pip is told to take packages."""
    found = re.findall(r"(?:file://|[\s'\"=])(/[^\s'\"\\]+)", configuration())
    folders = {Path(each).parent if Path(each).name == "simple" else Path(each) for each in found}
    return sorted(folder for folder in folders if folder.is_dir())


def inside(machine: Path, work: str) -> Sequence[str]:
    """A command that runs `work` in the root, with processes and mounts of its own:
    nothing outlives it."""
    mounts = ["mount -t proc proc proc", "mount --rbind /dev dev", "mount -t sysfs sys sys"]
    mounts += [f"mount --rbind {folder} {folder.relative_to('/')}" for folder in local_packages()]
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        **{name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)},
    }
    script = f'set -e; cd "$1"; {"; ".join(mounts)}; shift; exec "$@"'
    start = [
        "env",
        "-i",
        *(f"{name}={value}" for name, value in environment.items()),
        "chroot",
        str(machine),
    ]
    return [
        "unshare",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        *("sh", "-c", script, "sh", str(machine)),
        *start,
        "sh",
        "-ec",
        work,
    ]


def timed(command: Sequence[str], log: Path) -> tuple[list[tuple[float, str]], float]:
    """Every line of a command with the seconds at which it came, and how long it took.
    The log has the same."""
    began = time.monotonic()
    lines = []
    with (
        log.open("w") as file,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as child,
    ):
        assert child.stdout is not None
        for line in child.stdout:
            moment = time.monotonic() - began
            lines.append((moment, line))
            print(f"{moment:7.1f} {line}", end="", file=file, flush=True)
            if moment > LIMIT_S:
                child.kill()
    return lines, time.monotonic() - began


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def disk_usage(folder: Path) -> float:
    done = subprocess.run(["du", "-sxm", str(folder)], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[0])


if __name__ == "__main__":
    main()
