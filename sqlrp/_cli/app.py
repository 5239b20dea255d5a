"""`sqlrp`: the group of commands, and how it prints errors.

A command is imported when it is called, so that help, completion and a wrong command answer at once.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

import click

from sqlrp._cli.remedies import CALLED, as_options
from sqlrp._cli.screen import say
from sqlrp._core.errors import ParameterError, SqlrpError, SqlrpWarning, nearest, one_line, printable
from sqlrp._core.interruption import interruptible
from sqlrp._core.passwords import scrubbed
from sqlrp._core.version import VERSION

_USAGE, _FAILED, _INTERRUPTED, _CLOSED = 2, 1, 130, 141

_TABLE: dict[str, tuple[str, str]] = {
    "project": ("project_command.project", "Project a file or a table, into a file or a table."),
    "sql": ("text.sql", "Print the SQL that projects."),
    "explain": ("text.explain", "Show which SQL would run, and why."),
    "diagnose": ("measure_commands.diagnose", "Measure how well a projection keeps distances and neighbours."),
    "report": ("measure_commands.report", "Write a report on a projection: SQL, measures, plots, advice."),
    "codes": ("measure_commands.codes", "Compare ways to store embeddings for a search: bytes, recall, time."),
    "neighbours": ("near_commands.neighbours", "Find the rows that are nearest to each row of a kept table."),
    "clusters": ("near_commands.clusters", "Group rows by their near pairs, such as duplicates."),
    "learn": ("learn_commands.learn", "Learn a linear model from the projected rows."),
    "choose": ("learn_commands.choose", "Compare projections by the score of a linear model on their components."),
    "kmeans": ("learn_commands.kmeans", "Find clusters of the rows by k-means on their components."),
    "drift": ("drift_command.drift", "Test whether rows are still like earlier ones."),
    "fit": ("keep_commands.fit", "Fit a projection to data, and save it."),
    "export": ("text.export", "Write the SQL to files, for another engine."),
    "dbt": ("text.dbt", "Write a model and its macro into a dbt project."),
    "install": ("keep_commands.install", "Install SQL functions into a database."),
    "refresh": ("keep_commands.refresh", "Update a table that --into made."),
    "list": ("keep_commands.list_", "List the projections, models and tables that a database keeps."),
    "check": ("keep_commands.check", "Find errors in stored projections and tables."),
    "methods": ("help_commands.methods", "List the methods and their parameters."),
    "doctor": ("doctor.doctor", "Show versions, extras, engines that can be reached, and folders."),
    "probe": ("probe.probe", "Write the answers of an engine that sqlrp does not know to a file."),
    "completion": ("help_commands.completion", "Print a completion script for your shell."),
}
"""Every command in the order of the help: its function in a module of `sqlrp._cli`, and its line in the help."""


def command_named(name: str) -> click.Command | None:
    """The command of that name, imported; None if there is none."""
    if name not in _TABLE:
        return None
    place, about = _TABLE[name]
    module, function = place.split(".")
    found: click.Command = getattr(import_module(f"sqlrp._cli.{module}"), function)
    found.short_help = about
    return found


class _Interruption(click.ClickException):
    exit_code = _INTERRUPTED


@contextmanager
def _warnings_as_lines(ctx: click.Context) -> Iterator[None]:
    """Print each of sqlrp's warnings once, as one line without file name and line number."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", SqlrpWarning)
        others, told = warnings.showwarning, set()

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, SqlrpWarning):
                words = as_options(str(message), ctx.meta.get(CALLED, ctx.command))
                if words not in told:
                    say(f"sqlrp: warning: {words}")
                told.add(words)
            else:
                others(message, category, *place, **more)

        warnings.showwarning = show
        yield


@contextmanager
def _interruptible() -> Iterator[None]:
    """Turn Ctrl-C into an error of one line. click would print an empty line too."""
    try:
        with interruptible():
            yield
    except KeyboardInterrupt as error:
        raise _Interruption("interrupted") from error


@contextmanager
def _closable() -> Iterator[None]:
    """End without a word if the reader of the output closed it, as `head` does, with a shell's code for that."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        with suppress(
            OSError, ValueError
        ):  # what is left in the buffer has no reader: Python would complain at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(_CLOSED) from error


class _Cli(click.Group):
    """The commands in the order above. Every error is one line without passwords."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_TABLE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_named(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and args[0] not in _TABLE and not args[0].startswith("-"):
            ctx.fail(f"{args[0]!r} is no command{nearest(args[0], _TABLE)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _TABLE.items()])

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        with _interruptible():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _interruptible(), _closable(), _warnings_as_lines(ctx):
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
            words = words.removeprefix("sqlrp: ")  # a text in SQL that failed names who wrote it
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
    if _is_database_s(error):
        return one_line(str(getattr(error, "orig", None) or error)), _FAILED
    return f"unexpected {type(error).__name__}: {error} (SQLRP_TRACEBACK=1 shows where)", _FAILED


def _is_database_s(error: Exception) -> bool:
    """Whether DuckDB or SQLAlchemy raised the error; a module that is not imported raised none."""
    duckdb, sqlalchemy = sys.modules.get("duckdb"), sys.modules.get("sqlalchemy.exc")
    return (duckdb is not None and isinstance(error, duckdb.Error)) or (
        sqlalchemy is not None and isinstance(error, sqlalchemy.SQLAlchemyError)
    )


cli = _Cli(
    "sqlrp",
    no_args_is_help=True,
    context_settings={"max_content_width": 110, "help_option_names": ["-h", "--help"]},
    help="""Random projections and polynomial-kernel features as SQL, inside the database that holds the data.

    \b
    Examples:
      sqlrp project images.parquet -o small.parquet --method pk -k 256 --keep label
      cat images.csv | sqlrp project - -k 8 -o - | head -3
      sqlrp diagnose images.parquet --method pk -k 256 --keep label
      sqlrp sql images --features p0,p1 -k 2 --dialect snowflake

    \b
    A database is a DuckDB file, or a URL of PostgreSQL, MariaDB or SQLite. SQLRP_DB sets a default.
    Exit codes: 0 done, 1 an error of the data or the database, 2 a wrong command, 130 interrupted,
    141 the reader of a pipe closed it.
    """,
)
click.version_option(VERSION, prog_name="sqlrp")(cli)
