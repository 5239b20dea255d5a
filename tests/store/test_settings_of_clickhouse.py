"""Settings of a session of ClickHouse that change what SQL means, or cut what it gives, change no number of sqlrp's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from databases import Database, opened
from helpers import oracle

import sqlrp
from sqlrp import SparseProjection, Wide

pytestmark = pytest.mark.slow

SETTINGS = {
    "join_use_nulls = 1": "0",
    "aggregate_functions_null_for_empty = 1": "0",
    "transform_null_in = 1": "0",
    "union_default_mode = 'DISTINCT'": "''",
    "cast_keep_nullable = 1": "0",
    "enable_positional_arguments = 0": "1",
    "prefer_column_name_to_alias = 1": "0",
    "data_type_default_nullable = 1": "0",
    "session_timezone = 'Asia/Kathmandu'": "''",
    "output_format_json_quote_64bit_integers = 1": "0",
    "output_format_arrow_string_as_string = 0": "1",
    "join_default_strictness = 'ANY'": "'ALL'",
    "group_by_use_nulls = 1": "0",
    "limit = 3": "0",
}
"""Each with what it is by default."""
ROWS = np.random.default_rng(5).integers(-9, 9, size=(40, 6)) / 7
FEW, BITS = SparseProjection(k=4, s=1, seed=2), SparseProjection(k=64, s=1, seed=2)
T = Wide("t", features=[f"f{j}" for j in range(6)], keep=["label"])


def filled(db: Database) -> None:
    """The source, in which some features and labels are NULL, and nothing else."""
    for noun, name in (("VIEW", "near"), ("FUNCTION", "f"), ("TABLE", "m"), ("TABLE", "sqlrp_catalogue")):
        db.run(f"DROP {noun} IF EXISTS {name}")
    rows = [
        [i, None if i % 5 == 0 else f"g{i % 3}", *(None if (i + j) % 17 == 0 else float(x) for j, x in enumerate(row))]
        for i, row in enumerate(ROWS)
    ]
    columns = [("id", "Int64"), ("label", "String"), *((name, "Float64") for name in T.features or ())]
    db.make("t", columns, rows)


def answers(db: Database) -> list[Any]:
    """What the calls of one session give, as values."""
    c, found = db.connection, []
    for lowering in ("inline", "indexed", "relational"):
        for nulls in ("propagate", "zero"):
            rows = sqlrp.project(FEW, T, c, lowering=lowering, nulls=nulls)  # type: ignore[call-overload]
            found.append(listed(rows))
    sqlrp.save(FEW, c, "few")
    sqlrp.materialize(BITS, T, c, into="m", output="bits", track="rows", nulls="zero")
    db.run("INSERT INTO t SELECT id + 100, * EXCEPT id FROM t WHERE id < 3")
    db.run("ALTER TABLE t DELETE WHERE id = 9 SETTINGS mutations_sync = 1")
    found += [repr(sqlrp.refresh(c, "m")), repr(sqlrp.refresh(c, "m", everything=True)), list(sqlrp.saved(c))]
    sqlrp.create_search(c, "m", "near")
    sqlrp.create_function(FEW, c, "f", n_features=6)
    found.append(np.round(sqlrp.search(c, "m", ROWS[7], n=8).column("distance").to_pylist(), 9).tolist())
    found.append(np.round(db.run_query("SELECT f([1., 2., 3., 4., 5., 6.])")[0][0], 9).tolist())
    found.append(round(sqlrp.diagnose(FEW, T, c, sample=20).expected_distortion, 9))
    for lowering in ("sql", "native"):
        plain = Wide("t", features=T.features)
        found.append(repr(sqlrp.learn(FEW, plain, c, folds=2, nulls="zero", lowering=lowering)))
    found.append(sqlrp.check(c))
    return found


def listed(rows: Any) -> list[Any]:
    """The rows by their keys, their numbers without the last digits."""
    cells = sorted((list(row.values()) for row in rows.to_pylist()), key=lambda row: row[0])
    return [[round(cell, 9) if isinstance(cell, float) else cell for cell in row] for row in cells]


def test_settings_of_clickhouse_change_nothing(tmp_path: Path) -> None:
    for db in opened("clickhouse", tmp_path):
        filled(db)
        want = answers(db)
        x = np.array([[0.0 if (i + j) % 17 == 0 else v for j, v in enumerate(row)] for i, row in enumerate(ROWS)])
        np.testing.assert_allclose([row[2:] for row in want[1]], oracle(FEW, x), rtol=1e-8, atol=1e-8)
        every = list(SETTINGS.items())
        for changed in (every, every[::2], every[1::2]):  # one may undo what another does
            filled(db)
            for setting, _ in changed:
                db.run(f"SET {setting}")
            try:
                assert answers(db) == want, changed
            finally:
                for setting, usual in changed:
                    db.run(f"SET {setting.split()[0]} = {usual}")
        db.run("SET offset = 2")
        with pytest.raises(sqlrp.UnsupportedError, match="SET offset = 0"):
            sqlrp.project(FEW, T, db.connection)
