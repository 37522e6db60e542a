"""`python -m checks.commits`: hold the messages of commits to CONTRIBUTING.md.

A subject has at most 72 characters, no full stop, and begins with no past tense, gerund
or third person of the verbs that people use here; a body has a line at least. Commits
that came before `BASE` are as they are, and merges are not looked at. Where the history
does not reach `BASE` (a shallow clone, an archive) there is nothing to compare with:
that is said, and passes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BASE = "19f8132bdb558c0d7a6aaf37565521b1c67ef96c"
"""The last commit that is not looked at."""
MOST = 72
_VERBS = (
    "add",
    "change",
    "fix",
    "remove",
    "move",
    "rename",
    "update",
    "use",
    "make",
    "allow",
    "drop",
    "replace",
    "test",
)
_STEMS = "|".join(verb.removesuffix("e") for verb in _VERBS)
_NOT_IMPERATIVE = re.compile(rf"(?:{_STEMS})(?:e?s|d|ed|p?ping|ped|ing)\b", re.IGNORECASE)
_BETWEEN, _END = "\x1f", "\x1e"


def problems(subject: str, body: str) -> Iterator[str]:
    """What is wrong with a message."""
    if len(subject) > MOST:
        yield f"the subject has {len(subject)} characters; {MOST} at most"
    if subject.endswith("."):
        yield "the subject ends with a full stop"
    says = subject.partition(": ")[2] or subject
    if _NOT_IMPERATIVE.match(says):
        yield f"{says.split()[0]!r} is no imperative: say what the commit does, not what was done"
    if not body.strip():
        yield "there is no body: say why, and how it was seen"


def unheld(repository: Path, base: str) -> list[str] | None:
    """A line for each problem of each commit after `base`; None where the history does
    not reach it."""
    known = _git(repository, "merge-base", "--is-ancestor", base, "HEAD")
    if known.returncode != 0:
        return None
    form = f"--format=%h{_BETWEEN}%s{_BETWEEN}%b{_END}"
    told = _git(repository, "log", "--no-merges", form, f"{base}..HEAD").stdout
    found = []
    for entry in told.split(_END):
        if entry.strip():
            commit, subject, body = entry.strip("\n").split(_BETWEEN)
            found += [f"{commit} {subject!r}: {problem}" for problem in problems(subject, body)]
    return found


def _git(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> int:
    """Look, tell, and give the exit code."""
    found = unheld(Path(__file__).resolve().parents[1], BASE)
    if found is None:
        print(
            f"The history does not reach {BASE[:7]}: commit messages are not looked at",
            file=sys.stderr,
        )
        return 0
    for line in found:
        print(line, file=sys.stderr)
    if found:
        print(
            "CONTRIBUTING.md has the rules; `git commit --amend` or `git rebase` mends",
            file=sys.stderr,
        )
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
