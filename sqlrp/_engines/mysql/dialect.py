"""MySQL, from version 8.4 on.

Key differences from MariaDB: a statement reads a temporary table once (`MySQLConnector` makes copies), and a common
table expression is computed once, so that rows are numbered in it; numbers from 0 are the positions of a list of JSON;
a cast to FLOAT fails beyond its range; decimals have at most 30 digits after the point; md5 is a component from version
9.6 on, and no query tells a user without rights whether a transaction is open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp._core.numbers import Number
from sqlrp._core.script import Setup
from sqlrp._core.sources import TableName
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import Costs, Limits
from sqlrp._dialects.distances import Distances
from sqlrp._dialects.phrases import Phrases
from sqlrp._engines.mariadb.dialect import MariaDB

_NO_MD5 = re.compile(r"\bFUNCTION \S*md5 does not exist", re.IGNORECASE)
_NO_VECTORS = re.compile(r"\bSTRING_TO_VECTOR\b.* does not exist", re.IGNORECASE)


def _named(question: str) -> str:
    """The table that a question about one table ends with, as it is quoted."""
    return question[question.index(" `") + 1 :]


class MySQL(MariaDB):
    """MySQL."""

    name: ClassVar[str] = "mysql"
    making_temporary: ClassVar[str] = "CREATE TEMPORARY TABLE {name} {key}ENGINE=MyISAM AS"
    """MyISAM, because InnoDB's rows must fit a page of 16 kB; the row number r is the key of joins"""
    repeats: ClassVar[bool] = False
    reads_once: ClassVar[bool] = True
    remedies: ClassVar[Mapping[str, str]] = {
        **MariaDB.remedies,
        "sql_require_primary_key": (
            "a table that is made from a query has no key: SET SESSION sql_require_primary_key = OFF for this call, or "
            "SET SESSION sql_generate_invisible_primary_key = ON"
        ),
        "Can't reopen table": "MySQL reads a temporary table once in a statement: use a plain table",
        "Too high level of nesting": "MySQL takes 63 levels of queries in a statement: use fewer steps, or keep "
        "what the first ones give in a table",
    }
    block: ClassVar[str] = "SELECT 1;\n{statements}"
    """a query first, as SQLAlchemy closes a cursor whose first statement gives no rows"""
    planning: ClassVar[str] = "EXPLAIN "
    """how a question about the plan of a query begins"""
    decimals: ClassVar[int] = 30
    exact_text: ClassVar[str] = "CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin"
    comment_query: ClassVar[str] = "SELECT @@version_comment"
    """what StarRocks, Doris and SingleStore say of themselves: their version is one of MySQL's"""
    transacting_query: ClassVar[str] = "DO 0"
    """the statement after which a driver knows whether a transaction is open"""
    limits: ClassVar[Limits] = Limits(
        columns=4096,
        terms=100_000,
        stored=980,
        row=7_900,
        levels=30,
        named=60,
        source="columns: MySQL's documentation (limits on table column count); stored and row: a row of InnoDB, also "
        "of a subquery that is written to disk, has at most 8,126 bytes, of which a number takes 8 and a bit; terms: "
        "300,000 were measured; levels: half of the 63 that MySQL takes, measured; named: measured",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def cast(self, expression: str, number: Number) -> str:
        """A cast to FLOAT fails beyond its range."""
        return Phrases.cast(self, expression, number)

    def numbers_from_zero(self, n: int, column: str) -> str:
        """The positions of a list of JSON; a recursive query would be bounded by cte_max_recursion_depth."""
        items = f"JSON_TABLE(concat('[0', repeat(',0', {n - 1}), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed"
        return f"SELECT CAST(n AS SIGNED) - 1 AS {column} FROM {items}"

    def digest(self, text: str) -> str:
        """The first digits of SHA-2: md5 is not always there."""
        return f"sha2({text}, 224)"

    def said(self, message: str) -> str:
        """The same, and what to do where a function is missing."""
        if _NO_MD5.search(message):
            return (
                f"{message} (text features need md5, which MySQL has as a component from 9.6 on: INSTALL COMPONENT "
                "'file://component_classic_hashing', or number the features, from 0)"
            )
        if _NO_VECTORS.search(message):
            return f"{message} (output = 'vector' needs MySQL 9.0 or newer: use 'columns' or 'long')"
        return super().said(message)

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """A vector, from its text; a NULL among the numbers makes it NULL."""
        numbers = ", ',', ".join(expressions)
        return f"STRING_TO_VECTOR(concat('[', {numbers}, ']'))"

    def is_block(self, text: str) -> bool:
        """Whether a text was made by `block`."""
        return text.startswith(self.block.partition("{")[0])

    def asking(self, stages: Sequence[Sequence[tuple[str, int, str | None]]], before: Sequence[str] = ()) -> str:
        """Questions of stages as statements in a row, and a stage as prepared ones that do nothing otherwise.

        The result that begins each stage but the first says whether it is asked. An answer that there is no such table
        would end the text. So a question that had this answer, and has no columns, has two results first: the warnings
        of a statement that goes on follow it, and without any the question is asked. `before`: statements that run
        first.
        """
        texts = [*before, "SET @sqlrp_met = TRUE"]
        for number, stage in enumerate(stages):
            texts += ["SELECT @sqlrp_met"] if number else []
            variables, met, asked = [], [], []
            for at, (query, columns, answer) in enumerate(stage):
                if answer is not None:
                    variable = f"@sqlrp_answer_{at}"
                    variables.append((variable, f"coalesce((SELECT {self._in_json(query, columns)}), '[]')"))
                    met.append(f"CAST({variable} AS JSON) = CAST({self.string(answer)} AS JSON)")
                elif columns:
                    asked.append(query)
                else:
                    met_now = "@@warning_count = 0 AND @sqlrp_met"
                    texts += [f"CHECKSUM TABLE {_named(query)} QUICK", "SHOW WARNINGS", *self._if_met(query, met_now)]
            if variables:
                given = ", ".join(expression for _, expression in variables)
                names = ", ".join(name for name, _ in variables)
                asked += [f"SELECT {given} INTO {names}", f"SELECT {names}"]
            texts += [text for query in asked for text in (self._if_met(query) if number else [query])]
            if met and number + 1 < len(stages):
                texts.append(f"SET @sqlrp_met = @sqlrp_met AND {' AND '.join(met)}")
        return self.block.format(statements=";\n".join(texts))

    def _if_met(self, query: str, met: str = "@sqlrp_met") -> list[str]:
        """Run a query if the answers before it were those of the last time."""
        return [
            f"SET @sqlrp_query = IF({met}, {self.string(query)}, 'DO 0')",
            "PREPARE sqlrp_query FROM @sqlrp_query",
            "EXECUTE sqlrp_query",
            "DEALLOCATE PREPARE sqlrp_query",
        ]

    def copying(self, name: str, copy: str) -> Setup:
        """Make another temporary table of one. `copy`: its quoted name."""
        return self.temporary_table(copy, f"SELECT * FROM {self.quote(name)}", numbered=False)

    def passing_vector(self, query: str, columns: Sequence[str], vector: str) -> str:
        """Its bytes: pymysql takes a vector for text of ASCII."""
        return f"SELECT {', '.join([*columns, f'CAST({vector} AS BINARY) AS {vector}'])} FROM ({query}) q"

    # -- existing tables -----------------------------------------------------------------------

    def count_query(self, name: TableName) -> str:
        """A plan, which `MySQLConnector.count` reads: the numbers of information_schema may be a day old."""
        return f"EXPLAIN FORMAT = TRADITIONAL SELECT 1 FROM {self.table(name)}"

    vector_distance = Distances.vector_distance  # the server has vectors, and no distance of them
