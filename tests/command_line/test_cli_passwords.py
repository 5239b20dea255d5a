"""The command line shows no password and stores none."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import run, shop, url_of
from databases import Database

from sqlrp._cli.app import cli
from sqlrp._core.passwords import scrubbed
from sqlrp._run.database_url import shown

SECRET = "hunter2"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with the shop's files."""
    return shop(tmp_path, monkeypatch)


HOST = "nowhere.invalid"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{SECRET}@127.0.0.1:1/x",
        f"postgresql://u:{SECRET}@{HOST}/x",
        f"postgresql://nobody_of_sqlrp:{SECRET}@127.0.0.1:5432/postgres",
        f"mysql://nobody_of_sqlrp:{SECRET}@127.0.0.1/x",
        f"mariadb://u:{SECRET}@127.0.0.1:1/x",
        f"postgresql://u:{SECRET}@127.0.0.1:port/x",
        f"postgresql://u@127.0.0.1:1/x?password={SECRET}",
        f"postgresql://u@127.0.0.1:1/x?sslpassword={SECRET}&connect_timeout=1",
        f"postgresql://u:{SECRET}@127.0.0.1:1/x?nonsense={SECRET}",
        f"postgresql://u:a@{SECRET}@127.0.0.1:1/x",
        f"postgresql://u:a/{SECRET}@127.0.0.1:1/x",
        f"postgresql://u:a%40{SECRET}@127.0.0.1:1/x",
        f"oracle://u:{SECRET}@127.0.0.1/x",
        f"carrier://u:{SECRET}@127.0.0.1/x",
        f"postgresql+psycopg2://u:{SECRET}@127.0.0.1/x",
    ],
)
def test_no_password_is_shown_where_the_database_cannot_be_reached(folder: Path, url: str) -> None:
    for arguments in (
        ["list", url],
        ["list", "shop.duckdb", url],
        [url],
        ["install", url, "--schema", "s"],
        ["project", "--db", url, "--table", "t", "-o", "a.csv"],
        ["project", url, "--table", "t", "-o", "a.csv"],
        ["project", "--db", "shop.duckdb", "--table", url, "-o", "a.csv"],
        ["project", "shop.duckdb::images", "--into", url, "-k", "2"],
        ["project", "images.parquet", "-o", url, "-k", "2"],
        ["project", "images.parquet", "-o", "a.csv", "--method", url],
        ["refresh", url, "t"],
        ["refresh", "shop.duckdb", url],
    ):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code in (1, 2)
        assert result.stderr.count("\n") == 1
        assert SECRET not in result.output


@pytest.mark.parametrize("name", ["postgresql"])
def test_no_password_is_shown_or_stored_where_all_goes_well(name: str, db: Database, folder: Path) -> None:
    db.make("images", [("id", "BIGINT"), ("p0", "INTEGER"), ("p1", "INTEGER")], [[1, 2, 3], [2, 5, 7], [3, 1, 8]])
    url = url_of(db, SECRET)
    said = [
        run("project", "--db", url, "--table", "images", "--into", "kept", "-k", 2, "--json"),
        run("fit", "--db", url, "--table", "images", "--name", "secretly", "-k", 2, "--n-iter", 1, "--json"),
        run("install", url),
        run("list", url),
        run("refresh", url, "kept", "--json"),
    ]
    assert all(SECRET not in result.output for result in said)
    assert '"db": "postgresql+psycopg://postgres:***@' in said[0].stdout
    stored = db.connector.fetch(db.connection, "SELECT * FROM sqlrp_catalogue").to_pylist()
    assert stored
    assert SECRET not in str(stored)


def test_a_driver_s_words_are_scrubbed() -> None:
    url = "postgresql://me:p%40ss'w@host/db?sslpassword=inner"
    said = "conninfo me:p%40ss'w@host password=p@ss'w ('p@ss\\'w') \"p@ss'w\" sslpassword=inner"
    assert (
        scrubbed(said, ["--db", f"--db={url}"]) == "conninfo me:***@host password=*** ('***') \"***\" sslpassword=***"
    )
    assert shown(url) == "postgresql://me:***@host/db"
    assert scrubbed("postgresql refuses postgres", ["x://a:postgres@h"]) == "postgresql refuses ***"
