"""`sqlrp.choose` compares candidates by cross-validation, and `sqlrp.quality.friedman` compares methods by ranks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from helpers import assert_one_line
from scipy.stats import friedmanchisquare
from sklearn.linear_model import RidgeClassifier

import sqlrp
from sqlrp._cli.app import cli
from sqlrp._evaluator.row_keys import fold_of
from sqlrp.quality import friedman

PK = sqlrp.PolynomialKernelProjection(k=8, degree=2, c=1, s=1, t=2, seed=1)


@pytest.fixture(scope="module")
def rings() -> Any:
    """A point within a ring or outside: a polynomial of degree 2, and no linear one, tells them apart."""
    with duckdb.connect(config={"threads": "1"}) as con:
        x = np.random.default_rng(5).normal(size=(300, 3))
        frame = pd.DataFrame(x, columns=list("abc")).assign(id=range(300), label=(x**2).sum(axis=1) > 2.4)
        con.register("loaded", frame)
        con.execute("CREATE TABLE rings AS FROM loaded")
        con.unregister("loaded")
        yield con


def test_the_best_candidate_is_of_degree_2(rings: Any, tmp_path: Path) -> None:
    found = sqlrp.choose(sqlrp.grid(PK, degree=[1, 2], k=[8, 40]), "rings", rings, folds=3)
    assert [c.name for c in found.choices] == ["degree=1, k=8", "degree=1, k=40", "degree=2, k=8", "degree=2, k=40"]
    assert found.best.projection.degree == 2
    assert found.best.score > 0.8 > max(c.score for c in found.choices if c.name.startswith("degree=1"))
    assert found.cheapest.terms <= found.best.terms
    table = found.table()
    assert table.column("accuracy").to_pylist() == sorted((c.score for c in found.choices), reverse=True)
    lines = str(found).splitlines()
    assert len(lines) == 5
    assert lines[1].startswith(f"  {found.best.name}")
    assert " best" in lines[1]
    drawn = found.plot(tmp_path / "out.png")
    assert [text.get_text() for text in drawn.axes[0].texts] == [each.name for each in found.choices]
    assert (tmp_path / "out.png").stat().st_size > 5_000


def test_scores_are_those_of_fitting_each_fold_again(rings: Any) -> None:
    """With ridges that are relative to the mean scatter of a component."""
    (found,) = sqlrp.choose([PK], "rings", rings, ridge=[0.1, 10.0], folds=3).choices
    rows = sqlrp.project(PK, sqlrp.Wide("rings", keep=["label"]), rings)
    z, y = np.column_stack([rows.column(f"z{i}") for i in range(8)]), np.array(rows.column("label"))
    unit = ((z - z.mean(axis=0)) ** 2).sum() / 8
    assert found.model.settings.ridges == (pytest.approx(0.1 * unit), pytest.approx(10 * unit))
    fold = fold_of(rows.column("id"), 3, 0)
    model = RidgeClassifier(alpha=found.model.ridge)
    scores = [model.fit(z[fold != i], y[fold != i]).score(z[fold == i], y[fold == i]) for i in range(3)]
    assert found.score == pytest.approx(np.mean(scores), abs=1e-12)
    assert found.deviation == pytest.approx(np.std(scores), abs=1e-12)


def test_refusals(rings: Any) -> None:
    cases: list[tuple[Any, list[str]]] = [
        (lambda: sqlrp.choose([], "rings", rings), ["candidates is empty"]),
        (lambda: sqlrp.choose(PK, "rings", rings), ["must be a list of projections"]),
        (lambda: sqlrp.choose([1], "rings", rings), ["1", "not a projection"]),
        (lambda: sqlrp.grid(PK, degrees=[1]), ["'degrees' is no parameter"]),
        (lambda: sqlrp.grid(PK, degree=2), ["degree = 2 must be a list"]),
        (lambda: sqlrp.grid(PK, k=[0]), ["k = 0"]),
    ]
    for call, words in cases:
        with pytest.raises(sqlrp.ParameterError) as caught:
            call()
        assert_one_line(caught, *words)


# -- ranks -----------------------------------------------------------------------------------------------------

METHODS = ["φ + RP", "t = 30", "t = 10", "t = 2", "t = 1", "KG 9", "KG 6", "KG 3"]
OTHERS = [(4, 5, 7, 6, 8)] * 3 + [(4, 6, 5, 7, 8)] * 7 + [(5, 4, 6, 7, 8), (4, 5, 6, 8, 7)]
PAPER = {
    "t = 30": (0.31731, 0.31731, 0.31731),
    "t = 10": (0.04550, 0.09100, 0.09100),
    "t = 2": (0.00204, 0.00614, 0.00614),
    "t = 1": (6.79534e-6, 2.71813e-5, 2.71813e-5),
    "KG 9": (3.06125e-6, 1.53062e-5, 1.53062e-5),
    "KG 6": (5.43308e-9, 3.25985e-8, 3.25985e-8),
    "KG 3": (4.62394e-12, 3.23676e-11, 3.23676e-11),
}


def test_table_3_4_of_the_thesis() -> None:
    """Ranks with the paper's means give its statistic, 80.805, and its adjusted probabilities."""
    found = friedman(np.array([(1, 2, 3, *row) for row in OTHERS]), methods=METHODS, control="best")
    assert found.statistic == pytest.approx(80.805, abs=1e-3)
    assert [each.method for each in found.against] == list(reversed(PAPER))
    for each in found.against:
        own = PAPER[each.method]
        assert (each.p, each.holm, each.hochberg) == tuple(pytest.approx(p, rel=4e-3) for p in own)
        assert each.bonferroni == pytest.approx(min(7 * own[0], 1), rel=4e-3)
    assert str(found).count("Holm") == 7


