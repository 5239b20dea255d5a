"""Options that several commands share: a method with its parameters, a source, the shape of the result."""

from __future__ import annotations

import csv
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

from sqlrp._cli.pipes import STDOUT
from sqlrp._cli.remedies import CALLED, as_options
from sqlrp._core.errors import SourceError, SqlrpError, nearest
from sqlrp._core.options import Dtype, Nulls
from sqlrp._core.sources import OUTPUTS, Output, Source
from sqlrp._core.whole_files import check_apart
from sqlrp._projections import REGISTRY, Projection, from_json
from sqlrp._projections.supervised import Supervised
from sqlrp._store.catalogue import load
from sqlrp._store.functions import as_asked

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


# -- help in sections ------------------------------------------------------------------------------------


_NAMES = 22  # characters for an option's names in the help; a longer one has a line of its own


class _Option(click.Option):
    """An option with the section of the help where it stands."""

    def __init__(self, *args: Any, section: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.section = section


class Command(click.Command):
    """A command whose help shows its options in sections, and its examples unwrapped."""

    def __init__(self, *args: Any, examples: str = "", **attributes: Any) -> None:
        """`examples` are shell commands, one per line."""
        super().__init__(*args, **attributes)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section in the order of its first option, and the options without a section last."""
        sections: dict[str, list[tuple[str, str]]] = {}
        others: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if line is not None:
                (sections.setdefault(parameter.section, []) if isinstance(parameter, _Option) else others).append(line)
        for title, lines in (*sections.items(), ("Other options" if sections else "Options", others)):
            with formatter.section(title):
                formatter.write_dl(lines, col_max=_NAMES)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Its errors name options, not arguments in Python."""
        ctx.meta[CALLED] = self
        try:
            return super().invoke(ctx)
        except SqlrpError as error:
            error.args = (as_options(str(error), self), *error.args[1:])
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, unwrapped."""
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples.strip().splitlines():
                    formatter.write(f"  {line}\n")


def option(*names: str, section: str = "Options", **attributes: Any) -> Decorator:
    """An option in a section of the help."""
    return click.option(*names, cls=_Option, section=section, **attributes)


class Named(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """A choice of names. `told` maps another name to one of them, or returns the remedy for it."""

    def __init__(self, names: Iterable[str], told: Callable[[str], tuple[str, str]]) -> None:
        """`told` returns the name that is meant, or else a remedy; both may be empty."""
        super().__init__(list(names))
        self.told = told

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name; fails with the remedy for a name that belongs elsewhere."""
        if value not in self.choices:
            known, remedy = self.told(str(value))
            if remedy:
                self.fail(remedy, param, ctx)
            value = known or value
            if not known and nearest(str(value), self.choices):
                self.fail(f"{value!r} is unknown{nearest(str(value), self.choices)}", param, ctx)
        return super().convert(value, param, ctx)


def taking(*decorators: Decorator) -> Decorator:
    """Several decorators as one; the first comes first in the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def gathered(name: str, kind: type, *decorators: Decorator) -> Decorator:
    """Options that a command takes as one value, `name`, of the dataclass `kind`, which has a field for each."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(**given: Any) -> Any:
            own = {field.name: given.pop(field.name) for field in fields(kind) if field.name in given}
            return function(**given, **{name: kind(**own)})

        return taking(*decorators)(call)

    return decorate


class Written(click.Path):
    """The path of a file that the command writes. It must be no file that the command reads."""


_WRITTEN = "sqlrp.written"


def will_write(paths: Iterable[Path]) -> None:
    """Tell `check_written` of files that the current command writes besides those that its options name."""
    click.get_current_context().meta[_WRITTEN] = list(paths)


def check_written(read: Callable[[], Iterable[str | Path]]) -> None:
    """Raise ParameterError if a file that the current command writes is one that it reads, or writes twice.

    Those of the command's options are known here; `read` lists the others, and is called only if a file is there.
    """
    context = click.get_current_context()
    values = [(p.type, context.params.get(p.name or "")) for p in context.command.params]
    paths = [
        (kind, Path(v))
        for kind, v in values
        if isinstance(kind, click.Path) and isinstance(v, (str, Path)) and str(v) not in STDOUT
    ]
    written = [path for kind, path in paths if isinstance(kind, Written)] + context.meta.get(_WRITTEN, [])
    options = [path for kind, path in paths if not isinstance(kind, Written)]
    for at, path in enumerate(written):
        check_apart(path, [*options, *read()] if path.exists() else [], written[:at])


# -- the method ------------------------------------------------------------------------------------------


DRAWN: dict[str, type[Projection]] = {cls.command(): cls for cls in REGISTRY if not cls.needs_state}
"""The methods that need no data before they project."""

FITTED: dict[str, type[Projection]] = {
    cls.command(): cls for cls in REGISTRY if cls.learns or issubclass(cls, Supervised)
}
"""The methods that `sqlrp fit` fits."""

METHODS = {**DRAWN, **FITTED}
"""Every method by its name on the command line, except those with given weights, which are only loaded."""


def parameters(cls: type[Projection]) -> dict[str, Any]:
    """The parameters that a user gives, with their defaults."""
    return {f.name: f.default for f in fields(cls) if f.name not in ("bound_to", "state")}


PARAMETERS = {name for cls in METHODS.values() for name in parameters(cls)}
"""Every parameter of a method, which is an option."""


def flag(name: str) -> str:
    """A parameter as an option: -k, --degree."""
    return f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"


def number_or_text(text: str) -> int | float | str:
    """A number if the text is one, otherwise the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _kind(cls: type[Projection], name: str) -> Any:
    """The type that reads a parameter's text, from its annotation."""
    hint = get_type_hints(cls)[name]
    kinds = set(get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)) - {type(None)}
    return number_or_text if len(kinds) > 1 else kinds.pop()


