"""Where the features are: one column each (Wide), one array column (Array), or sparse rows (Long)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from sqlrp._core.errors import ParameterError, SourceError, check_choice, shorten
from sqlrp._core.reprs import short_repr
from sqlrp._core.values import dataclass

Output = Literal["columns", "array", "vector", "long", "bits", "auto"]
"""A shape of the result. "vector" is one column of the type that the engine's vector search takes. "bits" is the
sign of each component, as one bit. "auto" is columns if the engine allows so many, else an array if it has arrays, else
long."""
OUTPUTS: tuple[Output, ...] = get_args(Output)

QUERY = "a source is the name of a table or a view, and this is a query: make a view of it, and name that"
"""What is said of a query in the place of a name."""
_NO_FEATURES = "features = [] names no column: leave it out to take every numeric column"
_IS_QUERY = re.compile(r"\s*\(?\s*(select|from|with|values)\s", re.IGNORECASE)
_FILES = (".parquet", ".csv", ".tsv", ".csv.gz", ".json", ".jsonl", ".ndjson", ".arrow")


@dataclass(frozen=True)
class TableName:
    """A table's name in parts (catalogue, schema, table), or the path of a file."""

    parts: tuple[str, ...]
    is_file: bool = False

    @staticmethod
    def parse(text: str) -> TableName:
        """Read `table`, `schema.table`, `"a quoted name"` or a file path such as `x.parquet`.

        Outside double quotes a dot separates the names, and every other character is part of a name. Inside
        double quotes, write a double quote twice.
        """
        if not isinstance(text, str):
            raise SourceError(
                f"a {type(text).__name__} is not a table's name: give the database the rows under a name, or pass a "
                "dataframe to sqlrp.project without a connection"
            )
        if not text.strip():
            raise SourceError(f"table name {text!r} is empty: name a table, a view or a file")
        if not is_text(text):
            raise SourceError(
                f"table name {shorten(text)} holds a NUL character or a lone surrogate, which no engine takes: rename"
            )
        if text.lower().endswith(_FILES) and '"' not in text:
            return TableName((text,), is_file=True)
        return TableName(tuple(_split(text)))

    @property
    def is_query(self) -> bool:
        """Whether the name reads as a query, which someone wrote in the place of a name."""
        return _IS_QUERY.match(self.parts[0]) is not None

    def __str__(self) -> str:
        """The name as `parse` reads it."""
        if self.is_file:
            return self.parts[0]
        return ".".join('"' + part.replace('"', '""') + '"' for part in self.parts)


def _split(text: str) -> list[str]:
    parts: list[str] = []
    at = 0
    while True:
        if text[at : at + 1] == '"':
            part, at = _quoted(text, at)
        else:
            end = text.find(".", at)
            end = len(text) if end < 0 else end
            part, at = text[at:end], end
        if not part:
            raise SourceError(
                f'table name {shorten(text)} has an empty part: write schema.table, or quote it "like this"'
            )
        parts.append(part)
        if at == len(text):
            return parts
        if text[at] != ".":
            raise SourceError(
                f"table name {shorten(text)} goes on after a closing quote: double the quotes within a name"
            )
        at += 1


def _quoted(text: str, at: int) -> tuple[str, int]:
    end = at + 1
    while True:
        end = text.find('"', end)
        if end < 0:
            raise SourceError(f"table name {shorten(text)} lacks its closing double quote")
        if text[end + 1 : end + 2] != '"':
            return text[at + 1 : end].replace('""', '"'), end + 1
        end += 2


def _columns(value: Sequence[str], what: str) -> tuple[str, ...]:
    if isinstance(value, str):
        raise ParameterError(f"{what} = {value!r} must be a list of column names: write [{value!r}]")
    if not isinstance(value, Iterable):
        raise ParameterError(f"{what} = {shorten(value)} must be a list of column names")
    names = tuple(value)
    for name in names:
        _column(name, what)
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"{what} names the column {twice!r} twice: name it once")
    return names


def _column(name: object, what: str) -> None:
    if not isinstance(name, str) or not name or not is_text(name):
        raise ParameterError(
            f"{what} = {shorten(name)} must be a column name: a non-empty string without NUL or lone surrogates"
        )


