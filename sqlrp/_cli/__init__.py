"""The command line `sqlrp`.

`app` is the group of commands. `options` has the options that several commands share, `databases` opens databases, and
`files` writes results.
"""

import signal
import sys
from typing import Any, NoReturn

from sqlrp._startup import interrupts, quit_at_once


def main() -> None:
    """Run the command line."""
    from sqlrp._cli.app import cli  # here, as Ctrl-C during the import is one line already

    signal.signal(signal.SIGTERM, _end)
    interrupts(signal.default_int_handler)
    try:
        cli.main(prog_name="sqlrp")
    except KeyboardInterrupt:
        quit_at_once(signal.SIGINT, None)
    finally:
        interrupts(quit_at_once)


def _end(number: int, frame: Any) -> NoReturn:
    """Exit, and run all clean-ups. The exit code for a signal is 128 + number, as in a shell."""
    sys.exit(128 + number)
