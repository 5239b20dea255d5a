"""`sqlrp`: the group of commands, and how it prints errors."""

from __future__ import annotations

import inspect
import json
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
import duckdb
import sqlalchemy as sa
from click.shell_completion import get_completion_class

from sqlrp.cli.keeping import check, fit, install, list_, print_table, refresh
from sqlrp.cli.measuring import diagnose, report
from sqlrp.cli.options import JSON, METHODS, Command, flag, parameters
from sqlrp.cli.options import shown as shown_value
from sqlrp.cli.projecting import dbt, explain, export, project, sql
from sqlrp.core.errors import ParameterError, SqlrpError, SqlrpWarning, one_line, printable
from sqlrp.core.passwords import scrubbed
from sqlrp.core.version import VERSION

_USAGE, _FAILED, _INTERRUPTED = 2, 1, 130


@click.command(
    cls=Command,
    short_help="List the methods and their parameters.",
    examples="""
sqlrp methods
sqlrp methods pk
""",
)
@click.argument("method", required=False, type=click.Choice(list(METHODS)), metavar="[METHOD]")
@JSON
def methods(method: str | None, as_json: bool) -> None:
    """List the methods, or describe one method and its parameters with their defaults."""
    chosen = {method: METHODS[method]} if method else METHODS
    if as_json:
        found = [
            {"method": name, "class": cls.__name__, "parameters": parameters(cls), "about": inspect.getdoc(cls)}
            for name, cls in chosen.items()
        ]
        click.echo(json.dumps(found))
    elif method:
        cls = METHODS[method]
        click.echo(f"{method}: {cls.__name__}\n\n{inspect.getdoc(cls)}\n")
        width = max(len(flag(name)) for name in parameters(cls))
        for name, default in parameters(cls).items():
            click.echo(f"  {flag(name):<{width}}  {cls.help_by_parameter().get(name, '')}  [{shown_value(default)}]")
    else:
        rows = [
            {
                "method": name,
                "class": cls.__name__,
                "parameters": " ".join(f"{flag(p)} {shown_value(d)}" for p, d in parameters(cls).items()),
            }
            for name, cls in METHODS.items()
        ]
        print_table("Methods", rows)


@click.command(
    cls=Command,
    short_help="Print a completion script for your shell.",
    examples="""
echo 'eval "$(sqlrp completion bash)"' >> ~/.bashrc
echo 'eval "$(sqlrp completion zsh)"' >> ~/.zshrc
sqlrp completion fish > ~/.config/fish/completions/sqlrp.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script with which a shell completes commands, options, methods and files."""
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(cli, {}, "sqlrp", "_SQLRP_COMPLETE").source())


COMMANDS: tuple[click.Command, ...] = (
    project,
    sql,
    explain,
    diagnose,
    report,
    fit,
    export,
    dbt,
    install,
    refresh,
    list_,
    check,
    methods,
    completion,
)
"""Every command, in the order of the help."""


class _Interrupted(click.ClickException):
    exit_code = _INTERRUPTED


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print each of sqlrp's warnings once, as one line without file name and line number."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", SqlrpWarning)
        others, told = warnings.showwarning, set()

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, SqlrpWarning):
                if str(message) not in told:
                    click.echo(f"sqlrp: warning: {message}", err=True)
                told.add(str(message))
            else:
                others(message, category, *place, **more)

        warnings.showwarning = show
        yield


@contextmanager
def _interruptible() -> Iterator[None]:
    """Turn Ctrl-C into an error of one line. click would print an empty line too."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise _Interrupted("interrupted") from error


class _Cli(click.Group):
    """The commands in the order above. Every error is one line without passwords."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        with _interruptible():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _interruptible(), _warnings_as_lines():
            return super().invoke(ctx)

    def main(  # type: ignore[override]  # one signature for its two
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        try:
            "".join(arguments).encode()  # DuckDB and JSON accept UTF-8 only, so fail before any work is done
            code = super().main(arguments, prog_name or "sqlrp", **(extra | {"standalone_mode": False}))
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(_USAGE)
        except Exception as error:
            secrets = [*arguments, os.environ.get("SQLRP_DB", "")]
            if os.environ.get("SQLRP_TRACEBACK"):
                click.echo(scrubbed("".join(traceback.format_exception(error)), secrets), err=True, nl=False)
            words, code = _told(error)
            click.echo(f"sqlrp: {scrubbed(printable(' '.join(words.split())), secrets)}", err=True)
        sys.exit(code if isinstance(code, int) else 0)


def _told(error: Exception) -> tuple[str, int]:  # noqa: PLR0911  # one line per kind of error
    """The message of an error, and the exit code."""
    match error:
        case click.UsageError():
            command = error.ctx.command_path if error.ctx else "sqlrp"
            return f"{error.format_message().rstrip('.')} (see {command} --help)", _USAGE
        case click.ClickException():
            return error.format_message(), error.exit_code
        case click.Abort():
            return "interrupted", _INTERRUPTED
        case ParameterError():
            return str(error), _USAGE
        case SqlrpError() | ImportError():
            return str(error), _FAILED
        case UnicodeEncodeError():
            return "an argument holds bytes that are not UTF-8: rename the file or table", _USAGE
        case OSError(strerror=str(words), filename=path):
            return f"{path}: {words}" if path else words, _FAILED
        case duckdb.Error() | sa.exc.SQLAlchemyError():
            return one_line(str(getattr(error, "orig", None) or error)), _FAILED
    return f"unexpected {type(error).__name__}: {error} (SQLRP_TRACEBACK=1 shows where)", _FAILED


cli = _Cli(
    "sqlrp",
    commands=list(COMMANDS),
    no_args_is_help=True,
    context_settings={"max_content_width": 110},
    help="""Random projections and polynomial-kernel features as SQL, inside the database that holds the data.

    \b
    Examples:
      sqlrp project images.parquet -o small.parquet --method pk -k 256 --keep label
      sqlrp diagnose images.parquet --method pk -k 256 --keep label
      sqlrp sql images --features p0,p1 -k 2 --dialect snowflake

    \b
    A database is a DuckDB file, or a URL of PostgreSQL, MariaDB or SQLite. SQLRP_DB sets a default.
    Exit codes: 0 done, 1 an error of the data or the database, 2 a wrong command, 130 interrupted.
    """,
)
click.version_option(VERSION, prog_name="sqlrp")(cli)
