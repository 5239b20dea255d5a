"""Functions of one vector in PostgreSQL: the components that the rows of a table have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import sqlalchemy as sa
from postgresql_functions import METHODS, Database, with_images
from taking_part import need

import sqlrp

need("postgresql")

ROWS = np.random.default_rng(5).normal(0, 2, (3, 5)).round(3)
SOURCE = sqlrp.Array("docs", "v")


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with with_images() as opened:
        sqlrp.install(opened.connection)
        values = ", ".join(f"({i}, '{{{','.join(map(str, row))}}}'::float8[])" for i, row in enumerate(ROWS))
        opened.run(f"CREATE TABLE docs AS SELECT * FROM (VALUES {values}) t(id, v)")
        yield opened


@pytest.mark.parametrize("name", [name for name, (_, made) in METHODS.items() if not made.key_argument])
def test_the_same_numbers_as_for_rows(db: Database, name: str) -> None:
    call, projection = METHODS[name]
    want = sqlrp.project(projection, SOURCE, db.connection, output="array").to_pydict()
    rows = db.run(f"SELECT id, {call.replace('_project(', '_vector(').format('v')} FROM docs")
    by_id = dict(zip(want["id"], want["z"], strict=True))
    np.testing.assert_allclose([z for _, z in rows], [by_id[i] for i, _ in rows], rtol=1e-9, atol=1e-9)


def test_a_search_in_one_statement(db: Database) -> None:
    call = "rp_project('docs', array_column => 'v', k => 4)"
    db.run(f"CREATE TABLE small AS SELECT CAST(key AS integer) AS id, z FROM {call}")
    query = (
        "SELECT id FROM small ORDER BY (SELECT sum((a - b) ^ 2) FROM "
        "unnest(z, rp_vector(CAST(:given AS float8[]), k => 4)) u(a, b)) LIMIT 1"
    )
    for i, row in enumerate(ROWS):
        assert db.connection.execute(sa.text(query), {"given": row.tolist()}).scalar() == i


def test_a_constant_vector_is_projected_once(db: Database) -> None:
    plan = db.run("EXPLAIN (VERBOSE) SELECT id FROM docs WHERE v = rp_vector('{1,2,3,4,5}', k => 2)")
    assert "rp_vector" not in str(plan)


def test_null_and_wrong_vectors(db: Database) -> None:
    assert db.run("SELECT rp_vector(NULL, k => 2), rp_vector('{1,NULL}', k => 2)") == [(None, None)]
    for call, words in (
        ("rp_vector('{1,2}', k => 0)", "k = 0 must be a whole number >= 1"),
        ("rp_vector('{}', k => 1)", "n_features = 0 must be a whole number"),
        ("rp_vector('{1,2}', scale => NULL)", "scale = NULL must be true or false"),
        ("rp_vector('{1,2}', n_features => 0)", "n_features = 0 must be a whole number >= 1"),
    ):
        with pytest.raises(sa.exc.SQLAlchemyError, match=words):
            db.run(f"SELECT {call}")
    assert db.run("SELECT rp_vector('{1,2}', k => 1, s => 1, scale => false)")[0][0][0] in (-3, -1, 1, 3)


@pytest.mark.parametrize("name", [name for name, (_, made) in METHODS.items() if not made.key_argument])
def test_a_vector_of_another_length_is_refused(db: Database, name: str) -> None:
    """With n_features: half a vector would have other signs, and the wrong rows would be nearest."""
    call = METHODS[name][0].replace("_project(", "_vector(")
    told = f"{call[:-1]}, n_features => 5)"
    whole, alone = (db.run(f"SELECT {each.format('v')} FROM docs ORDER BY id") for each in (told, call))
    assert whole == alone
    for given in ("'{1,2}'", "'{1,2,3,4,5,6}'", "'{}'"):
        with pytest.raises(sa.exc.SQLAlchemyError, match=r"vector has \d numbers, and n_features = 5: pass one number"):
            db.run(f"SELECT {told.format(given)}")
    assert db.run(f"SELECT {told.format('NULL')}") == [(None,)]
