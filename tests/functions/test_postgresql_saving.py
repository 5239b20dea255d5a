"""rp_save and its like in PostgreSQL write what `sqlrp.save` writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from postgresql_functions import CLOSED, HOSTILE, METHODS, Database, opened
from roles import as_role, stranger
from taking_part import need

import sqlrp

need("postgresql")

SOURCES: dict[str, tuple[str, Any]] = {
    "wide": ("'t', keep => '{label}'", sqlrp.Wide("t", keep=["label"])),
    "chosen": ("'t', features => '{c,a}'", sqlrp.Wide("t", features=["c", "a"])),
    "array": ("'arrays', array_column => 'x'", sqlrp.Array("arrays", "x")),
    "words": ("'words', key => 'doc', feature => 'w', value => 'n'", sqlrp.Long("words", "doc", "w", "n")),
    "places": (
        "'places', key => 'doc', feature => 'w', value => 'n', n_features => 9",
        sqlrp.Long("places", "doc", "w", "n", n_features=9),
    ),
}
SERVERS = {"rpg", "pkg", "epg", "rff"}
"""Methods whose weights are by the logarithm and the cosine of the server, so that their last bit may differ."""


@pytest.fixture
def db() -> Iterator[Database]:
    with opened() as made:
        made.run(
            "CREATE TABLE t AS SELECT id, id % 7 AS a, id * 0.5e0 AS b, 'l' || id AS label, -id AS c "
            "FROM generate_series(1, 40) id"
        )
        made.run("CREATE TABLE arrays AS SELECT id, ARRAY[a, b, c] AS x FROM t")
        made.run("CREATE TABLE words AS SELECT id % 8 AS doc, 'wört' || id AS w, id AS n FROM t")
        made.run("CREATE TABLE places AS SELECT id % 8 AS doc, id % 9 AS w, id AS n FROM t")
        sqlrp.install(made.connection)
        yield made


def saving(method: str, source: str, name: str = "mine", rest: str = "") -> str:
    """The statement that saves a method for a source."""
    call = METHODS[method][0].format(f"'{name}', {source}").replace("_project(", "_save(", 1)
    return f"SELECT {call.removesuffix(')')}{rest})"


def rows(db: Database, name: str) -> list[Any]:
    """What the catalogue keeps under a name."""
    kept = "SELECT kind, definition, fingerprint, version FROM sqlrp_catalogue WHERE name = '{}' ORDER BY kind"
    return db.run(kept.format(name.replace("'", "''")))


def refused(db: Database, statement: str) -> Any:
    with pytest.raises(sa.exc.SQLAlchemyError) as caught:
        db.run(statement)
    return caught.value.orig.diag  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore::sqlrp.SqlrpWarning")
@pytest.mark.parametrize("method", METHODS)
def test_the_rows_are_those_of_python(db: Database, method: str) -> None:
    projection = METHODS[method][1]
    taken = [layout for layout in SOURCES if takes(method, projection, layout)]
    assert taken
    for layout in taken:
        given, source = SOURCES[layout]
        if projection.key_argument:
            given, source = "'t', features => '{c,a}'", sqlrp.Wide("t", features=["c", "a"])
        returned = db.run(saving(method, given, rest=", replace => true"))
        sqlrp.save(projection, db.connection, "his", source=source, replace=True)
        mine, his = rows(db, "mine"), rows(db, "his")
        assert returned == [(his[0][1],)]
        assert mine[0] == his[0]
        assert mine[1][2:] == his[1][2:]
        if method not in SERVERS:
            assert mine == his
        assert sqlrp.load(db.connection, "mine") == sqlrp.load(db.connection, "his")
        table = source.table
        one, other = db.z(f"project_with('mine', '{table}')"), db.z(f"project_with('his', '{table}')")
        assert one.keys() == other.keys()
        for key, z in one.items():
            np.testing.assert_allclose(z, other[key], rtol=1e-12, atol=1e-12)
    assert sqlrp.check(db.connection) == []


def takes(method: str, projection: sqlrp.Projection, layout: str) -> bool:
    """Whether a method projects rows of a layout."""
    if projection.key_argument or method == "fbp":  # for two features
        return layout == "chosen"
    return layout != "words" or method not in CLOSED


def test_hostile_names(db: Database) -> None:
    for at, odd in enumerate((HOSTILE, "q'\"\\/\x07\x7f\t\n", "\U0001f600 \ud7ff \ue000 é", "sqlrp source", "{}")):
        quoted, text = odd.replace('"', '""'), odd.replace("'", "''")
        columns = f'id AS "k {quoted}", a AS "{quoted}", b, label AS "l {quoted}"'
        db.run(f'CREATE TABLE "{quoted}" AS SELECT {columns} FROM t')
        table, rest = f"CAST(quote_ident('{text}') AS regclass)", f"key => 'k {text}', keep => ARRAY['l {text}']"
        db.run(f"SELECT rp_save('{text}', {table}, k => 1, {rest})")
        source = sqlrp.Wide(f'"{quoted}"', key=f"k {odd}", keep=[f"l {odd}"])
        sqlrp.save(sqlrp.SparseProjection(k=1), db.connection, f"his {at}", source=source)
        assert rows(db, odd) == rows(db, f"his {at}")
        assert sqlrp.load(db.connection, odd).bound_to == (odd, "b")
        got = db.run(f"SELECT key, kept, z FROM project_with('{text}', {table})")
        assert len(got) == 40
        assert all(kept == {f"l {odd}": f"l{key}"} and len(z) == 1 for key, kept, z in got)
    assert sqlrp.check(db.connection) == []


def test_another_projection_is_replaced_if_asked(db: Database) -> None:
    sqlrp.save(sqlrp.SparseProjection(k=2), db.connection, "mine")
    db.run("SELECT rp_save('mine', 't', k => 2, replace => true)")  # bound to features, which the other is not
    db.run("SELECT rp_save('mine', 't', k => 2)")
    assert len(db.z("project_with('mine', 't')")) == 40
    before = rows(db, "mine")
    said = refused(db, "SELECT rp_save('mine', 't', k => 1)")
    assert "'mine' is the name of another projection" in said.message_primary
    assert "replace => true" in said.message_primary
    assert rows(db, "mine") == before
    db.run("SELECT fht_save('mine', 't', k => 2, replace => true)")
    assert type(sqlrp.load(db.connection, "mine")) is sqlrp.HadamardProjection


def test_a_rollback_or_an_error_leaves_nothing(db: Database) -> None:
    db.run("BEGIN; SELECT rp_save('mine', 't', k => 2, s => 'sqrt'); ROLLBACK")
    assert rows(db, "mine") == []
    said = refused(db, "SELECT rp_save('mine', 't', k => 0)")
    assert (said.message_primary, len(said.context.splitlines())) == ("k = 0 must be a whole number >= 1", 1)
    with pytest.raises(sqlrp.SourceError, match="no projection"):
        sqlrp.load(db.connection, "mine")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("NULL, 't'", "name = NULL must be a text of 1 to 200 characters"),
        ("'  ', 't'", "name = '  ' must be a text of 1 to 200 characters"),
        (f"'{'x' * 201}', 't'", "must be a text of 1 to 200 characters"),
        ("'mine', 't', replace => NULL", "replace = NULL must be true or false"),
        ("'mine', 'nope'", 'relation "nope" does not exist'),
        ("'mine', 't', keep => '{nope}'", "keep column 'nope' is not a column of"),
        ("'mine', 't', s => 0.5", "s = 0.5 must be a number >= 1"),
    ],
)
def test_what_is_refused(db: Database, arguments: str, words: str) -> None:
    assert words in refused(db, f"SELECT rp_save({arguments})").message_primary
    assert db.run("SELECT 1 FROM sqlrp_catalogue WHERE kind = 'projection'") == []


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DROP TABLE sqlrp_catalogue", "was dropped: install sqlrp in this schema again"),
        ("ALTER TABLE sqlrp_catalogue ENABLE ROW LEVEL SECURITY", "has row security"),
        ("CREATE RULE r AS ON INSERT TO sqlrp_catalogue DO NOTHING", "has a rule"),
        ("CREATE TABLE child () INHERITS (sqlrp_catalogue)", "has a parent or child table"),
        ("UPDATE sqlrp_catalogue SET name = '2' WHERE kind = 'format'", "is not of format 1"),
        ("DELETE FROM sqlrp_catalogue WHERE kind = 'format'", "is not of format 1"),
        ("SET default_transaction_read_only = on", "read-only transaction"),
    ],
)
def test_a_catalogue_that_is_not_ours_is_not_written(db: Database, statement: str, words: str) -> None:
    db.run(statement)
    try:
        assert words in refused(db, "SELECT rp_save('mine', 't', k => 2)").message_primary
    finally:
        db.run("SET default_transaction_read_only = off")


def test_rights(db: Database) -> None:
    """A caller writes the catalogue with rights of its own, and no catalogue that others may write."""
    with stranger(db, creates=False) as name:
        db.run(f"GRANT SELECT ON t TO {name}")
        with pytest.raises(sa.exc.SQLAlchemyError, match="permission denied"):
            as_role(db, name, "SELECT rp_save('mine', 't', k => 2)")
        db.run("RESET ROLE")
        db.run(f"GRANT INSERT ON sqlrp_catalogue TO {name}")
        said = refused(db, "SELECT rp_save('mine', 't', k => 2)")
        assert said.sqlstate == "42501"
        assert f"may be written by {name}" in said.message_primary
        db.run("SET sqlrp.trust_schema = on; SELECT rp_save('mine', 't', k => 2); RESET sqlrp.trust_schema")
        db.run(f"REVOKE ALL ON sqlrp_catalogue FROM {name}")
    assert len(db.z("project_with('mine', 't')")) == 40


def test_uninstall_takes_the_functions_away(db: Database) -> None:
    db.run("SELECT rp_save('mine', 't', k => 2)")
    sqlrp.uninstall(db.connection)
    assert db.run("SELECT proname FROM pg_proc WHERE pronamespace = CAST(current_schema() AS regnamespace)") == []
    assert sqlrp.load(db.connection, "mine").k == 2


def test_a_helper_of_another_release_makes_way(db: Database) -> None:
    """Even if it returned something else; views of the user's stay."""
    settings = "SET search_path = pg_catalog, pg_temp SET jit = off SET extra_float_digits = 1"
    db.run("CREATE VIEW v AS SELECT * FROM rp_project('t', k => 2)")
    db.run("CREATE VIEW listed AS SELECT * FROM sqlrp_methods()")
    for name, arguments in (("sqlrp_write", "text, regclass, jsonb, jsonb"), ("sqlrp_gone", "")):
        db.run(f"DROP FUNCTION IF EXISTS {name}({arguments})")
        db.run(
            f"CREATE FUNCTION {name}({arguments}) RETURNS bigint LANGUAGE sql {settings} AS 'SELECT CAST(1 AS bigint)'"
        )
    sqlrp.install(db.connection)
    assert db.run("SELECT count(*) FROM v") == [(40,)]
    assert len(db.run("SELECT * FROM listed")) > 10
    assert db.run("SELECT to_regproc('sqlrp_gone')") == [(None,)]