def is_text(name: str) -> bool:
    """Whether a string can be part of a statement: UTF-8 has no lone surrogates, and no engine accepts NUL."""
    return "\0" not in name and (name.isascii() or not any("\ud800" <= c <= "\udfff" for c in name))


class _TableSource:
    """What Wide, Array and Long share: the table that they read."""

    table: Any

    @property
    def table_name(self) -> TableName:
        """The table's name in parts."""
        return TableName.parse(self.table)


@dataclass(frozen=True)
class Wide(_TableSource):
    """A table with one column per feature.

    `features` None means every numeric or boolean column except key and keep, in the order of the table. `key`
    None is for a table without a key.

        >>> wide = sqlrp.Wide("points", features=["a", "b"], keep=["label"])
        >>> sqlrp.project(rp, wide, con).column_names
        ['id', 'label', 'z0', 'z1']
    """

    __repr__ = short_repr

    table: str
    key: str | None = "id"
    features: Sequence[str] | None = None
    keep: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check the names."""
        TableName.parse(self.table)
        if self.key is not None:
            _column(self.key, "key")
        object.__setattr__(self, "keep", _columns(self.keep, "keep"))
        if self.features is not None:
            object.__setattr__(self, "features", _columns(self.features, "features"))
            if not (self.features or self.keep):
                raise ParameterError(_NO_FEATURES)
        _distinct(self.key, self.keep, *(self.features or ()))


@dataclass(frozen=True)
class Array(_TableSource):
    """A table with an array or list column (FLOAT[n], DOUBLE[n], lists of one length), whose positions are features.

    `table`: a table's name; without a connection a dataframe, or for `sqlrp.project` a lazy frame, whose column "id" is
    the key if it exists. `n_features`: the length of the arrays. It is needed for text without a connection, and
    otherwise read from the column's type or from the first array.

    The column may also be text, or JSON, that holds "[0.1, 0.2, null]" in each row, in DuckDB, PostgreSQL, ClickHouse
    and Spark; a text that is no such array is refused with its key. In PostgreSQL it may also be of bits, or of
    pgvector's types: vector, halfvec, sparsevec.

    `column` may be a list of array columns. The features of a row are then the elements of the first, followed by those
    of the next: their number is the sum of the lengths, and `n_features` is a list of them. A row with NULL for one of
    the arrays counts as a row with NULL for its array. To a method that pools, such as `BilinearPooling`, two columns
    are two descriptors.

        >>> _ = con.execute("CREATE TABLE docs AS SELECT id, [a, b, c]::INTEGER[3] AS v, [a, b] AS w FROM points")
        >>> sqlrp.project(rp, sqlrp.Array("docs", "v"), con).num_rows
        50
        >>> sqlrp.project(rp, sqlrp.Array("docs", ["v", "w"]), con).num_rows
        50
    """

    table: Any
    column: str | Sequence[str]
    key: str | None = "id"
    keep: Sequence[str] = ()
    n_features: int | Sequence[int] | None = None

    def __post_init__(self) -> None:
        """Check the names."""
        if isinstance(self.table, str):
            TableName.parse(self.table)
        if isinstance(self.column, (list, tuple)):
            names = _columns(self.column, "column")
            if not names:
                raise ParameterError("column = [] names no array column: name at least one")
            object.__setattr__(self, "column", names if len(names) > 1 else names[0])
        else:
            _column(self.column, "column")
        if self.key is not None:
            _column(self.key, "key")
        object.__setattr__(self, "keep", _columns(self.keep, "keep"))
        _distinct(self.key, self.keep, *self.columns)
        self._check_lengths()

    def _check_lengths(self) -> None:
        n, columns = self.n_features, len(self.columns)
        given = [n] if n is None or isinstance(n, int) else list(n) if isinstance(n, (list, tuple)) else None
        if given is None or (n is not None and len(given) != columns):
            wanted = "a whole number" if columns == 1 else f"a list of {columns} whole numbers"
            raise ParameterError(f"n_features = {shorten(n)} must be {wanted}, the length of each array column")
        for length in given:
            _check_length(length)
        if n is not None:
            object.__setattr__(self, "n_features", tuple(given) if columns > 1 else given[0])

    @property
    def columns(self) -> tuple[str, ...]:
        """The array columns."""
        return (self.column,) if isinstance(self.column, str) else tuple(self.column)

    @property
    def lengths(self) -> tuple[int | None, ...]:
        """The lengths of the array columns as `n_features` gives them."""
        n = self.n_features
        return tuple(n) if isinstance(n, Sequence) else (n,) * len(self.columns)

    def __repr__(self) -> str:
        """The fields in brief. Of a frame the type, as the repr of a lazy frame may compute its rows."""
        return short_repr(self if isinstance(self.table, str) else replace(self, table=type(self.table).__name__))


@dataclass(frozen=True)
class Long(_TableSource):
    """Sparse rows (key, feature, value). Rows with the same key form one row of features; absent features are zero.

    Integer features are positions from 0. The query hashes text features, so an open vocabulary needs no list.
    `n_features` bounds integer features, and is needed for s = "sqrt". `table` is a table's name, or for
    `sqlrp.project` without a connection a pandas or polars DataFrame or a pyarrow.Table.

        >>> words = sqlrp.Long("words", key="doc", feature="word", value="n")
        >>> sqlrp.project(sqlrp.SparseProjection(k=2, s=1, seed=7), words, con).num_rows
        50
    """

    __repr__ = short_repr

    table: Any
    key: str = "id"
    feature: str = "feature"
    value: str = "value"
    n_features: int | None = None

    def __post_init__(self) -> None:
        """Check the names."""
        if isinstance(self.table, str):
            TableName.parse(self.table)
        for what in ("key", "feature", "value"):
            _column(getattr(self, what), what)
        _distinct(self.key, (), self.feature, self.value)
        _check_length(self.n_features)

    @property
    def keep(self) -> tuple[str, ...]:
        """Always empty, as one row of features is spread over many rows."""
        return ()


def _check_length(n: object) -> None:
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or not 1 <= n < 2**31 - 2):
        raise ParameterError(f"n_features = {n!r} must be a whole number from 1 to 2^31 - 3, or None")


Source = Wide | Array | Long


@dataclass(frozen=True)
class Join:
    """Features spread over a fact table and the dimensions it refers to.

    Each table is projected, and the sums are joined and added; or the features are joined, where that takes less time
    or the method does not begin with sums. `explain` says which.

    `dimensions` maps each referring column of the fact table to its dimension, whose `key` is the column referred to:
    `Join(Wide("sales"), {"customer_id": Wide("customers"), "product_id": Wide("products", key="sku")})`. Two columns
    may refer to the same table. The referring columns and the dimensions' keys are not features. The fact table may
    have no features of its own.

    The result equals that of projecting `fact LEFT JOIN` each dimension. The features are those of the fact table, then
    those of each dimension in order, named like `customer_id.age`. A row that refers to nothing has NULL for the
    features of that dimension, and the parameter `nulls` says what to do with them. The columns that a dimension keeps
    pass through after those of the fact table, and are named in the same way; BigQuery refuses such names. A row that
    refers to nothing has NULL for them. A table that keeps a column may have no features: `features=[]`. Raises
    ParameterError.

        >>> _ = con.execute("CREATE TABLE shops AS SELECT DISTINCT c AS id, 10 * c AS size FROM points")
        >>> join = sqlrp.Join(sqlrp.Wide("points", features=["a", "b"], keep=["c"]), {"c": sqlrp.Wide("shops")})
        >>> sqlrp.project(rp, join, con).num_rows
        50
    """

    __repr__ = short_repr

    fact: Wide | Array
    dimensions: Mapping[str, Wide | Array]

    def __post_init__(self) -> None:
        """Check the tables; a name means Wide."""
        object.__setattr__(self, "fact", self._table(self.fact, "fact"))
        if not isinstance(self.dimensions, Mapping) or not self.dimensions:
            raise ParameterError(
                f"dimensions = {shorten(self.dimensions)} must map columns of the fact to tables: "
                '{"customer_id": Wide("customers")}'
            )
        tables = {}
        for column, table in self.dimensions.items():
            _column(column, "a column of dimensions")
            tables[column] = made = self._table(table, f"the dimension of {column!r}")
            if made.key is None:
                raise ParameterError(f"the dimension of {column!r} has key = None: name the key that it is joined by")
        object.__setattr__(self, "dimensions", tables)

    @staticmethod
    def _table(table: object, what: str) -> Wide | Array:
        source = Wide(table) if isinstance(table, str) else table
        if not isinstance(source, (Wide, Array)):
            raise ParameterError(f"{what} = {shorten(table)} must be a table's name, Wide(…) or Array(…)")
        return source


How = Literal["standard", "minmax", "l2", "tfidf"]
HOWS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True)
class Standardized:
    """A source whose features are scaled, by statistics of its rows, before they are projected.

    `how`: "standard" is (x - mean)/deviation, with the deviation of the population. "minmax" is (x - min)/(max - min).
    "l2" divides each row by its Euclidean norm. "tfidf" is x·(ln((1+n)/(1+df)) + 1) followed by "l2", where n is the
    number of rows and df the number of rows in which the feature is not 0. The formulas are those of scikit-learn's
    StandardScaler, MinMaxScaler, Normalizer and TfidfTransformer. A constant feature is only shifted. The statistics
    leave out NULL. With nulls="zero", a NULL becomes 0 after the scaling: the mean, or the minimum.

    `source`: a table's name, Wide, Array, Long or a dataframe. Sparse rows (Long) take "l2" or "tfidf" only, because a
    shift would make them dense. Raises ParameterError.

        >>> fitted = sqlrp.fit(rp, sqlrp.Standardized("points", "minmax"), con)
        >>> sqlrp.project(fitted, "points", con).num_rows
        50
    """

    __repr__ = short_repr

    source: Any
    how: How = "standard"

    def __post_init__(self) -> None:
        """Check `how`, and that sparse rows stay sparse."""
        check_choice("how", self.how, HOWS)
        if isinstance(self.source, Long) and self.how in ("standard", "minmax"):
            raise ParameterError(f"how = {self.how!r} makes sparse rows dense: use 'tfidf' or 'l2', or wide rows")
        if isinstance(self.source, Standardized):
            raise ParameterError("a Standardized source cannot be standardized again: name one how")


def _distinct(key: str | None, keep: Sequence[str], *features: str) -> None:
    seen: dict[str, str] = {}
    roles = [("key", key)] + [("keep", name) for name in keep] + [("a feature", name) for name in features]
    for role, name in roles:
        if name is None:
            continue
        if name in seen:
            both = f"be both {seen[name]} and {role}" if seen[name] != role else "be two columns of the source"
            raise ParameterError(f"column {name!r} cannot {both}: name it once")
        seen[name] = role


def as_source(source: object) -> Source:
    """The source itself; `Wide` with its defaults for the name of a table."""
    if isinstance(source, str):
        return Wide(source)
    if isinstance(source, Array) and not isinstance(source.table, str):
        raise ParameterError(
            f"Array of a {type(source.table).__name__} is for sqlrp.project, without a connection: name a table, "
            "or pass a frame whose only features are in that column"
        )
    if isinstance(source, Wide) and source.features == ():
        raise ParameterError(f"{_NO_FEATURES}; only a table of a Join that keeps columns may have no features")
    if isinstance(source, (Wide, Array, Long)):
        return source
    if isinstance(source, Join):
        raise ParameterError(
            "Join(…) serves sqlrp.project, sql, explain, export, learn, score, and fit on all rows: make a view of the "
            "join for this, or a table of the text of sqlrp.sql"
        )
    if type(source).__module__.startswith("ibis."):  # whose repr would compute rows
        raise ParameterError(
            "an ibis table is a source with its own backend: pass table.get_backend() as the connection or engine too, "
            "or the name, table.get_name()"
        )
    raise ParameterError(f"source {shorten(source)} must be a table's name, Wide(…), Array(…) or Long(…)")


def as_rows(source: object) -> Source | Standardized:
    """The same of what may be standardized."""
    return replace(source, source=as_source(source.source)) if isinstance(source, Standardized) else as_source(source)
