"""Every block of the README runs, prints what it shows, and the page fits one screen; generated tables are the code's.

`SQLRP_UPDATE_README=1 pytest tests/site/test_readme.py` writes the output and the tables instead.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from databases import opened
from generated import TABLES
from pages import ROOT, UPDATING, check

import sqlrp
from sqlrp import samples

README = ROOT / "README.md"
WORDS, LONGEST = 900, 24
"""The words of prose, and those of a sentence, at most."""


def prose(text: str) -> list[str]:
    """The sentences outside code, tables, headings and pictures. An item of a list ends one."""
    text = re.sub(r"^```.*?^```$|<!--.*?-->|^[|#][^\n]*$|!\[[^]]*\]\([^)]*\)", "\n\n", text, flags=re.M | re.S)
    text = re.sub(r"`[^`]*`", "code", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text))
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n|^- ", text, flags=re.M)]
    return [sentence for part in parts for sentence in re.split(r"(?<=[.?!:;])\s+", part) if sentence]


SERVER = "PostgreSQL without an extension"
"""The section that needs a server."""


def test_every_block_runs_and_prints_what_the_readme_shows(tmp_path: Path) -> None:
    check(README, tmp_path, runs=lambda heading: heading != SERVER)


def test_the_section_of_postgresql_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is there, as the section says, and pgvector is not."""
    for database in opened("postgresql", tmp_path):
        pool = database.pool()
        monkeypatch.setenv("DATABASE_URL", pool.url.render_as_string(hide_password=False))
        rows = [(row["id"], row["name"], row["e"]) for row in samples.docstrings().to_pylist()]
        with pool.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE docs (id integer PRIMARY KEY, name text, e real[])")
            connection.exec_driver_sql("INSERT INTO docs VALUES (%s, %s, %s)", rows)
        check(README, tmp_path, {"__name__": "page", "sqlrp": sqlrp}, lambda heading: heading == SERVER)
        with pool.connect() as connection:
            of = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'docs_codes'::regclass"
            types = [row[0] for row in connection.exec_driver_sql(of)]
        assert "bit(384)" in types
        pool.dispose()


def test_the_lines_of_the_shell_run(tmp_path: Path) -> None:
    """In an empty folder, with the commands that the installation made."""
    text = README.read_text(encoding="utf-8")
    (lines,) = re.findall(r"^## In a shell\n\n```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    bin = Path(sys.executable).parent
    env = os.environ | {"PATH": f"{bin}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-ec", lines], capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert "bits, Hadamard, k = 384" in done.stdout
    with duckdb.connect(str(tmp_path / "docs.duckdb")) as con:
        assert con.execute("SELECT count(*) FROM codes").fetchone() == (4_000,)
    assert "warning" not in done.stderr


def test_the_first_block_runs_in_an_empty_folder(tmp_path: Path) -> None:
    """It prints bytes, recall and milliseconds, no warning, and leaves no file."""
    (first, *_) = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    done = subprocess.run([sys.executable, "-"], input=first, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    line = r"1,536 bytes become 48: .*\n  of the true ten, .* finds (?:99|100)\.\d%\n  in \d+\.\d ms\n"
    assert re.fullmatch(f"(?:{line}){{2}}", done.stdout)
    assert list(tmp_path.iterdir()) == []


def test_the_picture_says_what_the_first_block_prints() -> None:
    picture = (ROOT / "docs/first_screen.svg").read_text(encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    (printed, *_) = re.findall(r"^```text\n(.*?)^```", text, re.M | re.S)
    (title,) = re.findall(r"<title>(.*)</title>", picture)
    (about,) = re.findall(r"!\[(.*)\]\(docs/first_screen.svg\)", text)
    for words in (picture, title, about):
        assert set(re.findall(r"\d+\.\d%", words)) <= set(re.findall(r"\d+\.\d%", printed))
    assert "1,536 bytes become 48" in printed


def test_it_fits_one_screen_in_short_sentences() -> None:
    sentences = prose(README.read_text(encoding="utf-8"))
    assert 300 < sum(len(sentence.split()) for sentence in sentences) <= WORDS
    assert [sentence for sentence in sentences if len(sentence.split()) > LONGEST] == []


def test_a_long_sentence_and_a_long_page_are_found() -> None:
    assert [len(s.split()) for s in prose("# T\n\nOne two. Three [four](x) `a b`\n\n| a |\n\n- five\n- six\n")] == [
        2,
        3,
        1,
        1,
    ]


@pytest.mark.parametrize("name", TABLES)
def test_generated_tables_are_the_code_s(name: str) -> None:
    made, place = TABLES[name]
    page = ROOT / place
    text = page.read_text(encoding="utf-8")
    table = re.compile(rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    assert table.search(text)
    updated = table.sub(lambda m: m[1] + made() + m[2], text)
    if UPDATING:
        page.write_text(updated, encoding="utf-8")
    else:
        assert text == updated, f"{place}: run SQLRP_UPDATE_README=1 pytest tests/site/test_readme.py -k tables"


def test_the_benchmark_page_is_that_of_its_figures() -> None:
    """bench.md has the figures of each road."""
    assert TABLES["roads"][0]() in (ROOT / "tests/bench/results/bench.md").read_text(encoding="utf-8")


def test_the_commands_are_the_makefile_s() -> None:
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