DIFFERENCES = {
    0.05: (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    0.10: (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
}
"""Table 5(a) of Demšar 2006: Nemenyi's critical values for 2 to 10 methods, in deviations of a difference of ranks."""


@pytest.mark.parametrize("level", DIFFERENCES)
def test_critical_differences_are_those_of_demsar(level: float) -> None:
    for m, want in enumerate(DIFFERENCES[level], 2):
        found = friedman(np.arange(7.0 * m).reshape(7, m), methods=[f"m{i}" for i in range(m)])
        assert found.critical_difference(level) / np.sqrt(m * (m + 1) / (6 * 7)) == pytest.approx(want, abs=1e-3)


def test_the_statistic_is_scipy_s() -> None:
    draw = np.random.default_rng(0)
    for ties in (False, True):
        x = draw.integers(0, 4, (9, 5)).astype(float) if ties else draw.normal(size=(9, 5))
        found = friedman(pd.DataFrame(x, columns=list("abcde")).assign(name="set"), higher_is_better=True)
        want = friedmanchisquare(*x.T)
        assert (found.statistic, found.p) == (pytest.approx(want.statistic), pytest.approx(want.pvalue))
        assert np.diag(found.pairs).tolist() == [1.0] * 5
        for i, j in zip(*np.triu_indices(5, 1), strict=True):  # at its own probability a difference is the critical one
            gap, p = abs(found.mean_ranks[i] - found.mean_ranks[j]), found.pairs[i, j]
            assert p == found.pairs[j, i]
            assert p == 1 if gap == 0 else found.critical_difference(p) == pytest.approx(gap, rel=1e-6)


def test_tables_of_results() -> None:
    columns = {"rp": [0.2, 0.3, 0.1], "pk": [0.1, 0.2, 0.05], "kg": [0.3, 0.4, 0.2]}
    wants = friedman(columns).mean_ranks
    assert wants == (2.0, 1.0, 3.0)
    assert friedman(pa.table(columns)).mean_ranks == wants
    assert friedman(columns, higher_is_better=True).mean_ranks == (2.0, 3.0, 1.0)
    assert friedman(columns, control="rp").table().column("holm").null_count == 1
    same = friedman({"a": [1, 2], "b": [1, 2]})
    assert (same.statistic, same.p) == (0.0, 1.0)
    for results, words in (
        ({"a": [1, 2]}, ["1 methods", "at least 2"]),
        ({"a": [1, 2], "b": [1, np.nan]}, ["missing"]),
        ({"a": [1, 2], "b": [1]}, ["different lengths"]),
        ([[1, 2]], ["methods = [...]"]),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            friedman(results)
        assert_one_line(caught, *words)
    with pytest.raises(sqlrp.ParameterError, match="control = 'rq' is not a method"):
        friedman(columns, control="rq")


def test_the_command(rings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints what `choose` finds, draws it, and keeps the best model in the database."""
    monkeypatch.chdir(tmp_path)
    rings.execute("COPY rings TO 'rings.parquet'")
    with duckdb.connect("kept.duckdb") as con:
        con.execute("CREATE TABLE rings AS FROM 'rings.parquet'")
    want = sqlrp.choose(sqlrp.grid(PK, degree=[1, 2], k=[8, 20]), "rings", rings, folds=3)
    asked = ["--method", "pk", "--degree", "2", "-t", "2", "-c", "1", "-s", "1", "--seed", "1", "--folds", "3"]
    asked += ["--grid", "degree=1,2", "--grid", "k=8,20"]
    done = CliRunner().invoke(cli, ["choose", "kept.duckdb::rings", *asked, "--plot", "out.png", "--name", "best"])
    assert done.exit_code == 0, done.stderr
    assert done.stdout == f"{want}\n"
    assert Path("out.png").stat().st_size > 5_000
    with duckdb.connect("kept.duckdb") as con:
        assert sqlrp.load_model(con, "best").projection == want.best.projection
    listed = CliRunner().invoke(cli, ["list", "kept.duckdb", "--json"])
    assert json.loads(listed.stdout)["models"] == [{"name": "best", "model": repr(want.best.model)}]
    done = CliRunner().invoke(cli, ["choose", "rings.parquet", *asked, "--cheapest", "-o", "model.json", "--json"])
    found = json.loads(done.stdout)
    assert (found["best"], found["cheapest"]) == (want.best.name, want.cheapest.name)
    assert sqlrp.model_from_json(Path("model.json").read_text()).projection == want.cheapest.projection
    passes = ["--method", "pk", "-k", "8", "--seed", "1", "--passes", "3", "--ridge", "2", "--sql"]
    learnt = CliRunner().invoke(cli, ["learn", "rings.parquet", *passes, "-o", "svm.json"])
    model = sqlrp.model_from_json(Path("svm.json").read_text())
    same = sqlrp.learn(model.projection, "rings", rings, ridge=2.0, passes=3)
    assert learnt.stdout.startswith("SELECT")
    assert np.allclose(model.coef_, same.coef_, rtol=1e-9)
    told = ["--class-weight", "0=1,1=5", "--standardize", "--scoring", "f1", "--coding", "logistic", "--folds", "2"]
    rare = ["--method", "pk", "-k", "8", "--seed", "1", "--ridge", "1", *told, "--task", "classifier"]
    learnt = CliRunner().invoke(cli, ["learn", "rings.parquet", *rare, "-o", "rare.json"])
    assert learnt.exit_code == 0, learnt.stderr
    settings = sqlrp.model_from_json(Path("rare.json").read_text()).settings
    assert (settings.class_weight, settings.standardize, settings.scoring) == ({0: 1.0, 1: 5.0}, True, "f1")
    assert (settings.coding, settings.passes) == ("logistic", 100)
    assert "f1 of 2 folds" in learnt.stdout
    svms = sqlrp.choose(sqlrp.grid(PK, k=[8, 20]), "rings", rings, folds=3, passes=3)
    assert {c.model.settings.passes for c in svms.choices} == {3}
    learnt = CliRunner().invoke(cli, ["learn", "kept.duckdb::rings", "-k", "2", "--name", "best"])
    assert learnt.exit_code == 2
    assert "'best' is the name of another model" in learnt.stderr
    for arguments, words in (
        (["--grid", "k"], "'k' must be a parameter and its values, such as k=64,256"),
        (["--grid", "p=x"], "-p x"),
        (["--grid", "k=8", "--name", "n"], "--name 'n' needs a database"),
        (["--grid", "k=8", "--replace"], "--replace is for --name"),
        (["--grid", "k=8", "--plot", "x.txt"], "must end in one of .png"),
    ):
        refused = CliRunner().invoke(cli, ["choose", "rings.parquet", "--method", "pk", *arguments])
        assert refused.exit_code == 2
        assert words in refused.stderr
