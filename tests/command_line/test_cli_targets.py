"""`sqlrp fit --target`, `sqlrp learn` by groups and private, `sqlrp kmeans`: what Python gives."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from commands import run, shop
from taking_part import need_package

import sqlrp
from sqlrp._cli.shared_options import FITTED
from sqlrp._projections.supervised import SupervisedProjection

TARGETS = {"linear-discriminants": "label", "partial-least-squares": "p3", "canonical-correlation": "p2,p3"}
FEATURES = ("p0", "p1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return shop(tmp_path, monkeypatch)


def test_every_method_with_targets_is_here() -> None:
    assert {name for name, cls in FITTED.items() if issubclass(cls, SupervisedProjection)} == set(TARGETS)


@pytest.mark.parametrize("method", TARGETS)
def test_a_method_that_needs_targets(folder: Path, method: str) -> None:
    given = ["--features", ",".join(FEATURES), "--method", method, "-k", 1]
    run("fit", "shop.duckdb::images", *given, "--target", TARGETS[method], "-o", "f.json", "--name", "fitted")
    with duckdb.connect("shop.duckdb") as con:
        targets = TARGETS[method].split(",")
        source = sqlrp.Wide("images", features=FEATURES)
        want = sqlrp.fit(FITTED[method](k=1), source, con, target=targets if len(targets) > 1 else targets[0])
        assert sqlrp.load(con, "fitted") == want == sqlrp.from_json(Path("f.json").read_text())
    done = run("fit", "images.parquet", *given, "-o", "g.json", code=2)
    assert "learns from targets" in done.stderr
    assert not Path("g.json").exists()


def test_labels_of_another_table(folder: Path) -> None:
    with duckdb.connect("shop.duckdb") as con:
        con.execute("CREATE TABLE told AS SELECT id, label FROM images")
    given = ["--features", ",".join(FEATURES), "--method", "linear-discriminants", "-k", 1, "--target", "label"]
    run("fit", "shop.duckdb::images", *given, "-o", "a.json")
    run("fit", "shop.duckdb::images", *given, "--labels", "told", "-o", "b.json")
    assert Path("a.json").read_text() == Path("b.json").read_text()


def test_a_model_for_each_group(folder: Path) -> None:
    given = [
        "shop.duckdb::images",
        "--features",
        ",".join(FEATURES),
        "-k",
        2,
        "-s",
        1,
        "--target",
        "p2",
        "--by",
        "label",
    ]
    given += ["--task", "regressor"]
    with duckdb.connect("shop.duckdb", read_only=True) as con:
        rows, rp = sqlrp.Wide("images", features=FEATURES), sqlrp.SparseProjection(k=2, s=1)
        want = sqlrp.learn(rp, rows, con, "p2", by="label", task="regressor")
    said = run("learn", *given, "-o", "m.json", "--name", "both").stdout
    assert said == f"{want!r}\n"
    assert sqlrp.model_from_json(Path("m.json").read_text()).to_json() == want.to_json()
    found = json.loads(run("learn", *given, "--sql", "--json").stdout)
    assert (found["rows"], found["groups"]) == (1000, want.table().to_pylist())
    with duckdb.connect("shop.duckdb") as con:
        assert sqlrp.load_model(con, "both").to_json() == want.to_json()
        assert len(con.execute(found["sql"]).fetchall()) == 1000
    assert "r2" in json.loads(run("learn", *given, "--folds", 3, "--json").stdout)["groups"][0]
    assert "leave out one" in run("learn", *given, "--passes", 3, "--task", "classifier", code=2).stderr


def test_clusters_are_those_of_python(folder: Path) -> None:
    given = ["shop.duckdb::images", "--features", ",".join(FEATURES), "-k", 2, "-s", 1, "--clusters", 3]
    with duckdb.connect("shop.duckdb", read_only=True) as con:
        rows, rp = sqlrp.Wide("images", features=FEATURES), sqlrp.SparseProjection(k=2, s=1)
        want = sqlrp.kmeans(rp, rows, con, clusters=3)
    assert run("kmeans", *given, "--name", "groups").stdout.startswith(f"{want!r}\nrows of each cluster: ")
    found = json.loads(run("kmeans", *given, "--sql", "--json").stdout)
    assert (found["clusters"], found["inertia"]) == (want.rows.tolist(), want.inertia_)
    with duckdb.connect("shop.duckdb") as con:
        assert sqlrp.load_model(con, "groups").to_json() == want.to_json()
        counted = con.execute(f"SELECT class, count(*) FROM ({found['sql']}) GROUP BY class ORDER BY class").fetchall()
        assert counted == list(enumerate(want.rows.tolist()))


def test_a_private_model(folder: Path) -> None:
    need_package("opendp")
    given = ["learn", "shop.duckdb::images", "--features", ",".join(FEATURES), "-k", 2, "-s", 1, "--target", "p2"]
    given += ["--epsilon", 1, "--task", "regressor"]
    run(*given, "--delta", 1e-5, "--clip", 9, "--bounds", "0,17", "-o", "m.json")
    model = sqlrp.model_from_json(Path("m.json").read_text())
    assert isinstance(model, sqlrp.LinearModel)
    assert model.settings.privacy == sqlrp.Privacy(epsilon=1, delta=1e-5, clip=9, bounds=(0, 17))
    assert "needs --delta and --clip" in run(*given, code=2).stderr
    said = run(*given, "--delta", 1e-5, "--clip", 9, code=2).stderr
    assert "--classes 0,1 or --bounds 0,100" in said
    assert "must be two numbers" in run(*given, "--bounds", 3, code=2).stderr
