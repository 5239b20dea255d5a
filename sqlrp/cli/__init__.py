"""The command line: `sqlrp`, of the extra `sqlrp[cli]`.

`app` is the group of commands and lists them; `options` what several of them take; `databases` opens what they
name; `files` writes what comes out.
"""

import signal
import sys
from typing import Any, NoReturn


def main() -> None:
    """Run the command line; without its packages, say in one line how to get them."""
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ImportError as error:
        sys.exit(f"sqlrp: the command line needs {error.name}: pip install 'sqlrp[cli]'")
    from sqlrp.cli.app import cli

    signal.signal(signal.SIGTERM, _end)
    cli.main(prog_name="sqlrp")


def _end(number: int, frame: Any) -> NoReturn:
    """Leave by way of what cleans up; 128 + number is the shell's code for a signal."""
    sys.exit(128 + number)
