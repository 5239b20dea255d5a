"""The command line: `sqlrp`, of the extra `sqlrp[cli]`.

`app` is the group of commands and lists them; `options` what several of them take; `databases` opens what they
name; `files` writes what comes out.
"""

import signal
import sys
from typing import Any, NoReturn

from sqlrp._starting import interrupts, quit_at_once
from sqlrp.core.extras import needs


def main() -> None:
    """Run the command line; without its packages, say in one line how to get them."""
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ImportError as error:
        sys.exit(f"sqlrp: {needs('the command line', error.name or 'click', 'cli')}")
    from sqlrp.cli.app import cli

    signal.signal(signal.SIGTERM, _end)
    interrupts(signal.default_int_handler)
    try:
        cli.main(prog_name="sqlrp")
    except KeyboardInterrupt:
        quit_at_once(signal.SIGINT, None)
    finally:
        interrupts(quit_at_once)


def _end(number: int, frame: Any) -> NoReturn:
    """Leave by way of what cleans up; 128 + number is the shell's code for a signal."""
    sys.exit(128 + number)