def shown(value: object) -> str:
    """A default as the help shows it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


_method = partial(option, section="Method")


def _parameter_options(methods: Mapping[str, type[Projection]]) -> list[Decorator]:
    owners: dict[str, dict[str, Any]] = {}
    for method, cls in methods.items():
        for name, default in parameters(cls).items():
            owners.setdefault(name, {})[method] = default
    made = []
    for name, defaults in owners.items():
        kind = _kind(methods[next(iter(defaults))], name)
        whose = "" if len(defaults) == len(methods) else f" ({', '.join(defaults)})"
        values = list(dict.fromkeys(map(shown, defaults.values())))
        words = "; or ".join(dict.fromkeys(methods[m].help_by_parameter().get(name, "") for m in defaults))
        text = f"{words}{whose}" + (f"  [{' or '.join(values)}]" if values != ["none"] else "")
        spelt = f"{flag(name)}/--no-{flag(name)[2:]}" if kind is bool else flag(name)
        metavars = {int: "INTEGER", float: "NUMBER", str: "TEXT"}
        attributes = {} if kind is bool else {"type": kind, "metavar": metavars.get(kind, "NUMBER|TEXT")}
        made.append(_method(spelt, name, default=None, help=text, **attributes))
    return made


@dataclass(frozen=True)
class Method:
    """The projection that the options ask for."""

    method: str
    given: dict[str, Any]
    """the parameters that are given, by name"""
    saved: str | None = None
    fitted: str | None = None

    def projection(self, connection: Any = None) -> Projection:
        """Build it, read it from a file or load it by name. Raises UsageError for options that exclude each other."""
        saved, fitted, given = self.saved, self.fitted, self.given
        if saved or fitted:
            from_line = click.get_current_context().get_parameter_source("method") is ParameterSource.COMMANDLINE
            if given or from_line or (saved and fitted):
                first = "--saved" if saved else "--fitted"
                others = [*map(flag, given), *["--method"] * from_line, *["--fitted"] * bool(saved and fitted)]
                raise click.UsageError(f"{first} names a whole projection: leave out {', '.join(others)}")
            return load(connection, saved) if saved else _fitted(Path(str(fitted)))
        cls = METHODS[self.method]
        known = parameters(cls)
        for name in given:
            if name not in known:
                raise click.UsageError(
                    f"{flag(name)} is no parameter of {self.method}: it takes {', '.join(map(flag, known))}"
                )
        return cls(**given)


def _fitted(path: Path) -> Projection:
    """The projection in a file; raises SourceError if the file is not text."""
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise SourceError(f"{str(path)!r} is not a fitted projection: name a file that `sqlrp fit -o` wrote") from error


def _told(methods: Mapping[str, type[Projection]]) -> Callable[[str], tuple[str, str]]:
    """For `Named`: what another name of a method means, or in which command a method belongs."""

    def told(name: str) -> tuple[str, str]:
        known = next((own for own, cls in METHODS.items() if name in (own, *cls.also)), "")
        if known in methods or not known:
            return known, ""
        if known in FITTED:
            fitted = f"`sqlrp fit SOURCE -o {name}.json --method {name}`"
            return "", f"{name!r} learns from data: run {fitted}, then give --fitted {name}.json instead of --method"
        return "", f"{name!r} learns nothing from data: give it to `sqlrp project --method {name}`"

    return told


def method_options(methods: Mapping[str, type[Projection]], default: str) -> Decorator:
    """--method, and an option for every parameter of the methods. A command takes them as `method`, a `Method`."""
    choice = _method(
        "--method",
        type=Named(methods, _told(methods)),
        default=default,
        metavar="NAME",
        help=f"one of {', '.join(methods)}: see `sqlrp methods`  [{default}]",
    )
    kept = [
        _method("--saved", metavar="NAME", help="instead of a method: a saved projection of the database"),
        _method(
            "--fitted",
            type=click.Path(exists=True, dir_okay=False),
            help="instead of a method: a projection in a JSON file that `sqlrp fit` wrote",
        ),
    ]
    options = taking(choice, *_parameter_options(methods), *(kept if methods is DRAWN else []))

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(method: str, saved: str | None = None, fitted: str | None = None, **given: Any) -> Any:
            own = {name: given.pop(name) for name in PARAMETERS & given.keys()}
            told = {name: value for name, value in own.items() if value is not None}
            return function(**given, method=Method(method, told, saved, fitted))

        return options(call)

    return decorate


# -- the source ------------------------------------------------------------------------------------------


def names(text: str) -> tuple[str, ...]:
    """Column names, separated by commas. Write a name that contains a comma in double quotes."""
    try:
        return tuple(next(csv.reader([text]), ()))
    except csv.Error as error:
        raise click.BadParameter(f"{text!r} holds a line break outside double quotes") from error


SOURCE = click.argument("source", required=False, type=click.Path())
_source = partial(option, section="Source")


@dataclass(frozen=True)
class SourceOptions:
    """The options that say where the rows are and which of their columns are features."""

    db: str | None
    table: str | None
    key: str | None
    no_key: bool
    keep: tuple[tuple[str, ...], ...]
    features: tuple[tuple[str, ...], ...]
    array_columns: tuple[tuple[str, ...], ...]
    long: tuple[str, ...] | None
    feature: str | None
    value: str | None
    n_features: int | None
    decimal: str | None = None
    thousands: str | None = None
    na: tuple[str, ...] = ()
    encoding: str | None = None

    @property
    def csv(self) -> dict[str, str | list[str]]:
        """The arguments of DuckDB's `read_csv` for a CSV file in an unusual form."""
        told = {"decimal_separator": self.decimal, "thousands": self.thousands, "encoding": self.encoding}
        return {name: text for name, text in told.items() if text} | ({"nullstr": ["", *self.na]} if self.na else {})

    @property
    def names_features(self) -> bool:
        """Whether the columns of the features are named, so that the source need not be looked at."""
        return bool(self.features or self.long or self.feature or self.value)

    def source(self, name: str) -> Source:
        """The source of that name in the layout that is asked for; raises UsageError for two layouts."""
        long, feature, value = self.long, self.feature, self.value
        if long is not None:
            if len(long) != 2 or feature or value:
                raise click.UsageError("--long takes two columns, FEATURE,VALUE, in the place of --feature and --value")
            feature, value = long
        keep, features, arrays = (
            tuple(n for part in parts for n in part) for parts in (self.keep, self.features, self.array_columns)
        )
        sparse = feature is not None or value is not None
        layouts = {
            "--array-column": arrays,
            "--long (or --feature, --value)": sparse,
            "--features": features,
        }
        named = [option for option, there in layouts.items() if there]
        if len(named) > 1:
            raise click.UsageError(f"{' and '.join(named)} are different layouts: give one")
        if sparse and keep:
            raise click.UsageError("--keep does not go with sparse rows, as a row is spread over many")
        if self.n_features is not None and not sparse:
            raise click.UsageError("--n-features is for sparse rows: give --long FEATURE,VALUE too")
        if self.no_key and (self.key or sparse):
            raise click.UsageError("--no-key does not go with --key, nor with sparse rows: name the key")
        asked = {
            "key": None if self.no_key else self.key or "id",
            "keep": keep,
            "features": features,
            "array_column": arrays or None,
            "feature": feature,
            "value": value,
            "n_features": self.n_features,
        }
        return as_asked(name, asked)


