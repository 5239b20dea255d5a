"""Try an installed sqlrp: every part that the installed packages allow, in a few seconds. It needs no clone."""

from __future__ import annotations

import importlib.util
import io
import logging
import subprocess
import sys
import tempfile
from importlib.metadata import distribution, version
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import sqlalchemy as sa

import sqlrp
from sqlrp._core.native_library import EXTENSION, library
from sqlrp._core.shipped_files import copy_of, text_of


def has(package: str) -> bool:
    """Whether a package is installed."""
    return importlib.util.find_spec(package) is not None


def main() -> None:
    """Project, save, run the SQL that ships, and each extra that is there."""
    assert version("sqlrp") == sqlrp.__version__
    assert "site-packages" in str(sqlrp.__file__), f"this is a clone, not an installed package: {sqlrp.__file__}"
    x = np.random.default_rng(0).normal(size=(60, 12)).round(3)
    frame = pd.DataFrame(x, columns=[f"f{j}" for j in range(12)])
    rp = sqlrp.SparseProjection(k=4, s=1, seed=7)
    want = sqlrp.project(rp, frame, key=None).to_numpy()
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT row_number() OVER () AS id, * FROM frame")
    for lowering in ("inline", "indexed", "relational", "native"):
        got = sqlrp.project(rp, "t", con, lowering=lowering).sort_by("id").drop_columns("id").to_pandas().to_numpy()
        assert np.allclose(got, want), lowering
    said = installed(con)
    sqlrp.save(rp, con, "kept")
    assert len(con.sql("FROM project_with('kept', 't')").fetchall()) == 60
    engine = sa.create_engine("sqlite://")
    with engine.connect() as conn:
        frame.assign(id=range(60)).to_sql("t", conn, index=False)
        assert sqlrp.project(rp, "t", conn).num_rows == 60
    for name in ("postgresql", "snowflake", "spark"):
        assert "SELECT" in sqlrp.sql(rp, sqlrp.Wide("t", features=list(frame.columns)), name)
    assert 0 < sqlrp.diagnose(rp, frame, key=None).recall <= 1
    wheel = distribution("sqlrp").read_text("WHEEL") or ""
    assert ("Tag: py3-none-any" in wheel) == (library() is None), "a wheel of a platform has the native library"
    tried = ["core", "numpy" if library() is None else "native"]
    if copy_of(text_of("duckdb.sql")).is_file():
        assert "COPY FROM DATABASE" in said
        tried.append("copied macros")
    tried += of_files(rp, frame, want, said)
    if has("sklearn"):
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        from sqlrp.sklearn import SparseProjection

        model = make_pipeline(StandardScaler(), SparseProjection(4, random_state=1), LogisticRegression())
        scores = sqlrp.score(model.fit(frame, x[:, 0] > 0), "t", con).sort_by("id")
        assert scores["class"].to_pylist() == model.predict(frame).tolist()
        tried.append("sklearn")
    print(f"sqlrp {sqlrp.__version__} on Python {sys.version.split()[0]}: {', '.join(tried)}")


def of_files(rp: sqlrp.Projection, frame: pd.DataFrame, want: np.ndarray, said: str) -> list[str]:
    """Try what works with files, and name the parts that are there. `said`: what `install` logged."""
    tried = []
    with tempfile.TemporaryDirectory() as folder:
        if EXTENSION.is_file():
            assert "allow_unsigned_extensions" in said, "install says how to allow the extension"
            assert np.allclose(by_extension(frame, f"{folder}/t.duckdb"), want)
            tried.append("extension")
        if has("click"):
            frame.assign(id=range(60)).to_parquet(f"{folder}/t.parquet")
            command = [sys.executable, "-m", "sqlrp", "project", "t.parquet", "-o", "z.parquet", "-k", "4"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            assert len(pd.read_parquet(f"{folder}/z.parquet")) == 60
            tried.append("cli")
        if has("jinja2"):
            sqlrp.report(rp, frame, None, f"{folder}/r.html", key=None)
            assert Path(f"{folder}/r.html").read_text(encoding="utf-8").endswith("</html>\n")
            tried.append("report")
        if has("matplotlib"):
            sqlrp.diagnose(rp, frame, key=None).plot(f"{folder}/r.png")
            tried.append("plot")
    return tried


def installed(con: duckdb.DuckDBPyConnection) -> str:
    """Install the functions; what sqlrp logs of it."""
    log, text = logging.getLogger("sqlrp"), io.StringIO()
    handler = logging.StreamHandler(text)
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    sqlrp.install(con)
    log.removeHandler(handler)
    log.setLevel(logging.NOTSET)
    return text.getvalue()


def by_extension(frame: pd.DataFrame, path: str) -> np.ndarray:
    """The components as DuckDB's extension computes them, which `connect` loads."""
    with sqlrp.connect(path) as con:
        con.execute("CREATE TABLE t AS SELECT row_number() OVER () AS id, * FROM frame")
        query = "FROM rp_project('t', k := 4, s := 1, seed := 7, lowering := 'native') ORDER BY id"
        return np.asarray(con.execute(query).df().drop(columns="id"))


if __name__ == "__main__":
    main()
