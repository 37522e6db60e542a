"""Runs a program on others' input with as little of this machine as a kernel lets it
keep.

`confined(argv, …)` prefixes a command with this file as a script. The script sets
limits and a private umask, gives up all capabilities and the gaining of new ones, and
restricts itself by Landlock before it becomes the program; what the program starts
inherits all of it. Under Landlock (Linux 5.13 or later) files can be written below
`writable`, read below `readable` and in the system's own folders, and run from
`executable`; the memory and environment of processes outside are closed to it, and from
ABI 4 on it binds no TCP port and connects to those in `connects` alone (to any with
None), from ABI 6 on it reaches no abstract socket and, unless `signals`, signals nobody
outside. A kernel without Landlock is told by `landlock_abi()` (0); then only the rest
holds, unless `required`. What is not confined: which hosts it reaches at such a port,
UDP, the user id, and the number of processes.

A program that runs `alone` is confined in these, too: a seccomp filter ends it
(`ENDED_ALONE`) when it asks for a socket, for another process or thread, to look into
another process, or to send a signal.

As a script it imports the standard library only, and runs isolated (`-I -S`).
"""

import contextlib
import ctypes
import glob
import json
import os
import resource
import stat
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

FAILED = 126
ENDED_ALONE = 128 + 31
"""Exit status, as `deathwatch` passes it on, of a program that runs alone and asked for
what it may not have (SIGSYS)."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH, _RULE_NET_PORT = 1, 2
_VERSION = 1
_PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL = 24, 38, 47, 4
_CAPABILITIES = 64
_CAPABILITY_VERSION_3 = 0x20080522

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_LOAD_WORD, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_KILL_PROCESS, _ALLOW = 0x80000000, 0x7FFF0000
_NUMBER_AT, _MACHINE_AT = 0, 4
_X32 = 0x40000000
"""x86-64's system calls of another width begin here: the same calls under other
numbers."""
_ANYWHERE = (424, 425, 435)
"""pidfd_send_signal, io_uring_setup, clone3: their numbers on every machine."""
_NOT_ALONE = {
    # socket, socketpair, clone, fork, vfork; ptrace, unshare, process_vm_readv and
    # …_writev; kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
    "x86_64": (0xC000003E, (41, 53, 56, 57, 58, 101, 272, 310, 311, 62, 200, 234, 129, 297)),
    # The same, without fork and vfork, which it has not.
    "aarch64": (0xC00000B7, (198, 199, 220, 117, 97, 270, 271, 129, 130, 131, 138, 240)),
}
"""By machine: how the kernel names it, and the calls that no program makes that is
alone."""

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_READ = _READ_FILE | _READ_DIR
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1

SYSTEM_READABLE = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/nix/store",
    *(
        f"/etc/{name}"
        for name in [
            "ssl",
            "pki",
            "ca-certificates",
            "ca-certificates.conf",
            "resolv.conf",
            "hosts",
            "host.conf",
            "gai.conf",
            "nsswitch.conf",
            "services",
            "protocols",
            "localtime",
            "timezone",
            "passwd",
            "group",
            "ld.so.cache",
            "ld.so.conf",
            "ld.so.conf.d",
            "mime.types",
            "os-release",
        ]
    ),
    "/run/systemd/resolve",
    "/run/resolvconf",
    "/proc",
    "/sys/fs/cgroup",
    "/sys/kernel/mm",
    "/sys/devices/system/cpu",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
)
"""What programs need of a system: libraries, certificates, names. Nothing in it is a
secret of ours."""
_DEVICES = ("/dev/null",)
_LOADERS = (
    "/lib/ld-*",
    "/lib64/ld-*",
    "/lib/*/ld-*",
    "/usr/lib/ld-*",
    "/usr/lib64/ld-*",
    "/usr/lib/*/ld-*",
)


def landlock_abi() -> int:
    """The version of Landlock that this kernel offers; 0 for none."""
    with contextlib.suppress(OSError, AttributeError):
        return max(
            0,
            int(
                _libc().syscall(
                    _CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)
                )
            ),
        )
    return 0


def confined(
    argv: Sequence[str | Path],
    *,
    writable: Sequence[Path],
    readable: Sequence[Path],
    executable: Sequence[Path],
    limits: Mapping[str, int],
    signals: bool = False,
    connects: Sequence[int] | None = None,
    required: bool = False,
    alone: bool = False,
) -> list[str]:
    """The command that runs `argv` confined. `limits`: by resource without `RLIMIT_`,
    in bytes or seconds.

    `executable` names programs or folders; where a program is a link, what it leads to
    may be run too.

    With `required` the program is not started (exit status 126) where Landlock is
    missing; one that is to run `alone`, where that cannot be had.
    """
    told = {
        "writable": [str(path.absolute()) for path in writable],
        "readable": [str(path.absolute()) for path in readable],
        "executable": [str(path.absolute()) for path in executable],
        "signals": signals,
        "connects": None if connects is None else list(connects),
        "limits": dict(limits),
        "required": required,
        "alone": alone,
    }
    return [
        sys.executable,
        "-I",
        "-S",
        str(Path(__file__).absolute()),
        json.dumps(told),
        *map(str, argv),
    ]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _called(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _limit(limits: Mapping[str, int]) -> None:
    for name, value in limits.items():
        number = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(number)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (least, least))


def _no_new_privileges() -> None:
    _called(_libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")


def _drop_capabilities() -> None:
    libc = _libc()
    libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(_CAPABILITIES):
        # EPERM: there are none to drop. EINVAL: the kernel has fewer.
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _called(libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def _restrict(
    abi: int,
    *,
    writable: Sequence[str],
    readable: Sequence[str],
    executable: Sequence[str],
    signals: bool,
    connects: Sequence[int] | None,
) -> None:
    libc = _libc()
    handled = (1 << 13) - 1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        handled |= right if abi >= since else 0
    # The kernel takes a shorter structure where it knows fewer fields.
    fields = [
        handled,
        *([_BIND_TCP | (0 if connects is None else _CONNECT_TCP)] if abi >= 4 else []),
        *([_ABSTRACT_SOCKETS | (0 if signals else _SIGNALS)] if abi >= 6 else []),
    ]
    attributes = (ctypes.c_uint64 * len(fields))(*fields)
    ruleset = _called(
        libc.syscall(
            _CREATE_RULESET,
            attributes,
            ctypes.c_size_t(ctypes.sizeof(attributes)),
            ctypes.c_uint32(0),
        ),
        "landlock",
    )
    try:
        rules = [
            *(
                (path, handled & ~(_MAKE_CHAR | _MAKE_BLOCK | _IOCTL_DEV | _EXECUTE))
                for path in writable
            ),
            *((path, handled & _READ) for path in (*readable, *SYSTEM_READABLE)),
            *((path, handled & (_READ | _EXECUTE)) for path in (*executable, *_loaders())),
            *((path, handled & (_READ_FILE | _WRITE_FILE | _TRUNCATE)) for path in _DEVICES),
        ]
        for path, rights in rules:
            _allow(libc, ruleset, path, rights)
        for port in connects or () if abi >= 4 else ():
            _allow_port(libc, ruleset, port)
        _called(libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)), "landlock")
    finally:
        os.close(ruleset)


def _filter() -> bytes:
    """The program that the kernel runs for each system call. Raises OSError on a
    machine whose calls are not known."""
    machine = os.uname().machine
    if machine not in _NOT_ALONE:
        raise OSError(0, f"no filter of system calls is known for {machine}")
    name, calls = _NOT_ALONE[machine]
    refused = (*calls, *_ANYWHERE)
    lines = [
        (_LOAD_WORD, 0, 0, _MACHINE_AT),
        (_JUMP_EQUAL, 1, 0, name),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD_WORD, 0, 0, _NUMBER_AT),
        (_JUMP_AT_LEAST, len(refused) + 1, 0, _X32),
        # A jump counts the lines that it leaves out, to the last one.
        *((_JUMP_EQUAL, len(refused) - at, 0, call) for at, call in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _KILL_PROCESS),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def _seclude() -> None:
    """No sockets and no other processes from now on. Needs `_no_new_privileges`."""
    program = _filter()
    lines = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_void_p))

    told = Program(len(program) // 8, ctypes.addressof(lines))
    _called(_libc().prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(told), 0, 0), "seccomp")


def _loaders() -> Iterator[str]:
    for pattern in _LOADERS:
        yield from glob.glob(pattern)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        of = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # What is not there needs no rule.
        return
    try:
        if not stat.S_ISDIR(os.fstat(of).st_mode):
            rights &= _OF_FILES
        rule = rights.to_bytes(8, sys.byteorder) + of.to_bytes(4, sys.byteorder)
        _called(
            libc.syscall(
                _ADD_RULE,
                ctypes.c_int(ruleset),
                ctypes.c_int(_RULE_PATH_BENEATH),
                rule,
                ctypes.c_uint32(0),
            ),
            f"landlock: {path}",
        )
    finally:
        os.close(of)


def _allow_port(libc: ctypes.CDLL, ruleset: int, port: int) -> None:
    rule = _CONNECT_TCP.to_bytes(8, sys.byteorder) + port.to_bytes(8, sys.byteorder)
    _called(
        libc.syscall(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_RULE_NET_PORT),
            rule,
            ctypes.c_uint32(0),
        ),
        f"landlock: port {port}",
    )


def main(arguments: Sequence[str]) -> int:
    """Confine this process and become the program `arguments[1:]`; returns only if that
    fails."""
    told = json.loads(arguments[0])
    program = list(arguments[1:])
    try:
        os.umask(0o077)
        _limit(told["limits"])
        _no_new_privileges()
        _drop_capabilities()
        abi = landlock_abi()
        if abi:
            _restrict(
                abi,
                writable=told["writable"],
                readable=told["readable"],
                executable=told["executable"],
                signals=told["signals"],
                connects=told["connects"],
            )
        elif told["required"]:
            raise OSError(0, "this kernel has no Landlock, and it is required")
        if told["alone"]:
            _seclude()
        os.execvp(program[0], program)  # noqa: S606  # no shell is what we want
    except OSError as error:
        os.write(2, f"{program[0]} was not started confined: {error.strerror}\n".encode())
    return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
