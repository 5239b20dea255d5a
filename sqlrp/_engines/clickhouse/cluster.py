"""ClickHouse on the servers of a cluster: statements that each of them runs.

Key differences from one server: a table is a part on every server, and one Distributed table that reads all parts; a
part is a ReplicatedMergeTree, so that all replicas of a shard have its rows; a materialized view sees what is inserted
on its own server; a temporary table is on one server, so a projection is one statement.
Documentation: https://clickhouse.com/docs/sql-reference/distributed-ddl (ON CLUSTER),
https://clickhouse.com/docs/engines/table-engines/special/distributed,
https://clickhouse.com/docs/engines/table-engines/mergetree-family/replication (paths that are left out) and
https://clickhouse.com/docs/operations/settings/settings#parallel_distributed_insert_select.
"""

from __future__ import annotations

import copy

from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.clickhouse.catalogue import ClickHouseCatalogue

_PART = "ENGINE = ReplicatedMergeTree ORDER BY tuple()"
_FILLING = "SETTINGS parallel_distributed_insert_select = 2"
"""every shard projects its own rows, and keeps them"""


class ClickHouseCluster(ClickHouseCatalogue):
    """The statements for one server or, with the name of a cluster, for all of its servers."""

    cluster: str = ""
    """its name"""

    def of_cluster(self, cluster: str) -> Dialect:
        """The same engine, ON CLUSTER."""
        made = copy.copy(self)
        made.cluster, made.everywhere = cluster, f" ON CLUSTER {self.string(cluster)}"
        return made

    def kept_everywhere(self, name: TableName, query: str, kind: str) -> list[tuple[str, str]]:
        """A view on every server; or a table in parts, which are filled, and which a view lets follow their source."""
        whole, everywhere = self.table(name), self.everywhere
        if kind == "view":
            return [("view", f"CREATE VIEW {whole}{everywhere} AS\n{query}")]
        rows, part, inserts = (_beside(name, end) for end in ("_rows", "_local", "_inserts"))
        made, spread = self.table(part), self._spread(part)
        statements = [
            ("rows", f"CREATE VIEW {self.table(rows)}{everywhere} AS\n{query}"),
            ("local", f"CREATE TABLE {made}{everywhere} {_PART} EMPTY AS SELECT * FROM {self.table(rows)}"),
            ("table", f"CREATE TABLE {whole}{everywhere} AS {made} ENGINE = Distributed({spread}, rand())"),
            ("fill", f"INSERT INTO {whole} SELECT * FROM cluster({self._spread(rows)})\n{_FILLING}"),
        ]
        if kind == "materialized view":
            view = f"CREATE MATERIALIZED VIEW {self.table(inserts)}{everywhere} TO {made} AS\n{query}"
            statements.append(("view", view))
        return [*statements, ("cleanup", f"DROP VIEW {self.table(rows)}{everywhere}")]

    def _spread(self, name: TableName) -> str:
        """The cluster and a table of every server, as Distributed and cluster take them."""
        *database, table = map(self.string, name.parts)
        return ", ".join([self.string(self.cluster), database[-1] if database else "currentDatabase()", table])


def _beside(name: TableName, end: str) -> TableName:
    return TableName((*name.parts[:-1], f"{name.parts[-1]}{end}"))
