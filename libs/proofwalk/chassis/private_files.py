"""Files and folders that their owner alone may read: state, databases and blobs hold
documents, screenshots and leases.

What is made here has mode 0600 or 0700 whatever the process's umask, and from its first
moment. What is there from before is tightened when it is opened: a folder that others
could enter with everything in it, once. What belongs to another user (the root of a
mounted volume) is left as it is, which the log says; what is made in it is private
nevertheless.

SQLite gives its `-wal`, `-shm` and `-journal` the mode of the database's file, so that
the file's is what has to be right.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import structlog

FILE, FOLDER = 0o600, 0o700
_OTHERS = 0o077
_SIDES = ("", "-wal", "-shm", "-journal")
log = structlog.get_logger()


def private_folder(path: Path) -> None:
    """A folder of mode 0700; parents that are missing are made like it. Blocks. Raises
    OSError where it cannot be made."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=FOLDER, exist_ok=True)
        # Once more: a umask may have taken the owner's own rights.
        one.chmod(FOLDER)
    if not missing and path.stat().st_mode & _OTHERS:
        _tighten_all(path)


def private_database(path: Path) -> None:
    """A SQLite database's file of mode 0600, made empty if there is none, with what
    lies beside it. Blocks. A place where it cannot be made is told when it is
    opened."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE))
        path.chmod(FILE)
    except FileExistsError:
        for side in _SIDES:
            _tighten(path.with_name(path.name + side))
    except OSError as error:
        log.info("database_not_made", path=str(path), reason=error.strerror)


def _tighten_all(root: Path) -> None:
    if not _tighten(root):
        return
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            _tighten(Path(folder, name))
    log.info("files_made_private", path=str(root))


def _tighten(path: Path) -> bool:
    """Take others' rights; the owner's stay. False where it is not there, or somebody
    else's."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            return False
        if found.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
    except FileNotFoundError:
        return False
    except PermissionError:
        log.info("not_made_private", path=str(path), reason="it belongs to another user")
        return False
    return True
