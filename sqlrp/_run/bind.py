"""Match a source with the columns that the engine reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

from sqlrp._connectors.connector import Connector
from sqlrp._core.alchemy import is_engine
from sqlrp._core.errors import (
    ParameterError,
    SourceError,
    StatementError,
    UnreachableError,
    UnsupportedError,
    nearest,
    shorten,
)
from sqlrp._core.names import Names, folded
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.sources import Array, Join, Long, Source, TableName, Wide
from sqlrp._dialects.dialect import Column, ColumnType, Dialect
from sqlrp._engines.registry import PlanTarget, dialect_for, open_target
from sqlrp._lowering.frame import Frame, Part
from sqlrp._lowering.join import shown_columns
from sqlrp._lowering.left_out import SAMPLE, check_arrays
from sqlrp._projections.projection import Projection

_INDEX = re.compile(r"__index_level_\d+__")
"""The column of an index without a name, as pandas writes it."""


def text_target(target: Any, source: object) -> PlanTarget:
    """What a text is written for: of an engine of SQLAlchemy only its dialect, if the source names its features.

    An engine would have to be connected first. A connection is there already, and tells the types of the columns.
    """
    tables: list[object] = [source.fact, *source.dimensions.values()] if isinstance(source, Join) else [source]
    return open_target(dialect_for(target) if is_engine(target) and all(map(_names_features, tables)) else target)


def _names_features(source: object) -> bool:
    """Whether a source says what its table holds."""
    if isinstance(source, Wide):
        return source.features is not None
    if isinstance(source, Array):
        return None not in source.lengths
    return isinstance(source, Long) and source.n_features is not None


def bind(source: Source, target: PlanTarget, bound_to: object = None) -> Frame:
    """Match a source with its table; without a connection only by the names. `bound_to`: as in `resolve`."""
    refuse(source, target.dialect)
    if target.connector is None:
        return resolve(source, None, target.dialect)
    with target.connector.session(target.connection) as session:
        return look(target.connector, session, source, bound_to=bound_to)


def bind_join(source: Join, target: PlanTarget) -> list[Frame]:
    """The frame of the fact table, which keeps its join columns, then the frame of each dimension.

    Without a connection the names alone are used. Raises SourceError for a key that occurs twice in a dimension,
    because the join would repeat rows of the fact table; for tables without features, and two columns of one name.
    """
    engine, connector = target.dialect, target.connector
    fact = source.fact
    own = {fact.key, *fact.keep}
    keep = (*fact.keep, *(column for column in source.dimensions if column not in own))
    tables = [replace(fact, keep=keep), *source.dimensions.values()]
    for table in tables:
        refuse(table, engine)
    if connector is None:
        frames = [resolve(table, None, engine) for table in tables]
    else:
        with connector.session(target.connection) as session:
            frames = [
                look(connector, session, each, may_be_empty=not i or bool(each.keep)) for i, each in enumerate(tables)
            ]
            for frame in frames[1:]:
                _check_unique(connector, session, frame)
    if not any(frame.width for frame in frames):
        raise SourceError(
            f"{', '.join(str(frame.table) for frame in frames)} have no numeric column besides keys and keep: a join "
            "needs at least one feature"
        )
    names = [name for *_, name in shown_columns(source, frames)]
    same = [folded(name, engine.folding) for name in names]
    twice = next((name for name, each in zip(names, same, strict=True) if same.count(each) > 1), None)
    if twice is not None:
        raise SourceError(f"two columns of the join are {twice!r} in the result: keep one of them, or rename it")
    return frames


def _check_unique(connector: Connector, connection: Any, frame: Frame) -> None:
    """Raise SourceError for a dimension of which a key occurs twice."""
    engine = connector.dialect
    key = engine.quote(frame.key or "")
    repeated = (
        f"SELECT {key} FROM {engine.table(frame.table)} WHERE {key} IS NOT NULL "
        f"GROUP BY {key} HAVING count(*) > 1 ORDER BY {key}"
    )
    twice = connector.fetch(connection, engine.limited(repeated, 1, ordered=True)).column(0)
    if len(twice):
        raise SourceError(
            f"key {frame.key!r} of {frame.table} comes more than once: {shorten(twice[0].as_py(), 30)}; a "
            "dimension must have one row a key, or the join repeats rows"
        )


def refuse(source: Source, engine: Dialect) -> None:
    """Raise UnsupportedError for a kind of source that the engine does not support."""
    table = source.table_name
    if table.is_file and not engine.reads_files:
        raise UnsupportedError(
            f"{engine.name} reads no files: load {table} into a table; a table of that name stands in double quotes"
        )
    if isinstance(source, Array) and not engine.has_arrays:
        names = {"key": engine.quote(source.key or "id"), "column": engine.quote(source.columns[0])}
        cells = engine.cells_of_text.format(table=engine.table(table), **names)
        raise UnsupportedError(
            f"{engine.name} has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)"
            + (f"; of texts such as '[0.1, 0.2]', Long(…) reads the view {cells}" if cells else "")
        )


def resolve(
    source: Source,
    columns: Sequence[Column] | None,
    engine: Dialect,
    lengths: Sequence[int | None] | None = None,
    rows: int | None = None,
    may_be_empty: bool = False,
    bound_to: object = None,
    in_memory: bool = False,
) -> Frame:
    """Match a source with the columns of its table (None: without a connection, by the source's names).

    `lengths`: of the first list in each array column, or None. `bound_to`: of the projection; if it has names, and the
    source has them all, they select the columns of a wide source in their own order. `in_memory`: the table is a
    dataframe or a lazy frame, which an error cannot name.

    Raises SourceError for a missing key or column, a feature that is not a number or a table without features;
    ParameterError if the source cannot be resolved without a connection.
    """
    table = source.table_name
    if columns is None:
        return _unseen(source, table, names_of(bound_to)).counted(rows)
    matcher = _Matcher(source, table, columns, engine, may_be_empty, names_of(bound_to), in_memory)
    return matcher.frame(lengths).counted(rows)


def look(
    connector: Connector,
    connection: Any,
    source: Source,
    may_be_empty: bool = False,
    bound_to: object = None,
    planned: bool = True,
) -> Frame:
    """Resolve a source with the columns of its table. `may_be_empty`: a wide table may have no features.

    `bound_to`: as in `resolve`. `planned`: the frame has what a planner estimates with, too: the rows, the memory.
    """
    table = source.table_name
    columns = connector.columns(connection, table)
    if table.is_file and isinstance(source, Wide):
        index, partitions = connector.asides(connection, table)
        columns = [replace(c, index=c.name in index, partition=c.name in partitions) for c in columns]
    lengths = None
    if isinstance(source, Array):
        columns = _as_arrays(columns, source, connector.dialect)
        lists = {c.name: c.type for c in columns if c.type.is_array and c.type.size is None}
        spelled = map(Names(lists, connector.dialect.folding).find, source.columns)
        lengths = [
            None if name is None else connector.array_length(connection, table, name, lists[name]) for name in spelled
        ]
    rows = connector.count(connection, table) if planned else None
    frame = resolve(source, columns, connector.dialect, lengths, rows, may_be_empty, bound_to)
    if planned:
        threads, memory = connector.capacity(connection)
        frame = replace(frame, threads=threads, memory=memory)
    return frame.doubted(partial(_first, connector, connection, table))


def _as_arrays(columns: Sequence[Column], source: Array, dialect: Dialect) -> list[Column]:
    """The columns, of which those that the source names as arrays are arrays, if the engine can make arrays of them."""
    names = Names((c.name for c in columns if not c.type.is_array), dialect.folding)
    made = {name: None for name in map(names.find, source.columns) if name is not None}
    kinds = {c.name: dialect.as_array(c.type) for c in columns if c.name in made}
    return [replace(c, type=kinds.get(c.name) or c.type) for c in columns]


def _first(connector: Connector, connection: Any, table: TableName, names: Sequence[str]) -> Iterable[Sequence[object]]:
    """The first rows of some columns; none if they may not be read."""
    dialect = connector.dialect
    columns = ", ".join(map(dialect.quote, names))
    query = dialect.limited(f"SELECT {columns} FROM {dialect.table(table)}", SAMPLE)
    try:
        with connector.attempting(connection):
            return connector.rows(connection, query)
    except UnreachableError:
        raise
    except StatementError:
        return []


def cautions(projection: Projection, *frames: Frame) -> list[str]:
    """What to warn of: columns left out of the frames, and a projection that does not reduce the dimensions.

    Every public call warns of it once. The frames of a join are taken together.
    """
    several = None if len(frames) == 1 else sum(frame.n_features or 0 for frame in frames)
    said = projection.caution(several or frames[0].n_features)
    return [each for each in (*cautions_of_columns(*frames), _by_position(projection, frames), said) if each]


def cautions_of_columns(*frames: Frame) -> list[str]:
    """What to warn of the columns left out of the frames."""
    return [said for frame in frames for said in (frame.caution, *frame.asides) if said]


def _by_position(projection: Projection, frames: Sequence[Frame]) -> str:
    """The warning of columns that are taken by position, as the projection knows only how many features it has.

    Names that end in 0, 1, 2 … or 1, 2, 3 … say the position themselves.
    """
    named = [frame for frame in frames if frame.layout == "wide"]
    names = [name for frame in named for name in frame.names]
    if not isinstance(projection.bound_to, int) or len(names) < 2 or all(f.chosen for f in named) or _numbered(names):
        return ""
    called = "the frame" if frames[0].in_memory else " and ".join(str(frame.table) for frame in named)
    return (
        f"the {projection.called} knows no names of features, so it takes the {len(names)} columns of {called} by "
        f"their position: {shorten(names)}; fit it on rows with names, or list the columns in the order of the fit "
        "in features"
    )


def _numbered(names: Sequence[str]) -> bool:
    """Whether names count their columns, as f0, f1, f2 do."""
    found = [re.fullmatch(r"(.*?)(\d{1,9})", name) for name in names]
    first = found[0]
    return first is not None and all(
        each is not None and each[1] == first[1] and int(each[2]) == int(first[2]) + i for i, each in enumerate(found)
    )


def is_index(column: Column) -> bool:
    """Whether a column is the index of a pandas frame. That of an index without a name is told by its own."""
    return column.index or _INDEX.fullmatch(column.name) is not None


def names_of(bound_to: object) -> tuple[str, ...]:
    """The names of features that a projection is bound to; empty if it has none."""
    return tuple(bound_to) if isinstance(bound_to, (tuple, list)) else ()


def _ordered(names: Sequence[str], bound: tuple[str, ...]) -> Sequence[str]:
    """The names that a projection is bound to, if all of them are there; otherwise the names as they are."""
    return bound if bound and set(bound) <= set(names) else names


def _unseen(source: Source, table: TableName, bound: tuple[str, ...] = ()) -> Frame:
    """A frame from the names alone: every number is assumed to be a DOUBLE that may be NULL."""
    if isinstance(source, Wide) and source.features is not None:
        features = _ordered(source.features, bound)
        n = len(features)
        return Frame(
            "wide",
            table,
            source.key,
            tuple(source.keep),
            tuple(features),
            (DOUBLE,) * n,
            (True,) * n,
            n,
        )
    if isinstance(source, Long):
        text = source.n_features is None
        return Frame(
            "long",
            table,
            source.key,
            (),
            (source.feature, source.value),
            (DOUBLE,),
            (True,),
            source.n_features,
            text,
        )
    if isinstance(source, Array):
        known = zip(source.columns, source.lengths, strict=True)
        parts = [Part(name, DOUBLE, size) for name, size in known if size is not None]
        if parts:
            return Frame.of_arrays(table, source.key, tuple(source.keep), *parts)
    missing, or_pass = ("features", "features") if isinstance(source, Wide) else ("the array's length", "n_features")
    raise ParameterError(
        f"{type(source).__name__}({source.table!r}) does not name {missing}, so its text needs a look at the table: "
        f"pass a connection instead of the engine's name, or {or_pass}"
    )


class _Matcher:
    """The match of one source with the columns of its table."""

    def __init__(
        self,
        source: Source,
        table: TableName,
        columns: Sequence[Column],
        engine: Dialect,
        may_be_empty: bool,
        bound: tuple[str, ...],
        in_memory: bool,
    ) -> None:
        self.may_be_empty = may_be_empty
        self.bound = bound
        self.in_memory = in_memory
        self.source = source
        self.table = table
        self.columns = columns
        self.engine = engine
        self.exact = {c.name: c for c in columns}
        self.names = Names(self.exact, engine.folding)

    def frame(self, lengths: Sequence[int | None] | None) -> Frame:
        key = None if self.source.key is None else self._find(self.source.key, "key").name
        keep = tuple(self._find(name, "keep column").name for name in self.source.keep)
        _once([*([key] if key else []), *keep], self.table)
        if isinstance(self.source, Wide):
            frame = self._wide(self.source, key, keep)
        elif isinstance(self.source, Array):
            frame = self._arrays(self.source, key, keep, lengths or [None] * len(self.source.columns))
        else:
            frame = self._long(self.source, str(key))
        return replace(frame, passing=tuple(self.exact[name] for name in frame.kept))

    def _find(self, name: str, role: str) -> Column:
        found = self.names.find(name)
        if found is None:
            what, table = ("frame", "the frame") if self.in_memory else ("table", self.table)
            remedy = f": name the key column, or key None for a {what} without one" if role == "key" else ""
            raise SourceError(
                f"{role} {shorten(name)} is not a column of {table}{nearest(name, self.exact)}{remedy}"
                + ("" if remedy else f": it has {shorten(list(self.exact))}")
            )
        return self.exact[found]

    def _wide(self, source: Wide, key: str | None, keep: tuple[str, ...]) -> Frame:
        left_out: tuple[Column, ...] = ()
        if source.features is None:
            others = [c for c in self.columns if c.name != key and c.name not in keep]
            features = [_is_number(c.type) and not is_index(c) for c in others]
            found = list(compress(others, features))
            left_out = tuple(c for c, feature in zip(others, features, strict=True) if not feature)
            if not self.bound:
                called = "the frame" if self.in_memory else str(self.table)
                check_arrays(called, found, left_out, self.in_memory)
            if not found and not self.may_be_empty:
                raise SourceError(
                    f"{self.table} has no numeric column besides key and keep: a wide source needs at least one; "
                    "use Array(…) for an array column or Long(…) for (key, feature, value) rows"
                )
            own = {c.name: c for c in others}
            if self.bound and set(self.bound) <= set(own):
                found = [self._number(own[name]) for name in self.bound]
        else:
            found = [self._find(name, "feature") for name in _ordered(source.features, self.bound)]
            _once([*([key] if key else []), *keep, *(c.name for c in found)], self.table)
            for column in found:
                self._number(column)
        double = self.engine.type_name(DOUBLE)
        return Frame(
            "wide",
            self.table,
            key,
            keep,
            tuple(c.name for c in found),
            tuple(c.type.number or DOUBLE for c in found),
            tuple(c.nullable for c in found),
            len(found),
            doubles=frozenset(c.name for c in found if c.type.text == double),
            whole=[*([key] if key else []), *keep, *(c.name for c in found)] == [c.name for c in self.columns],
            left_out=left_out,
            chosen=bool(self.bound) or source.features is not None,
            asides=() if self.bound or source.features is not None else self._asides(found, left_out),
            in_memory=self.in_memory,
        )

    def _asides(self, found: Sequence[Column], left_out: Sequence[Column]) -> tuple[str, ...]:
        """What is to be said of numbers that are perhaps no features."""
        called = "the frame" if self.in_memory else str(self.table)
        index = [column.name for column in left_out if is_index(column) and _is_number(column.type)]
        parts = [column.name for column in found if column.partition]
        said = []
        if index:
            left, remedy = (
                ("is left out", "name it as key, or in keep")
                if len(index) == 1
                else ("are left out", "name one of them as key, or name them in keep")
            )
            why = "the index of the pandas frame that was written"
            said.append(f"{', '.join(map(repr, index))} of {called} {left}, as {why}: {remedy}")
        for name in parts:
            why = "names the folders, so that it has one value in each file"
            said.append(f"the feature {name!r} of {called} {why}: keep={[name]!r} leaves it out")
        return tuple(said)

    def _number(self, column: Column) -> Column:
        """The column, which must be one of numbers."""
        if not _is_number(column.type):
            raise SourceError(
                f"feature {column.name!r} of {self.table} is {column.type.text}, not a number: "
                "cast it, keep it, or leave it out"
            )
        return column

    def _arrays(self, source: Array, key: str | None, keep: tuple[str, ...], lengths: Sequence[int | None]) -> Frame:
        of_columns = zip(source.columns, source.lengths, lengths, strict=True)
        parts = [self._part(name, asked, length) for name, asked, length in of_columns]
        _once([*([key] if key else []), *keep, *(part.name for part in parts)], self.table)
        return Frame.of_arrays(self.table, key, keep, *parts)

    def _part(self, name: str, asked: int | None, length: int | None) -> Part:
        column = self._find(name, "array column")
        if not column.type.is_array or column.type.number is None:
            raise SourceError(
                f"column {column.name!r} of {self.table} is {column.type.text}, not an array of numbers: "
                f"use Wide(…) for plain columns, or make a view that casts it to "
                f"{self.engine.array_for(column.type.text)}"
            )
        size = self._size(column, asked, length)
        if size == 0:
            raise SourceError(
                f"the lists in {column.name!r} of {self.table} are empty: a projection needs at least one feature"
            )
        if size is None and column.type.is_text:
            raise SourceError(
                f"column {column.name!r} of {self.table} is {column.type.text}, not an array of numbers, and holds no "
                "text such as '[0.1, 0.2]', of which one could be made"
            )
        if size is None:
            raise SourceError(
                f"the length of the lists in {column.name!r} of {self.table} cannot be told from here: "
                "declare the column as an array such as FLOAT[768], or pass n_features := n in SQL"
            )
        kind = column.type.sized(size)
        return Part(column.name, column.type.number, size, kind.size is None, kind.cast, kind.is_text)

    def _size(self, column: Column, asked: int | None, length: int | None) -> int | None:
        """The length of the arrays: of the column's type, or as the source says, or of the first array."""
        fixed = column.type.size
        if fixed is not None and asked is not None and fixed != asked:
            raise SourceError(
                f"n_features = {asked:,}, but column {column.name!r} of {self.table} has {fixed:,} elements: "
                f"use n_features = {fixed}, or leave it out"
            )
        return next((size for size in (fixed, asked, length) if size is not None), None)

    def _long(self, source: Long, key: str) -> Frame:
        feature, value = (
            self._find(source.feature, "feature column"),
            self._find(source.value, "value column"),
        )
        integer = feature.type.number is not None and feature.type.number.kind == "int" and not feature.type.is_array
        if not integer and not feature.type.is_text:
            raise SourceError(
                f"feature column {feature.name!r} of {self.table} is {feature.type.text}: "
                "it must hold positions (integers from 0) or names (text)"
            )
        if not _is_number(value.type):
            raise SourceError(
                f"value column {value.name!r} of {self.table} is {value.type.text}, not a number: cast it"
            )
        return Frame(
            "long",
            self.table,
            key,
            (),
            (feature.name, value.name),
            (value.type.number or DOUBLE,),
            (value.nullable,),
            source.n_features,
            text_features=not integer,
        )


def _once(names: Sequence[str], table: TableName) -> None:
    """Check that no column is named twice: without the table, the source accepts two spellings of a name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise SourceError(f"column {name!r} of {table} is named twice, in two spellings: name it once")
        seen.add(name)


def _is_number(kind: ColumnType) -> bool:
    return kind.number is not None and not kind.is_array
