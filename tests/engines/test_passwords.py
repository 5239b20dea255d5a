"""No password of a URL or DSN is printed, even if the URL is malformed."""

from __future__ import annotations

import contextlib
import tempfile
import traceback
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sqlrp
from sqlrp._cli.app import cli
from sqlrp._core.errors import SqlrpError, StatementError, shorten
from sqlrp._core.passwords import without_passwords
from sqlrp._engines.registry import connector_of, dialect_named

SECRET = "hunter2"
SCHEMES = ("postgresql", "postgres", "mysql", "mariadb", "postgresql+psycopg", "mssql", "Postgresql")
AFTER_SCHEME = ("://", ":/", "//", ":///", "/", ":", ":\\\\", ": //", "::/")
AROUND = (
    "",
    "",
    "",
    "@",
    "/",
    ":",
    "%40",
    "%",
    " ",
    "\n",
    "'",
    '"',
    "\\",
    "#",
    "?",
    "&",
    "=",
    "é",
    "$(x)",
    ";",
    "\x1b[",
)
AFTER_USER = ("@127.0.0.1:1/x", "@127.0.0.1:1", "@", "@/x", "@[::1]:1/x", "@127.0.0.1:port/x", "@127.0.0.1:1/x?a=b@c")
KEYS = ("password", "PASSWORD", "passwd", "pwd", "sslpassword", "secret", "token")


@st.composite
def urls(draw: st.DrawFn) -> str:
    """A URL that may lack a sign or have one too many, with a password in the place of one."""
    scheme, after = draw(st.sampled_from(SCHEMES)), draw(st.sampled_from(AFTER_SCHEME))
    user = draw(st.sampled_from(["u", "", "u.v", "ü"]))
    password = draw(st.sampled_from(AROUND)) + SECRET + draw(st.sampled_from(AROUND))
    return f"{scheme}{after}{user}:{password}{draw(st.sampled_from(AFTER_USER))}"


@st.composite
def settings_(draw: st.DrawFn) -> str:
    """A DSN of key=value, or a URL's query."""
    quote, space = draw(st.sampled_from(["", "'", '"'])), draw(st.sampled_from(["=", " = "]))
    password = f"{draw(st.sampled_from(KEYS))}{space}{quote}{SECRET}{quote}"
    before = draw(st.sampled_from(["", "host=127.0.0.1 port=1 user=u ", "postgresql://u@127.0.0.1:1/x?", "a=b;"]))
    return before + password + draw(st.sampled_from(["", " dbname=x", "&a=b", ";b=c", "#x"]))


TEXTS = urls() | settings_()
COMMANDS: list[list[str]] = [
    ["list", "URL"],
    ["URL"],
    ["--URL"],
    ["install", "URL", "--schema", "s"],
    ["refresh", "URL", "t"],
    ["refresh", "nothing.duckdb", "URL"],
    ["project", "--db", "URL", "--table", "t", "-o", "a.csv"],
    ["project", "--db=URL", "--table", "t", "-o", "a.csv"],
    ["project", "URL", "-o", "a.csv"],
    ["project", "URL::t", "-o", "a.csv"],
    ["project", "a.parquet", "-o", "URL"],
    ["project", "a.parquet", "-o", "URL.csv"],
    ["project", "a.parquet", "-o", "a.csv", "--method", "URL"],
    ["project", "a.parquet", "-o", "a.csv", "-k", "URL"],
    ["project", "a.parquet", "-o", "a.csv", "-s", "URL"],
    ["project", "a.parquet", "-o", "a.csv", "--keep", "URL"],
    ["explain", "URL", "--features", "a", "--dialect", "duckdb"],
    ["explain", "--db", "URL", "--table", "t"],
    ["sql", "--table", "URL", "--features", "a", "--dialect", "duckdb"],
    ["sql", "a", "--features", "a", "--dialect", "duckdb", "--as", "URL"],
    ["diagnose", "--db", "URL", "--table", "t"],
    ["report", "--db", "URL", "--table", "t", "-o", "a.html"],
    ["fit", "a.parquet", "--name", "URL"],
    ["fit", "a.parquet", "-o", "none/URL"],
    ["export", "--db", "URL", "--table", "t", "folder"],
    ["dbt", "--db", "URL", "--table", "t", ".", "--name", "m"],
    ["dbt", "t", "URL", "--features", "a", "--dialect", "duckdb", "--name", "m"],
]  # fmt: skip


