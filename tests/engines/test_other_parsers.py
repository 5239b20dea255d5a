"""The text through sqlglot, which SQLMesh, SQLFrame and linters write again: it means the same in two versions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import EVERY, SERVED, X
from databases import Database, opened
from own_packages import installed
from rewriting import OLDEST, UNKNOWN, Parser

import sqlrp
from sqlrp import Array, Long, Wide
from sqlrp._core.errors import SqlrpError
from sqlrp._engines.registry import ENGINES

METHODS = (
    "degree2",
    "embedding-two-levels",
    "fourier",
    "given-sketch",
    "maclaurin",
    "nystroem-rbf",
    "subspace-householder",
)
"""Those whose texts have every operation within every other that any method's text has, on each engine and layout."""
LONGER = ("fourier",)
"""That whose components are also written row by row."""
LOWERINGS = ("inline", "indexed", "relational")
D = X.shape[1]
SEVERAL = "! several statements"
"""Which `parse_one` would cut after the first one."""
ORACLE_S = "RETURNING CLOB"
"""What Oracle's documentation has for a vector of any length, and no version of sqlglot reads."""


@pytest.fixture(scope="module", params=["newest", pytest.param("oldest", marks=pytest.mark.slow)])
def parser(request: pytest.FixtureRequest) -> Iterator[Parser]:
    """sqlglot in a version, in a process of its own."""
    newest = request.param == "newest"
    with closing(Parser(None if newest else installed(f"sqlglot-{OLDEST}", [f"sqlglot=={OLDEST}"]))) as found:
        yield found


def _texts(name: str, source: Wide | Array | Long) -> Iterator[tuple[str, str]]:
    """The texts of the methods in each lowering, each with what it is."""
    for method in METHODS:
        for lowering in LOWERINGS:
            for output in ("columns", "long") if method in LONGER else ("columns",):
                try:
                    text = sqlrp.sql(EVERY[method], source, name, lowering=lowering, output=output)  # type: ignore[arg-type]
                except SqlrpError:
                    continue
                yield f"{method} {lowering} {output}", text


def _rows(db: Database, text: str) -> Any:
    """The rows in order."""
    rows = db.connector.fetch(db.connection, text).to_pylist()
    return np.array(sorted(tuple(row.values()) for row in rows), dtype=np.float64)


@pytest.mark.parametrize("layout", ["wide", "array", "long"])
@pytest.mark.parametrize("name", ["duckdb", *SERVED, "generic"])
def test_what_is_written_again_gives_the_same_numbers(name: str, layout: str, parser: Parser, tmp_path: Path) -> None:
    """The standard's text is run by DuckDB."""
    with contextmanager(opened)("duckdb" if name == "generic" else name, tmp_path) as db:
        source: Any
        if layout == "array":
            if not ENGINES[name].has_arrays:
                return
            source = db.load(layout, X.tolist())
            source = Array(source.table, source.columns, n_features=D)
        else:
            source = db.load(layout, X.tolist())
            source = Wide(source.table, features=[f"f{j}" for j in range(D)]) if layout == "wide" else source
        texts = dict(_texts(name, source))
        again = parser.rewritten([(name, text) for text in texts.values()])
        ran = 0
        for (what, text), written in zip(texts.items(), again, strict=True):
            if written == SEVERAL:
                assert text.count(";\n") >= 1
                continue
            assert not written.startswith("! "), (what, written)
            found, right = (_rows(db, each) for each in (written, text))
            np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-12, err_msg=f"{what}\n{written}")
            ran += 1
        assert ran or (name, layout) == ("clickhouse", "long")


@pytest.mark.parametrize("name", [name for name in ENGINES if name not in ("duckdb", *SERVED, "generic")])
def test_what_a_warehouse_reads_is_read(name: str, parser: Parser) -> None:
    """No such engine runs here: sqlglot reads its text, writes it, and reads that with the same operations."""
    texts = {
        f"{layout} {what}": text
        for layout, source in {
            "wide": Wide("w", features=[f"f{j}" for j in range(D)]),
            "array": Array("a", "x", n_features=D),
            "long": Long("cells", n_features=D),
        }.items()
        for what, text in _texts(name, source)
        if ORACLE_S not in text
    }
    assert any(what.startswith("wide") for what in texts)
    for what, written in zip(texts, parser.rewritten([(name, text) for text in texts.values()]), strict=True):
        if written == UNKNOWN:
            pytest.skip(f"sqlglot knows no {name}")
        assert written == SEVERAL or not written.startswith("! "), (what, written)


def test_a_vector_of_oracle_is_refused_by_the_parser_and_not_cut(parser: Parser) -> None:
    """FROM_VECTOR has no other form for a CLOB (SQL Language Reference 23): the parser fails, and drops nothing."""
    text = sqlrp.sql(EVERY["linear"], Array("a", "x", n_features=D), "oracle")
    assert ORACLE_S in text
    assert parser.rewritten([("oracle", text)])[0].startswith("! ")
