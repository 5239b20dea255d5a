"""A sample of rows: those with the smallest hashes of the seed and the key, in that order, in a table or a dataframe.

It is the same at every run, on every engine and for every frame. Without a key the row's position stands for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.draw import Ints, P, Purpose, draw_permutation
from sqlrp._core.errors import SourceError, warn
from sqlrp._core.names import spelled
from sqlrp._core.sources import Source, as_source
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Column, ColumnType, Dialect
from sqlrp._engines.registry import connector_of
from sqlrp._evaluator.row_keys import key_number as key_of_value
from sqlrp._evaluator.row_keys import places_of
from sqlrp._lowering.frame import Frame
from sqlrp._lowering.key_numbers import has_number, hash_text, key_number
from sqlrp._run.bind import cautions_of_columns, look
from sqlrp._run.frames.dataframes import FrameColumns, features, floats, key_of, resolve_dataframe
from sqlrp._run.frames.kinds import is_dataframe, is_pandas, without_connection
from sqlrp._run.frames.lazy import rows_of


@dataclass(frozen=True)
class Sample:
    """The rows of a frame with the smallest hashes of their keys, or of their row numbers if there is no key.

    A hash of the key needs no order of the table and no second scan. When rows are added, most of the sample
    stays the same.
    """

    engine: Dialect
    frame: Frame
    seed: int
    size: int
    grouped: bool = False
    """whether all rows with the same key count as one row of the sample"""
    numbered: bool = True
    """whether the key has a number in SQL; otherwise the row's position stands for it"""

    @property
    def row(self) -> str:
        """The name of the sample's own key, which no feature has."""
        return self._free("sqlrp_row")

    @property
    def member(self) -> str:
        """For a grouped sample: the name of the row number over all groups, in the order of the groups."""
        return self._free("sqlrp_member")

    def _free(self, name: str) -> str:
        taken = {spelled(n) for n in (*self.frame.names, self.frame.key or "")}
        while name in taken:
            name += "_"
        return name

    def query(self) -> str:
        """A SELECT of the sampled rows: the sample's own key and the features."""
        engine, frame = self.engine, self.frame
        n, h, row = self._free("sqlrp_number"), self._free("sqlrp_hash"), self.row
        names = [engine.quote(name) for name in frame.names]
        key = None if frame.key is None else engine.quote(frame.key)
        table = engine.table(frame.table)
        number, own_key = f"({engine.row_number()} - 1) % {P}", self._free("sqlrp_key")
        order, told = f"{h} ASC, {n} ASC", ""
        if self.numbered:
            number = key_number(engine, key_column(frame))
            order, told = f"{h} ASC, {n} ASC, {own_key} ASC", f", {key} AS {own_key}"
        present = "" if key is None else f" WHERE {key} IS NOT NULL"
        if frame.layout == "long" or self.grouped:
            own = [str(key)]
            rows = f"SELECT {key}{told}, {number} AS {n} FROM (SELECT DISTINCT {key} FROM {table}{present}) k"
        else:
            own = names
            rows = f"SELECT {', '.join(names)}{told}, {number} AS {n} FROM {table}{present}"
        columns = ", ".join(own)
        told = f", {own_key}" if told else ""
        hashed = hash_text(engine, self.seed, Purpose.SAMPLE, n)
        first = engine.limited(
            f"SELECT {columns}{told}, {n}, {hashed} AS {h} FROM ({rows}) n\nORDER BY {order}", self.size, ordered=True
        )
        least = f"SELECT {columns}, row_number() OVER (ORDER BY {order}) - 1 AS {row} FROM (\n{first}) h"
        if frame.layout != "long" and not self.grouped:
            return least
        values = ", ".join(f"t.{name}" for name in names)
        if self.grouped:
            values += f", row_number() OVER (ORDER BY s.{row} ASC) AS {self.member}"
        return f"SELECT s.{row}, {values} FROM {table} t JOIN ({least}) s ON t.{key} = s.{key}"


def key_column(frame: Frame) -> Column:
    """The key's column. A key of an unknown type is hashed as text."""
    named = (column for column in frame.passing if column.name == frame.key)
    return next(named, Column(str(frame.key), ColumnType("")))


