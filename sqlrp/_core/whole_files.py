"""Write files completely or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlrp._core.errors import ParameterError, SourceError


def check_place(path: Path) -> None:
    """Raise SourceError if a file cannot be written there: no folder, a folder of that name, a device, a bad name."""
    try:
        there = path.stat()
    except FileNotFoundError:
        parent = resolved(path).parent
        if not parent.is_dir():
            raise SourceError(f"there is no folder {str(parent)!r}: make it first") from None
        return
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise cannot_write(path, error) from error
    if stat.S_ISDIR(there.st_mode):
        raise SourceError(f"{str(path)!r} is a folder: name a file in it")
    if not stat.S_ISREG(there.st_mode):
        raise SourceError(f"{str(path)!r} is a device, a pipe or a socket: name a file")


def check_apart(path: Path, read: Iterable[str | Path], also: Iterable[Path] = ()) -> None:
    """Raise ParameterError if a file to write is also a file of `read`, or of `also`, which are written too.

    Links and other spellings of a path are the same file.
    """
    for twin in also:
        if resolved(path) == resolved(twin) or _is_one(path, twin):
            raise ParameterError(f"{str(path)!r} and {str(twin)!r} are one file: name two files to write")
    for other in read:
        if _is_one(path, other):
            shown = "" if str(path) == str(other) else f", as {str(other)!r}"
            raise ParameterError(f"{str(path)!r} is read{shown}, and would be lost: name another file to write")


def _is_one(path: Path, other: str | Path) -> bool:
    """Whether two paths lead to one file, which exists."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):  # one of them is no path: what it is for will say so
        return False


def resolved(path: Path) -> Path:
    """The absolute path, with links followed; raises SourceError for a path that the system refuses."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError | ValueError) -> SourceError:
    """The error for a file that cannot be written, with the system's reason."""
    return SourceError(f"{str(path)!r} cannot be written: {getattr(error, 'strerror', None) or error}")


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """Yield the path of a new file in a new folder next to `path`; at the end the new file replaces `path`.

    The caller makes the file (or a folder), and may put other files next to it. The new file gets the mode and owner
    of the old one, and a link stays a link. The data is on the disk before the name is, so a crash leaves the old file
    or the new one. After an error the folder is removed. A killed process leaves the folder, but never half a file
    under the name. Raises SourceError if the file cannot be written.
    """
    target = resolved(path)
    try:
        folder = Path(tempfile.mkdtemp(prefix=".sqlrp_", dir=target.parent))
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        made = folder / target.name
        yield made
        replace(made, target)
    except OSError as error:
        if error.filename is not None and str(folder) not in str(error.filename):
            raise  # about another file
        raise cannot_write(path, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replace(made: Path, target: Path) -> None:
    """Replace `target` by a file, or a folder of files, with the mode and owner of the old one."""
    for file in sorted(made.iterdir()) if made.is_dir() else ():
        with _synced(file):
            pass
    with _synced(made):  # opened before the mode changes, as that may forbid reading
        keep_rights(made, target)
    os.replace(made, target)
    _sync_names(target.parent)


def keep_rights(made: Path, target: Path) -> None:
    """Give a new file the mode and, if the system allows it, the owner and group of the file that it replaces."""
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    new, mode = made.stat(), stat.S_IMODE(old.st_mode)
    if old.st_gid != new.st_gid:
        try:
            os.chown(made, -1, old.st_gid)
        except PermissionError:
            mode = mode & ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3  # our group gets what everyone has
    if old.st_uid != new.st_uid:
        try:
            os.chown(made, old.st_uid, -1)
        except PermissionError:
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.chmod(made, mode)


@contextmanager
def _synced(path: Path) -> Iterator[None]:
    """Open a file or folder, and wait after the body until it is on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        yield
        os.fsync(number)
    finally:
        os.close(number)


def _sync_names(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, if the system can sync the folder and we may read it."""
    try:
        with _synced(folder):
            pass
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES):
            raise
