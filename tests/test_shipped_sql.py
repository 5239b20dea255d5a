"""What ships as SQL is what its parts and the registry of projections give."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from postgresql_functions import METHODS, Database, with_images
from sqlrp.shipped import build

import sqlrp
from sqlrp.store.functions import FUNCTIONS


@pytest.fixture(scope="module")
def installed() -> Iterator[Database]:
    with with_images() as db:
        sqlrp.install(db.connection)
        yield db


@pytest.mark.parametrize("name", build.PARTS)
def test_a_file_is_what_is_built(name: str) -> None:
    shipped = files("sqlrp.shipped").joinpath(f"{name}.sql").read_text(encoding="utf-8")
    assert shipped == build.built(name), "run python sql/build.py"


@pytest.mark.parametrize("name", build.PARTS)
def test_every_part_is_used(name: str) -> None:
    folder = Path(build.__file__).parent / name
    parts = {path.stem for path in folder.glob("*.sql")} - {"common"}
    assert parts | {"methods"} == set(build.PARTS[name])
    methods = {path.stem for path in folder.glob("methods/*.sql")}
    assert methods <= set(FUNCTIONS)
    assert name != "postgresql" or methods == set(FUNCTIONS)


def test_a_placeholder_without_a_value_is_refused(tmp_path: Path) -> None:
    part = tmp_path / "part.sql"
    part.write_text("SELECT {{prime}}, {{unknown}}")
    with pytest.raises(KeyError, match="unknown"):
        build.filled(part, build.DRAW)
    part.write_text("SELECT {{prime}}")
    assert build.filled(part, build.DRAW) == f"SELECT {2**31 - 1}"


def test_nothing_is_left_to_fill_in() -> None:
    for name in build.PARTS:
        assert not re.search(r"\{\{\w+\}\}", build.built(name))


def test_every_function_says_what_it_takes(installed: Database) -> None:
    said = installed.run(
        "SELECT proname, coalesce(proargnames, '{}'), obj_description(oid, 'pg_proc') FROM pg_proc "
        f"WHERE pronamespace = '{installed.schema}'::regnamespace AND proname ~ '^[a-z0-9]+_project(_sql)?$'"
    )
    assert {name for name, *_ in said} == {f"{function}{twin}" for function in FUNCTIONS for twin in ("", "_sql")}
    for name, arguments, words in said:
        cls = FUNCTIONS[name.removesuffix("_sql")]
        assert cls.__name__ in words
        for parameter in build.given(cls.function, cls):
            assert parameter in arguments
        assert re.findall(r"(\w+): ", words)[:1] == ["k"]


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
