"""The functions of `install` give the same numbers under settings of DuckDB that change what SQL means."""

from __future__ import annotations

import re
from typing import Any

import duckdb
import numpy as np
import pytest

import sqlrp
from sqlrp._core.shipped_files import text_of
from sqlrp._projections import FUNCTIONS

SETTINGS = (
    "default_order = 'DESC'",
    "default_null_order = 'NULLS FIRST'",
    "default_collation = 'NOCASE'",
    "integer_division = true",
    "preserve_insertion_order = false",
    "order_by_non_integer_literal = true",
    "preserve_identifier_case = false",
)
WIDE, ARRAY = "'t', k := 4", "'v', array_column := 'x', n_features := 4, k := 4"
LONG = "'w', key := 'doc', feature := 'f', value := 'n', n_features := 6, k := 4"
ROADS = [(WIDE, "inline"), (WIDE, "indexed"), (ARRAY, "indexed"), (LONG, "relational")]
CALLS = [
    *(f"FROM {function}({ROADS[i % 4][0]}, lowering := '{ROADS[i % 4][1]}')" for i, function in enumerate(FUNCTIONS)),
    *(
        f"FROM rp_project({source}, output := '{output}')"
        for source, _ in ROADS
        for output in ("long", "bits", "array")
    ),
    "SELECT 0, pk_vector([1.0, 2.0, 3.0, 4.0], k := 4), rs_vector([1.0, 2.0, 3.0, 4.0], k := 2)",
    "FROM project_with('A', 't')",
]


def ordered(text: str, at: int) -> list[str]:
    """The keys of the ORDER BY at this place."""
    depth, start, keys = 0, at, []
    for end in range(at, len(text)):
        letter = text[end]
        stops = letter in "';" or re.match(r"\s(LIMIT|ROWS|FILTER)\b", text[end : end + 8]) is not None
        if depth == 0 and (letter in ")]," or stops):
            keys.append(text[start:end])
            start = end + 1
            if letter != ",":
                return keys
        depth += (letter in "([") - (letter in ")]")
    raise AssertionError(text[at : at + 80])


def test_every_order_has_a_direction() -> None:
    """`default_order` is that of a sort without one, also of a list."""
    text = text_of("duckdb.sql")
    keys = [key for found in re.finditer(r"ORDER BY (?!ALL)", text) for key in ordered(text, found.end())]
    assert len(keys) > 20
    assert [key for key in keys if key.strip() and not re.search(r"\b(ASC|DESC)$", key.strip())] == []
    assert "list_reverse_sort" not in text
    for found in re.finditer(r"\b(list_sort|list_grade_up)\(", text):
        depth, end = 1, found.end()
        while depth:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        assert re.search(r", '(ASC|DESC)'\)$", text[found.end() : end]), text[found.start() : end]


def answers(con: duckdb.DuckDBPyConnection, calls: list[str]) -> dict[str, Any]:
    """What calls give, the rows by their keys; the words of an error, for a method that cannot run one."""
    found: dict[str, Any] = {}
    for call in calls:
        try:
            found[call] = sorted(con.execute(call).fetchall(), key=repr)
        except duckdb.Error as error:
            found[call] = str(error).splitlines()[0]
    return found


@pytest.mark.slow
def test_settings_change_no_number() -> None:
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE t AS SELECT id, id % 7 AS a, id % 5 AS b, id % 3 * 1.0 AS c, id % 4 AS d FROM range(12) r(id)"
        )
        con.execute("CREATE TABLE v AS SELECT id, [a, b, c, d]::DOUBLE[] AS x FROM t")
        con.execute("CREATE TABLE w AS SELECT id % 4 AS doc, id AS n, id % 6 AS f FROM t")
        sqlrp.install(con)
        sqlrp.save(sqlrp.fit(sqlrp.NystroemProjection(k=4, seed=2), "t", con), con, "A")
        want = answers(con, CALLS)
        assert sum(isinstance(rows, list) for rows in want.values()) > 0.7 * len(CALLS)
        # One may undo what another does.
        for changed, calls in ((SETTINGS, CALLS), (SETTINGS[::2], CALLS[::2]), (SETTINGS[1::2], CALLS[1::2])):
            for setting in changed:
                con.execute(f"SET {setting}")
            sqlrp.install(con)
            for call, rows in answers(con, calls).items():
                assert type(rows) is type(want[call]), (changed, call, rows)
                if isinstance(rows, str):
                    assert rows == want[call], (changed, call)
                    continue
                for row, other in zip(rows, want[call], strict=True):
                    np.testing.assert_allclose(
                        flat(row), flat(other), rtol=1e-9, atol=1e-9, err_msg=f"{changed}: {call}"
                    )
            for setting in changed:
                con.execute(f"RESET {setting.partition(' ')[0]}")


def flat(row: tuple[Any, ...]) -> list[float]:
    """The numbers of a row, those of arrays too."""
    return [float(v) for cell in row for v in (cell if isinstance(cell, (list, tuple)) else [cell])]
