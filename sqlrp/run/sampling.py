"""A sample of a table's rows, drawn inside the database. It is the same at every run and on every engine with md5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sqlrp.core.draw import P, Purpose, component_coefficients
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.frame import Frame


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
        taken = {n.casefold() for n in (*self.frame.names, self.frame.key or "")}
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