@settings(max_examples=300)
@given(command=st.sampled_from(COMMANDS), url=TEXTS, environment=st.booleans(), trace=st.booleans())
@example(["list", "URL"], f"postgresql:/u:{SECRET}@h/x", False, False)
@example(["list", "URL"], f"postgresql//u:{SECRET}@h/x", False, False)
@example(["list", "URL"], f"host=h password={SECRET}", False, False)
def test_no_command_prints_a_password(
    tmp_path: Path, command: list[str], url: str, environment: bool, trace: bool
) -> None:
    arguments = [part.replace("URL", url) for part in command]
    env = {"SQLRP_TRACEBACK": "1" if trace else None, "SQLRP_DB": url if environment and "--db" in command else None}
    if env["SQLRP_DB"]:
        at = arguments.index("--db")
        del arguments[at : at + 2]
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder, contextlib.chdir(folder):
        result = CliRunner().invoke(cli, arguments, env=env)
    assert result.exit_code in (1, 2), result.output
    assert SECRET not in result.output
    assert trace or result.stderr.count("\n") == 1


CALLS: list[Any] = [
    lambda url: sqlrp.sql(sqlrp.SparseProjection(k=2), sqlrp.Wide("t", features=["a"]), url),
    lambda url: sqlrp.project(sqlrp.SparseProjection(k=2), "t", url),
    sqlrp.saved,
    sqlrp.install,
    lambda url: sqlrp.refresh(url, "t"),
    lambda url: sqlrp.SparseProjection(k=url),
    lambda url: sqlrp.SparseProjection(s=url),
    sqlrp.from_json,
    connector_of,
    dialect_named,
    lambda url: connector_of({"dsn": url, "password": SECRET}),
]


@settings(max_examples=200)
@given(call=st.sampled_from(CALLS), url=TEXTS.filter(lambda t: without_passwords(t) != t), padding=st.integers(0, 90))
def test_no_error_of_python_s_prints_a_password(call: Any, url: str, padding: int) -> None:
    with pytest.raises((SqlrpError, ValueError, TypeError)) as caught:
        call(" " * padding + url)
    ours = [line for line in traceback.format_exception(caught.value) if not line.lstrip().startswith("File ")]
    assert SECRET not in str(caught.value)
    assert SECRET not in "".join(ours)


@settings(max_examples=200)
@given(url=urls() | settings_(), length=st.integers(5, 200), padding=st.integers(0, 700))
@example(f"postgresql:/u:{SECRET}@h/x", 20, 0)
def test_what_is_cut_holds_no_half_of_a_password(url: str, length: int, padding: int) -> None:
    url = url.replace(" ", "").replace("\n", "")
    if without_passwords(url) == url:
        return
    for shown in (shorten(url, length), str(StatementError(f"SELECT '{'x' * padding}' FROM f('{url}')", "no"))):
        assert SECRET[:3] not in shown


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me@host:5432/x cannot be reached: no route for me@host",
        "postgresql://127.0.0.1:5432/shop",
        "postgresql://[::1]:5432/shop",
        "there is no file 's3://bucket/images.parquet'",
        "duckdb:///C:/data/shop.duckdb",
        'password authentication failed for user "me"',
        "column 'n_tokens' = 5, 'a::text', x @ y: use 'pass'",
        "source t: name it by relation (see sqlrp project --help)",
    ],
)
def test_what_holds_no_password_stays(text: str) -> None:
    assert without_passwords(text) == text


@pytest.mark.parametrize("url", ["duckdb:///:memory:", "sqlite:///:memory:", "file:///data/shop:1.db"])
def test_a_sentence_about_a_file_keeps_its_words(url: str) -> None:
    """Files and databases in memory have no user. The password of another URL in the sentence is hidden."""
    said = f"url = '{url}' is no URL such as postgresql://me@host/shop, nor postgresql://me:"
    assert without_passwords(f"{said}{SECRET}@host/shop") == f"{said}***@host/shop"


def test_a_wrong_url_is_told_with_its_remedy() -> None:
    with pytest.raises(SqlrpError, match="postgresql://me@host/shop: for DuckDB, pass duckdb"):
        sqlrp.connect("duckdb:///:memory:")


def test_keys_of_files_and_queries_that_sign_them_are_hidden() -> None:
    """Under any name in the query of a URL, and under the names of keys elsewhere."""
    from sqlrp._core.passwords import without_passwords

    for text in (
        "https://a.blob.core.windows.net/c/x.parquet?sv=2020&sig=HIDE%2Bthis failed",
        "s3://b/x.parquet?s3_access_key_id=HIDEthis&s3_secret_access_key=HIDEthis",
        "FROM 'https://b.s3.amazonaws.com/x?X-Amz-Signature=HIDEthis'",
        "AccountName=a;AccountKey=HIDEthis==;EndpointSuffix=x",
        "api_key=HIDEthis, X-Amz-Signature=HIDEthis",
    ):
        assert "HIDE" not in without_passwords(text)
    for text in ("key = 'id' is not a column", "https://duckdb.org/docs/x failed", "signed = 3"):
        assert without_passwords(text) == text
