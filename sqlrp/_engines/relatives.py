"""Databases that speak another one's dialect, each with what differs; a name without a class here has that dialect.

Key differences, from the documentation:
Athena reads 262,144 bytes of a statement, and has no functions in SQL
(https://docs.aws.amazon.com/athena/latest/ug/service-limits.html). The data warehouse of Fabric has no NVARCHAR, but
UTF-8 in VARCHAR, and no VECTOR (https://learn.microsoft.com/en-us/fabric/data-warehouse/data-types). Greenplum and
YugabyteDB have versions from before PostgreSQL 12, where a common table expression is always computed once, and
MATERIALIZED is no word. CockroachDB has temporary tables only under a setting
(https://www.cockroachlabs.com/docs/stable/temporary-tables).
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sqlrp._dialects.dialect import Limits
from sqlrp._engines.postgresql.dialect import PostgreSQL
from sqlrp._engines.sqlserver.dialect import SQLServer
from sqlrp._engines.trino.dialect import Trino


class Athena(Trino):
    """Athena."""

    name: ClassVar[str] = "athena"
    argument: ClassVar[str] = ""
    no_functions: ClassVar[str] = "athena has no functions in SQL"
    limits: ClassVar[Limits] = replace(
        Trino.limits,
        terms=16_000,
        characters=262_144,
        source="Athena's documentation (service quotas): 262,144 bytes, at 11 a term, and room for casts",
    )


class Fabric(SQLServer):
    """The data warehouse of Microsoft Fabric."""

    name: ClassVar[str] = "fabric"
    text: ClassVar[str] = "VARCHAR(MAX)"
    vector: ClassVar[str] = ""
    letters: ClassVar[str] = "VARCHAR"


class Greenplum(PostgreSQL):
    """Greenplum."""

    name: ClassVar[str] = "greenplum"
    asks_at_once: ClassVar[bool] = False
    materialized: ClassVar[str] = ""


class Yugabyte(PostgreSQL):
    """YugabyteDB."""

    name: ClassVar[str] = "yugabytedb"
    asks_at_once: ClassVar[bool] = False
    materialized: ClassVar[str] = ""


class Cockroach(PostgreSQL):
    """CockroachDB."""

    name: ClassVar[str] = "cockroachdb"
    asks_at_once: ClassVar[bool] = False
    has_temporary: ClassVar[bool] = False
