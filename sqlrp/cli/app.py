"""`sqlrp`: the group of commands, and how it prints errors.

A command is imported when it is called, so that help, completion and a wrong command answer at once.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from sqlrp.core.errors import ParameterError, SqlrpError, SqlrpWarning, one_line, printable
from sqlrp.core.passwords import scrubbed
from sqlrp.core.version import VERSION

_USAGE, _FAILED, _INTERRUPTED = 2, 1, 130
_NOTABLE = 1.0
"""The seconds of compiling from which a command says them."""

_TABLE: dict[str, tuple[str, str]] = {
    "project": ("projecting.project", "Project a file or a table, into a file or a table."),
    "sql": ("projecting.sql", "Print the SQL that projects."),
    "explain": ("projecting.explain", "Show which SQL would run, and why."),
    "diagnose": ("measuring.diagnose", "Measure how well a projection keeps distances and neighbours."),
    "report": ("measuring.report", "Write a report on a projection: SQL, measures, plots, advice."),
    "learn": ("learning.learn", "Learn a linear model from the projected rows."),
    "choose": ("learning.choose", "Compare projections by the score of a linear model on their components."),
    "fit": ("keeping.fit", "Fit a projection to data, and save it."),
    "export": ("projecting.export", "Write the SQL to files, for another engine."),
    "dbt": ("projecting.dbt", "Write a model and its macro into a dbt project."),
    "install": ("keeping.install", "Install SQL functions into a database."),
    "refresh": ("keeping.refresh", "Update a table that --into made."),
    "list": ("keeping.list_", "List the projections, models and tables that a database keeps."),
    "check": ("keeping.check", "Find errors in stored projections and tables."),
    "methods": ("listing.methods", "List the methods and their parameters."),
    "completion": ("listing.completion", "Print a completion script for your shell."),
}
"""Every command in the order of the help: its function in a module of `sqlrp.cli`, and its line in the help."""


def command_named(name: str) -> click.Command | None:
    """The command of that name, imported; None if there is none."""
    if name not in _TABLE:
        return None
    place, about = _TABLE[name]
    module, function = place.split(".")
    found: click.Command = getattr(import_module(f"sqlrp.cli.{module}"), function)
    found.short_help = about
    return found


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
        return list(_TABLE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_named(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _TABLE.items()])

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        with _interruptible():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _interruptible(), _warnings_as_lines():
            done = super().invoke(ctx)
        backend = sys.modules.get("sqlrp.evaluator.backend")  # importing it here would take longer than most commands
        seconds, said = (0.0, "") if backend is None else backend.compiled()
        if seconds >= _NOTABLE:
            click.echo(f"sqlrp: {said}", err=True)
        return done

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
            return _as_options(str(error)), _USAGE
        case SqlrpError() | ImportError():
            return _as_options(str(error)), _FAILED
        case UnicodeEncodeError():
            return "an argument holds bytes that are not UTF-8: rename the file or table", _USAGE
        case OSError(strerror=str(words), filename=path):
            return f"{path}: {words}" if path else words, _FAILED
    if _is_database_s(error):
        return one_line(str(getattr(error, "orig", None) or error)), _FAILED
    return f"unexpected {type(error).__name__}: {error} (SQLRP_TRACEBACK=1 shows where)", _FAILED


def _as_options(words: str) -> str:
    """A message of sqlrp with options in place of arguments, where it names a remedy in Python."""
    return words.replace("name the key column, or key None for", "name it by --key, or give --no-key for")


def _is_database_s(error: Exception) -> bool:
    """Whether DuckDB or SQLAlchemy raised the error; a module that is not imported raised none."""
    duckdb, sqlalchemy = sys.modules.get("duckdb"), sys.modules.get("sqlalchemy.exc")
    return (duckdb is not None and isinstance(error, duckdb.Error)) or (
        sqlalchemy is not None and isinstance(error, sqlalchemy.SQLAlchemyError)
    )


cli = _Cli(
    "sqlrp",
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