def drawn(connector: Connector, session: Any, frame: Frame, seed: int, size: int, grouped: bool = False) -> Sample:
    """The sample of a table's rows, which queries of the session may then read.

    Warns of a key that the engine cannot hash. The rows' positions then stand for it.
    """
    engine = connector.dialect
    if frame.key is None:
        return Sample(engine, frame, seed, size, grouped, numbered=False)
    numbered = has_number(engine, key_column(frame))
    if not numbered:
        warn(
            f"{engine.name} knows no md5, so that a sample is drawn by the positions of its rows, and not by the key "
            f"{frame.key!r}: other engines draw others; take a key of whole numbers for the same rows everywhere"
        )
    if engine.key_function and not engine.has_md5:
        connector.add_functions(session, {engine.key_function: (key_of_value, ["VARCHAR"], "BIGINT")})
    return Sample(engine, frame, seed, size, grouped, numbered)


def sample(
    source: Source | str | Any,
    connection: Any,
    size: int,
    seed: int,
    bound_to: object = None,
    quiet: bool = False,
    key: str | None = "id",
    keep: Sequence[str] = (),
) -> tuple[npt.NDArray[np.float64], tuple[str, ...] | int]:
    """Up to `size` rows as float64, shape (rows, features), NULL as NaN, and the names or number of the features.

    A dataframe gives all of its rows if `size` is 0.
    `bound_to`: as in `sqlrp._run.bind.resolve`. `quiet`: give no warnings.
    """
    source = rows_of(source)
    if is_dataframe(source):
        table, frame = resolve_dataframe(source, FrameColumns(key, keep), bound_to)
        if not quiet:
            warn(*cautions_of_columns(frame))
        keys = keys_of(source, table, frame.key, key)
        chosen = sampled_rows(table.num_rows, keys, size, seed) if size else np.arange(table.num_rows)
        names = frame.names if frame.layout == "wide" else frame.n_features or 0
        return features(table.take(pa.array(chosen)), frame), names
    if connection is None:
        raise without_connection(source)
    connector = connector_of(connection)
    with connector.working(connection) as session:
        frame = look(connector, session, as_source(source), bound_to=bound_to)
        if not quiet:
            warn(*cautions_of_columns(frame))
        one = drawn(connector, session, frame, seed, size)
        text = one.query()
        if any(part.cast for part in frame.parts):  # a driver passes some types of vectors as text
            engine = connector.dialect
            columns = ((engine.quote(part.name), part.cast) for part in frame.parts)
            arrays = ", ".join(f"{engine.stored_array(name, cast)} AS {name}" for name, cast in columns)
            text = f"SELECT {arrays} FROM ({text}) drawn"
        rows = connector.fetch(session, text)
    if frame.layout == "wide":
        return floats(connector.named(rows, [*frame.names, one.row]).select(frame.names)), frame.names
    d = frame.n_features
    if d is None or frame.text_features:
        raise SourceError("an open vocabulary cannot be learnt from: pass n_features, and whole numbers as features")
    if frame.layout == "array":
        return features(rows, frame), d
    rows = connector.named(rows, [one.row, *frame.names])
    at = rows.column(one.row).to_numpy().astype(np.int64)
    x = np.zeros((int(at.max(initial=-1)) + 1, d))
    feature = rows.column(frame.names[0]).to_numpy().astype(np.int64)
    if ((feature < 0) | (feature >= d)).any():
        raise SourceError(f"a feature in {frame.names[0]!r} is outside 0 ... {d - 1}: raise n_features")
    np.add.at(x, (at, feature), rows.column(frame.names[1]).to_numpy(zero_copy_only=False).astype(np.float64))
    return x, d


def keys_of(source: Any, table: pa.Table, name: str | None, asked: str | None) -> pa.ChunkedArray | None:
    """The keys of a dataframe and its table: the column `name`, or an index of pandas that stands for `asked`."""
    if name is not None:
        return table.column(name)
    if asked is None or not is_pandas(source) or source.index.nlevels > 1 or key_of(source, asked) is not None:
        return None
    return pa.chunked_array([pa.Array.from_pandas(source.index)])


def sampled_rows(n: int, keys: pa.ChunkedArray | None, size: int, seed: int, grouped: bool = False) -> Ints:
    """The positions of up to `size` of n rows in memory, or (`grouped`) of the rows of as many keys, in drawn order.

    The order is that of the hashes of the keys, or of the positions if there are no keys. Rows of NULL keys are not
    drawn.
    """
    if keys is None:
        return chosen_rows(n, size, seed)
    places = places_of(keys, seed)
    order = np.argsort(places, kind="stable")
    order = order[places[order] >= 0]
    return np.asarray(order[places[order] < size] if grouped else order[:size])


def chosen_rows(n: int, size: int, seed: int) -> Ints:
    """The positions of up to `size` of n rows in memory that have no key, in the order of their hashes."""
    return draw_permutation(n, seed, Purpose.SAMPLE)[:size]


__all__ = ["Sample", "chosen_rows", "drawn", "keys_of", "sample", "sampled_rows"]
