"""The shipped SQL files match their parts and the registry of projections."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

import duckdb
import pytest
from postgresql_functions import METHODS, Database, equal, with_images
from sqlrp._shipped import build

import sqlrp
from sqlrp._core.draw import resolve_s
from sqlrp._core.errors import UnsupportedError
from sqlrp._projections import FUNCTIONS
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import SeededProjection
from sqlrp._store.method_data import WRITERS, data
from sqlrp.stages import BlockSums, SignedSums, Stage, products_of


@pytest.fixture(scope="module")
def installed() -> Iterator[Database]:
    with with_images() as db:
        sqlrp.install(db.connection)
        yield db


@pytest.mark.parametrize("name", build.PARTS)
def test_a_file_is_what_is_built(name: str) -> None:
    shipped = files("sqlrp._shipped").joinpath(f"{name}.sql").read_text(encoding="utf-8")
    assert shipped == build.built(name), "run python sql/build.py"


@pytest.mark.parametrize("name", build.PARTS)
def test_every_part_is_used(name: str) -> None:
    folder = Path(build.__file__).parent / name
    parts = {path.stem for path in folder.glob("*.sql")} - {"checked", "function", "one_vector", "told"}
    assert parts | {"methods"} == set(build.PARTS[name])


def test_a_placeholder_without_a_value_is_refused(tmp_path: Path) -> None:
    part = tmp_path / "part.sql"
    part.write_text("SELECT {{prime}}, {{unknown}}")
    with pytest.raises(KeyError, match="unknown"):
        build.read(part, build.DRAW)
    part.write_text("SELECT {{prime}}")
    assert build.read(part, build.DRAW) == f"SELECT {2**31 - 1}"


def test_nothing_is_left_to_fill_in() -> None:
    for name in build.PARTS:
        assert not re.search(r"\{\{\w+\}\}", build.built(name))


def test_every_macro_of_duckdb_says_what_it_takes() -> None:
    with duckdb.connect() as con:
        sqlrp.install(con)
        sqlrp.install(con)
        said = con.execute(
            "SELECT function_name, parameters, comment FROM duckdb_functions() WHERE NOT internal AND "
            "regexp_matches(function_name, '^[a-z0-9]+_((project|with)(_sql)?|vector)$') "
            "AND function_name <> 'sqlrp_with'"
        ).fetchall()
    want = {f"{function}{twin}": cls for function, cls in FUNCTIONS.items() for twin in ("", "_sql")}
    want |= {build.vector_name(function): cls for function, cls in FUNCTIONS.items() if not cls.key_argument}
    assert {name for name, *_ in said} == want.keys() | {"project_with", "project_with_sql", "vector_with"}
    for name, arguments, words in said:
        if name not in want:
            assert words == build.SAVED
            continue
        assert want[name].__name__ in words
        for parameter in build.given(want[name]):
            assert parameter in arguments
            assert f"{parameter}: " in words


def test_every_function_says_what_it_takes(installed: Database) -> None:
    said = installed.run(
        "SELECT proname, coalesce(proargnames, '{}'), obj_description(oid, 'pg_proc') FROM pg_proc "
        f"WHERE pronamespace = '{installed.schema}'::regnamespace AND proname ~ '^[a-z0-9]+_(project(_sql)?|vector)$'"
    )
    saved = installed.run(
        "SELECT obj_description(oid, 'pg_proc') FROM pg_proc WHERE proname ~ '^project_with(_sql)?$' "
        f"AND pronamespace = '{installed.schema}'::regnamespace"
    )
    assert [words for (words,) in saved] == [build.SAVED] * 2
    there = FUNCTIONS
    want = {f"{f}{twin}": cls for f, cls in there.items() for twin in ("", "_sql")}
    want |= {build.vector_name(f): cls for f, cls in there.items() if not cls.key_argument}
    assert {name for name, *_ in said} == want.keys()
    for name, arguments, words in said:
        cls = want[name]
        assert cls.__name__ in words
        for parameter in build.given(cls):
            assert parameter in arguments
            assert f" {parameter}: " in words


@pytest.mark.parametrize("method", METHODS)
def test_a_warning_is_that_of_python(installed: Database, method: str) -> None:
    call, projection = METHODS[method]
    heard = told(installed, call.format("'images'"))
    caution = projection.caution(2)
    assert heard == ([caution] if caution else [])


def test_a_warning_needs_as_many_components_as_features(installed: Database) -> None:
    assert told(installed, "rp_project('images', k => 1)") == []
    assert told(installed, "pk_project('images', k => 2, degree => 2)") == []
    assert told(installed, "pk_project('images', k => 2, degree => 1, p => 4)") == [
        sqlrp.PolynomialKernelProjection(k=2, degree=1, p=4).caution(2)
    ]
    (words,) = told(installed, "rp_project('images', k => 1000)")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sqlrp.project(sqlrp.SparseProjection(k=1000), "images", installed.connection)
    assert words in [str(warning.message) for warning in caught]


def told(db: Database, call: str) -> list[str]:
    """The warnings of a call."""
    driver = db.connection.connection.driver_connection
    heard: list[str] = []
    hear = lambda notice: heard.append(notice.message_primary)  # noqa: E731
    driver.add_notice_handler(hear)
    try:
        db.run(f"SELECT * FROM {call}")
    finally:
        driver.remove_notice_handler(hear)
    return heard


@dataclass(frozen=True)
class Squares(SeededProjection):
    """k squared sums, times `weight`: a method whose stages exist already."""

    weight: int = 3

    function: ClassVar[str] = "squares_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"weight": "what the squares are multiplied with"}

    def check(self) -> None:
        check_whole("weight", self.weight, 1)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        squares = products_of(self.k, 1, lambda c, _: (1, (c, c)))
        return SignedSums(self.k, resolve_s(self.s, n_features), self.seed), squares

    def factor(self, n_features: int | None) -> float:
        return self.weight


def test_a_new_method_is_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parameters, their defaults and checks, its stages and its comment come from the class."""
    monkeypatch.setitem(FUNCTIONS, "squares_project", Squares)
    text = re.sub(r"^(BEGIN|COMMIT);$", "", build.built("postgresql"), flags=re.MULTILINE)
    with with_images() as db:
        db.connection.exec_driver_sql(text, execution_options={"no_parameters": True})
        for lowering in ("inline", "relational"):
            got = db.z(f"squares_project('images', k => 4, s => 1, weight => 2, lowering => '{lowering}')")
            want = sqlrp.project(Squares(k=4, s=1, weight=2), "images", db.connection, output="array")
            equal(got, want, "id")
        equal(
            db.z("squares_project('images')"), sqlrp.project(Squares(), "images", db.connection, output="array"), "id"
        )
        said = db.refused("squares_project('images', weight => 0)")
        assert said.message_primary == "weight = 0 must be a whole number >= 1"


def test_a_draw_of_blocks_that_would_be_lost_is_refused() -> None:
    again = BlockSums(2, 4, seed=7, purpose=99)
    for write in (lambda: WRITERS["duckdb"].stage(again, 3), lambda: WRITERS["postgresql"].stage(again, 3)):
        with pytest.raises(UnsupportedError, match="draw BlockSums for one purpose: take SignedSums or NormalSums"):
            write()
    with pytest.raises(UnsupportedError, match="draw BlockSums for one purpose"):
        data.stage(again)
