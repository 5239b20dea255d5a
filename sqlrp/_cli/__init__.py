"""The command line `sqlrp`, which needs the extra `cli`.

`app` is the group of commands. `options` has the options that several commands share, `databases` opens databases, and
`files` writes results.
"""

import signal
import sys
from typing import Any, NoReturn

from sqlrp._core.extras import needs
from sqlrp._starting import interrupts, quit_at_once


def main() -> None:
    """Run the command line. If its packages are missing, say in one line how to install them."""
    try:
        import click  # noqa: F401
        import cloup  # noqa: F401
        import rich  # noqa: F401
    except ImportError as error:
        sys.exit(f"sqlrp: {needs('the command line', error.name or 'click', 'cli')}")
    from sqlrp._cli.app import cli

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