source_options = gathered(
    "rows",
    SourceOptions,
    _source(
        "--db",
        metavar="PATH|URL",
        envvar="SQLRP_DB",
        show_envvar=True,
        help="a database: a DuckDB file, or a URL such as postgresql://user@host/name",
    ),
    _source("--table", help="a table of the database"),
    _source("--key", help="the column that identifies a row  [id]"),
    _source("--no-key", is_flag=True, help="the rows have no key"),
    _source("--keep", type=names, metavar="COLUMNS", multiple=True, help="columns to pass through"),
    _source(
        "--features",
        type=names,
        metavar="COLUMNS",
        multiple=True,
        help="columns to project  [every numeric or boolean one]",
    ),
    _source(
        "--array-column",
        "array_columns",
        type=names,
        metavar="COLUMNS",
        multiple=True,
        help="the features are the elements of this column, or of these columns one after the other",
    ),
    _source(
        "--long",
        type=names,
        metavar="FEATURE,VALUE",
        help="sparse rows (key, feature, value): the columns of feature and value; absent features are zero",
    ),
    _source("--feature", metavar="NAME", help="the first column of --long"),
    _source("--value", metavar="NAME", help="the second column of --long"),
    _source("--n-features", type=int, help="number of features, for sparse rows whose features are whole numbers"),
    _source("--decimal", metavar="CHAR", help="CSV: the decimal mark, such as a comma  [.]"),
    _source("--thousands", metavar="CHAR", help="CSV: the mark between groups of digits, such as a dot  [none]"),
    _source("--na", metavar="TEXT", multiple=True, help="CSV: what stands for no value, such as n/a  [empty]"),
    _source("--encoding", metavar="NAME", help="CSV: the encoding of the text, such as latin-1  [utf-8]"),
)


