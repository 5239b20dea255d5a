"""A sample of a table's rows, drawn inside the database. It is the same at every run and on every engine with md5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._core.draw import Ints, P, Purpose, component_coefficients, draw_permutation
from sqlrp._core.errors import ParameterError, SourceError, shorten
from sqlrp._core.names import spelled
from sqlrp._core.sources import Source, as_source
from sqlrp._dialects.base import Dialect
from sqlrp._engines import connector_of
from sqlrp._lowering.frame import Frame
from sqlrp._run.bind import caution_of_columns, look
from sqlrp._run.frames.dataframes import features, floats, resolve_dataframe
from sqlrp._run.frames.kinds import is_dataframe
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
        number = (
            f"({engine.row_number()} - 1) % {P}"
            if key is None or not engine.has_md5
            else engine.hash_name(engine.as_text(key))
        )
        present = "" if key is None else f" WHERE {key} IS NOT NULL"
        if frame.layout == "long" or self.grouped:
            own = [str(key)]
            rows = f"SELECT {key}, {number} AS {n} FROM (SELECT DISTINCT {key} FROM {table}{present}) k"
        else:
            own = names
            rows = f"SELECT {', '.join(names)}, {number} AS {n} FROM {table}{present}"
        columns = ", ".join(own)
        first = engine.limited(
            f"SELECT {columns}, {n}, {self._hash(n)} AS {h} FROM ({rows}) n\nORDER BY {h}, {n}", self.size, ordered=True
        )
        least = f"SELECT {columns}, row_number() OVER (ORDER BY {h}, {n}) - 1 AS {row} FROM (\n{first}) h"
        if frame.layout != "long" and not self.grouped:
            return least
        values = ", ".join(f"t.{name}" for name in names)
        if self.grouped:
            values += f", row_number() OVER (ORDER BY s.{row}) AS {self.member}"
        return f"SELECT s.{row}, {values} FROM {table} t JOIN ({least}) s ON t.{key} = s.{key}"

    def _hash(self, number: str) -> str:
        """`signs.hashes` of component 0, by Horner's rule in exact 64-bit integers."""
        b = component_coefficients(self.seed, Purpose.SAMPLE, np.zeros(1, dtype=np.int64))[:, 0].tolist()
        text = str(b[7])
        for coefficient in reversed(b[:7]):
            text = self.engine.remainder(f"({text} * {number} + {coefficient})", P)
        return text


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
        table, frame = resolve_dataframe(source, key, keep, bound_to)
        if not quiet:
            caution_of_columns(frame)
        chosen = chosen_rows(table.num_rows, size or table.num_rows, seed)
        names = frame.names if frame.layout == "wide" else frame.n_features or 0
        return features(table.take(pa.array(chosen)), frame), names
    if connection is None:
        raise ParameterError(f"source {shorten(source)} needs a connection: pass one, or pass a dataframe")
    connector = connector_of(connection)
    frame = look(connector, connection, as_source(source), bound_to=bound_to)
    if not quiet:
        caution_of_columns(frame)
    drawn = Sample(connector.dialect, frame, seed, size)
    text = drawn.query()
    if any(part.cast for part in frame.parts):  # a driver passes some types of vectors as text
        engine = connector.dialect
        columns = ((engine.quote(part.name), part.cast) for part in frame.parts)
        arrays = ", ".join(f"{engine.stored_array(name, cast)} AS {name}" for name, cast in columns)
        text = f"SELECT {arrays} FROM ({text}) drawn"
    rows = connector.fetch(connection, text)
    if frame.layout == "wide":
        return floats(rows.select(list(frame.names))), frame.names
    d = frame.n_features
    if d is None or frame.text_features:
        raise SourceError("an open vocabulary cannot be learnt from: pass n_features, and whole numbers as features")
    if frame.layout == "array":
        return features(rows, frame), d
    at = rows.column(drawn.row).to_numpy().astype(np.int64)
    x = np.zeros((int(at.max(initial=-1)) + 1, d))
    feature = rows.column(frame.names[0]).to_numpy().astype(np.int64)
    if ((feature < 0) | (feature >= d)).any():
        raise SourceError(f"a feature in {frame.names[0]!r} is outside 0 ... {d - 1}: raise n_features")
    np.add.at(x, (at, feature), rows.column(frame.names[1]).to_numpy(zero_copy_only=False).astype(np.float64))
    return x, d


def chosen_rows(n: int, size: int, seed: int) -> Ints:
    """The ascending positions of up to `size` of n rows in memory."""
    return np.sort(draw_permutation(n, seed, Purpose.SAMPLE)[:size])


__all__ = ["Sample", "chosen_rows", "sample"]
