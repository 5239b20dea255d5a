"""Malformed addresses of databases, as `fuzz` draws them: their password is never printed."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import chdir
from typing import Any

from click.testing import CliRunner
from fuzz_numbers import Case
from hypothesis import strategies as st

from sqlrp._cli.app import cli

SECRET = "hunter2"
SLASHES = ("://", ":/", "//", "/", ":///", ":\\")
"""What is written for ://; without any, nothing tells a password from a part of a name."""
ENDS = ("@", "@@", "%40@", " @", "@/")
SEPARATORS = ("", "/", ":", "//", ":/", "://", ":///", "@", "?", "&", " ", "=", "%", "%40", "#", "[", "]", "\\", "'")


@st.composite
def url_cases(draw: Any) -> Case:
    """What a hurried hand makes of an address with a password in it."""
    server = draw(st.booleans())
    scheme = draw(
        st.sampled_from(["postgresql", "postgres", "mysql", "mariadb", "oracle"] if server else ["sqlite", "x"])
    )
    sep = st.sampled_from(SEPARATORS)
    user, host = (
        draw(st.sampled_from(["u", "", "u:v", "a b"])),
        draw(st.sampled_from(["127.0.0.1:9", "localhost:1", "", "h"])),
    )
    slashes = draw(st.sampled_from(SLASHES)) if server else "://"
    forms = [
        f"{scheme}{slashes}{user}:{SECRET}@{host}/{draw(st.sampled_from(['x', '', 'x?y']))}",
        f"{scheme}{slashes}{user}:{SECRET}{draw(st.sampled_from(ENDS))}{host}",
        f"{scheme}://{host}/x?password={SECRET}{draw(sep)}",
        f"host={host}{draw(sep)} user={user} password={SECRET}{draw(sep)}",
        f"{scheme}://{user}:{SECRET}@{host}",
        f"{scheme}://{host}/x?{draw(st.sampled_from(['passwd', 'pwd', 'token', 'secret', 'sslpassword']))}={SECRET}",
    ]
    where = draw(st.sampled_from(["--db", "SOURCE", "::"]))
    return {"url": draw(st.sampled_from(forms)), "where": where}


def check_url(case: Case, seen: Counter[str]) -> None:
    """One line of error, and never the password."""
    url = case["url"]
    arguments = {"--db": ["--db", url, "--table", "t"], "SOURCE": [url], "::": [f"{url}::t"]}[case["where"]]
    runner = CliRunner()
    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # SQLite makes a file of the name
        result = runner.invoke(cli, ["explain", *arguments, "-k", "2"])
    assert SECRET not in result.output + result.stderr, result.output + result.stderr
    assert result.exit_code in (1, 2), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    seen["cases"] += 1
