"""Ctrl-C while the command `sqlrp` still imports: one line and exit code 130, as later. Imported before all else."""

import os
import signal
import sys
from typing import Any


def is_command() -> bool:
    """Whether this process is the command, as `sqlrp` or as `python -m sqlrp`, and not a program that imports sqlrp."""
    if sys.argv[:1] != ["-m"]:  # `python -m` sets it so while it looks for the module
        return os.path.basename(sys.argv[0] if sys.argv else "") == "sqlrp"
    given = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    return any(word in ("sqlrp", "sqlrp._cli", "-msqlrp", "-msqlrp._cli") for word in given[-2:])


def quit_at_once(number: int, frame: Any) -> None:
    """End the process: nothing has been begun that would have to be cleaned up."""
    os.write(2, b"sqlrp: interrupted\n")
    os._exit(130)


def interrupts(handler: Any) -> None:
    """Let `handler` take Ctrl-C, unless it is ignored, as in a shell's background."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


if is_command():
    interrupts(quit_at_once)