# -- the result ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """The options that say what the result is."""

    output: Output
    dtype: Dtype
    no_scale: bool
    nulls: Nulls
    lowering: str

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of sqlrp's functions."""
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "no_scale"}
        return {"scale": not self.no_scale, **own}


_result = partial(option, section="Result")
shape_options = gathered(
    "shape",
    Shape,
    _result(
        "--output",
        type=click.Choice(OUTPUTS),
        default="columns",
        help="z0 ... z{k-1}, one column z (array, or vector for vector search), rows of (key, component, value), or "
        "one bit per component (bits)  [columns]",
    ),
    _result(
        "--dtype",
        type=click.Choice(get_args(Dtype)),
        default="auto",
        help="the type of the result's numbers; float16 is for --output vector on PostgreSQL  [auto]",
    ),
    _result("--no-scale", is_flag=True, help="do not multiply by the constant: whole numbers stay exact"),
    _result(
        "--nulls",
        type=click.Choice(get_args(Nulls)),
        default="propagate",
        help="a NULL feature makes the row's outputs NULL, is read as zero, or is an error  [propagate]",
    ),
    _result(
        "--lowering",
        type=click.Choice(["auto", "sql", "inline", "indexed", "relational", "native"]),
        default="auto",
        help="the kind of SQL, or native: `sqlrp explain` says which one is chosen, and why  [auto]",
    ),
)


JSON = option("--json", "as_json", is_flag=True, help="print one JSON document")
