"""The phrase of a refresh where each statement takes effect at once: one MERGE removes old rows and adds new ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlrp._core.script import Script, Statement
from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Dialect


class MergeDialect(Dialect):
    """An engine with MERGE."""

    def replacing(
        self,
        target: TableName,
        columns: Sequence[str],
        keys: Sequence[str],
        query: str,
        helper: TableName,
        texts: Collection[str] = (),
    ) -> Script:
        """One MERGE of a temporary table of the new rows: a statement takes effect whole or not at all.

        A key to remove matches each of its rows, and a new row matches none.
        """
        key, new = columns[0], self.quote(self.temporary_name(helper.parts[-1]))
        away = [f"SELECT DISTINCT {key}, 0 AS sqlrp_new FROM {each}" for each in keys]
        listed = " UNION ALL ".join([*away, f"SELECT DISTINCT {key}, 1 AS sqlrp_new FROM {new}"])
        named = ", ".join(f"made.{column} AS {column}" for column in columns[1:])
        rows = (
            f"SELECT listed.{key} AS {key}, listed.sqlrp_new AS sqlrp_new, {named}\nFROM ({listed}) listed "
            f"LEFT JOIN {new} made ON made.{key} = listed.{key} AND listed.sqlrp_new = 1"
        )
        given = ", ".join(f"asked.{column}" for column in columns)
        merge = self.merging(
            f"MERGE INTO {self.table(target)} held USING ({rows}) asked\n"
            f"ON (held.{key} = asked.{key} AND asked.sqlrp_new = 0)",
            f"held.{columns[-1]} = held.{columns[-1]}",
            f"INSERT ({', '.join(columns)}) VALUES ({given})",
        )
        return Script(Statement(merge), (self.temporary_table(new, query, numbered=False),))

    def merging(self, start: str, nothing: str, inserting: str) -> str:
        """The MERGE that deletes what matches, and inserts the new rows. `nothing`: a change that changes nothing."""
        return f"{start}\nWHEN MATCHED THEN DELETE\nWHEN NOT MATCHED AND asked.sqlrp_new = 1 THEN {inserting}"
