"""The guard between us and a child program: nothing that it starts outlives us,
whatever way we die.

Run as a script (`python -I -S deathwatch.py FD[,SOURCE=TARGET…] program …`), it leads a
process group, starts the program in it, and holds the reading end of a pipe whose only
writer is our process. When the pipe closes, because we closed it or because the kernel
did, it kills every descendant, including those that left the group (it is their
subreaper, so none can hide behind a dead parent), and exits. When the program ends by
itself it does the same and passes the exit status on. The program in turn dies with the
guard (PR_SET_PDEATHSIG), in case somebody kills that one. A pipe is used for us because
PDEATHSIG follows the parent's *thread*, and children are started from threads that end.

A program that finds its pipes under fixed numbers gets them there: `12=3` is our
descriptor 12 as its 3.

It imports the standard library only: it starts in about 20 ms and must work without our
packages.
"""

import ctypes
import fcntl
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
NOT_FOUND = 127
_AGAIN_S = 0.001
_HIGH = 100


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # The name in parentheses may hold anything; the fields that count
                # follow the last one.
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        # The ended ones too: a child read before its parent's end and a parent read
        # after it still hang together.
        children.setdefault(int(fields[1]), []).append(int(name))
    descendants: list[int] = []
    queue = [root]
    while queue:
        below = children.get(queue.pop(), [])
        descendants += below
        queue += below
    return descendants


def _kill_descendants() -> None:
    # Until the kernel says that no child is left. A listing of /proc is no proof: a
    # process may move to us while it is read.
    while True:
        for pid in _descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            _reap()
        except ChildProcessError:
            return
        time.sleep(_AGAIN_S)


def _reap() -> dict[int, int]:
    """Collect the children that have ended: pid to wait status. Raises
    `ChildProcessError` when there is none left, ended or not."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            if ended:
                return ended
            raise
        if pid == 0:
            return ended
        ended[pid] = status


def _hand_over(descriptors: list[tuple[int, int]]) -> None:
    # Out of the way first: one's source may be another one's target.
    aside = [
        (fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _HIGH), target)
        for source, target in descriptors
    ]
    for source, target in aside:
        os.dup2(source, target)


def _start(argv: list[str], alive: int, descriptors: list[tuple[int, int]]) -> int:
    guard = os.getpid()
    pid = os.fork()
    if pid:
        for source, _ in descriptors:
            os.close(source)
        return pid
    try:
        os.close(alive)
        for source, _ in descriptors:
            os.set_inheritable(source, False)
        _hand_over(descriptors)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(NOT_FOUND)
        os.execvp(argv[0], argv)  # noqa: S606  # no shell is what we want
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(NOT_FOUND)


def main(argv: list[str]) -> int:
    """Guard `argv[1:]` while the pipe `argv[0]` is open; returns its exit status, 128 +
    n for signal n."""
    first, *pairs = argv[0].split(",")
    alive = int(first)
    descriptors = [
        (int(source), int(target)) for source, _, target in (pair.partition("=") for pair in pairs)
    ]
    os.set_inheritable(alive, False)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    # Signals to the group are for the program; the guard stays to see the end of it.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program = _start(argv[1:], alive, descriptors)
    while True:
        ready, _, _ = select.select([alive, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            # The program is among our children until it is reaped here, so there is
            # one.
            status = _reap().get(program)
            if status is not None:
                _kill_descendants()
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
        if alive in ready:
            _kill_descendants()
            return 128 + signal.SIGKILL


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
