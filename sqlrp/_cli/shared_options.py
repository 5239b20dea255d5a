"""Options that several commands share: a method with its parameters, a source, the shape of the result."""

from __future__ import annotations

import csv
import types
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial, wraps
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

from sqlrp._cli.option_fields import Decorator, NameChoice, flag, gathered, option, option_field, taking
from sqlrp._core.errors import SourceError
from sqlrp._core.options import Dtype, Nulls, Options
from sqlrp._core.sources import Output, Source
from sqlrp._core.values import dataclass
from sqlrp._projections import REGISTRY, Projection, from_json
from sqlrp._projections.supervised import SupervisedProjection
from sqlrp._store.catalogue import load
from sqlrp._store.functions import as_asked

# -- the method ------------------------------------------------------------------------------------------


DRAWN: dict[str, type[Projection]] = {cls.command(): cls for cls in REGISTRY if not cls.needs_state}
"""The methods that need no data before they project."""

FITTED: dict[str, type[Projection]] = {
    cls.command(): cls for cls in REGISTRY if cls.learns or issubclass(cls, SupervisedProjection)
}
"""The methods that `sqlrp fit` fits."""

METHODS = {**DRAWN, **FITTED}
"""Every method by its name on the command line, except those with given weights, which are only loaded."""


def parameters(cls: type[Projection]) -> dict[str, Any]:
    """The parameters that a user gives, with their defaults."""
    return {f.name: f.default for f in fields(cls) if f.name not in ("bound_to", "state")}


PARAMETERS = {name for cls in METHODS.values() for name in parameters(cls)}
"""Every parameter of a method, which is an option."""


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
    """For `NameChoice`: what another name of a method means, or in which command a method belongs."""

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
        type=NameChoice(methods, _told(methods)),
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
_COLUMNS: dict[str, Any] = {"type": names, "metavar": "COLUMNS", "multiple": True}


_database_option = partial(
    option_field,
    "a database: a DuckDB file, or a URL such as postgresql://user@host/name",
    metavar="PATH|URL",
    envvar="SQLRP_DB",
    show_envvar=True,
)
_table_option = partial(option_field, "a table of the database")


@dataclass(frozen=True)
class TableOptions:
    """The options that name a table, none of whose columns are features."""

    db: str | None = _database_option()
    table: str | None = _table_option()


@dataclass(frozen=True)
class SourceOptions:
    """The options that say where the rows are and which of their columns are features."""

    db: str | None = _database_option()
    table: str | None = _table_option()
    key: str | None = option_field("the column that identifies a row  [id]")
    no_key: bool = option_field("the rows have no key")
    keep: tuple[tuple[str, ...], ...] = option_field("columns to pass through", **_COLUMNS)
    features: tuple[tuple[str, ...], ...] = option_field(
        "columns to project  [every numeric or boolean one]", **_COLUMNS
    )
    array_columns: tuple[tuple[str, ...], ...] = option_field(
        "the features are the elements of this column, or of these columns one after the other",
        "--array-column",
        **_COLUMNS,
    )
    long: tuple[str, ...] | None = option_field(
        "sparse rows (key, feature, value): the columns of feature and value; absent features are zero",
        type=names,
        metavar="FEATURE,VALUE",
    )
    feature: str | None = option_field("the first column of --long", metavar="NAME")
    value: str | None = option_field("the second column of --long", metavar="NAME")
    n_features: int | None = option_field("number of features, for sparse rows whose features are whole numbers")
    decimal: str | None = option_field("CSV: the decimal mark, such as a comma  [.]", metavar="CHAR")
    thousands: str | None = option_field(
        "CSV: the mark between groups of digits, such as a dot  [none]", metavar="CHAR"
    )
    na: tuple[str, ...] = option_field(
        "CSV: what stands for no value, such as n/a  [empty]", metavar="TEXT", multiple=True
    )
    encoding: str | None = option_field("CSV: the encoding of the text, such as latin-1  [utf-8]", metavar="NAME")

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


table_options = gathered("at", TableOptions, "Source")
source_options = gathered("rows", SourceOptions, "Source")


# -- the result ------------------------------------------------------------------------------------------


Way = Literal["auto", "sql", "inline", "indexed", "relational", "native"]
"""How the command line lets a user choose a lowering."""


@dataclass(frozen=True)
class ResultOptions:
    """The options that say what the result is."""

    output: Output = option_field(
        "z0 ... z{k-1}, one column z (array, or vector for vector search), rows of (key, component, value), or "
        "one bit per component (bits)"
    )
    dtype: Dtype = option_field("the type of the result's numbers; float16 is for --output vector on PostgreSQL")
    no_scale: bool = option_field("do not multiply by the constant: whole numbers stay exact")
    nulls: Nulls = option_field("a NULL feature makes the row's outputs NULL, is read as zero, or is an error")
    lowering: Way = option_field("the kind of SQL, or native: `sqlrp explain` says which one is chosen, and why")

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of sqlrp's functions."""
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "no_scale"}
        return {"scale": not self.no_scale, **own}


shape_options = gathered("shape", ResultOptions, "Result", Options)


JSON = option("--json", "as_json", is_flag=True, help="print one JSON document")
