"""Catalogues whose rows were altered."""

from __future__ import annotations

import base64
import contextlib
import json
import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from databases import Database
from hypothesis import strategies as st

import sqlrp
from sqlrp import Projection, SourceError, SparseProjection
from sqlrp._core.errors import SqlrpError
from sqlrp._store import stored
from sqlrp._store.materialize import materialized

X = np.random.default_rng(1).normal(size=(6, 3)).round(3)


OLD = SparseProjection(k=3, s=1, seed=1)


NEW = sqlrp.PrincipalComponents(k=2).fit(X)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=8),
    st.just([]),
    st.just({"a": [1]}),
    st.lists(st.integers(), max_size=3),
    st.sampled_from([[[]] * 40, "9" * 5000, 10**18, -1, 0, "sqrt", "l2", 1e308]),
    st.lists(st.sampled_from(["a", "f0", {}, [], None, 1, 2.5, True, {"a": []}, "\x00"]), max_size=3),
    st.dictionaries(
        st.sampled_from(["a", "f0", "table", "layout"]), st.sampled_from(["a", {}, [], None, 1]), max_size=2
    ),
)


ALTERATIONS = st.fixed_dictionaries(
    {
        "row": st.integers(0, 10**6),
        "how": st.sampled_from(["drop", "retype", "bind", "state", "cut", "random", "add"]),
        "at": st.integers(0, 10**6),
        "value": VALUES,
        "noise": st.binary(min_size=1, max_size=30).map(bytes.hex),
        "forged": st.booleans(),
    }
)
"""What another program may do to the text of a definition: which row, what to it, and whether its fingerprint fits."""


def altered(text: str, how: str, at: int, value: Any, noise: str) -> str:
    """The text of a definition after it was altered."""
    if how == "cut":
        return text[: at % len(text)]
    if how == "random":
        return json.dumps(value)
    values = json.loads(text)
    inner = values
    while at % 2 and isinstance(inner.get("projection", inner.get("of")), dict):
        inner = inner["projection"] if isinstance(inner.get("projection"), dict) else inner["of"]
    key = sorted(inner)[at % len(inner)]
    if how == "drop":
        del inner[key]
    elif how == "bind":
        inner["bound_to" if "k" in inner else "features"] = value
    elif how == "add":
        inner["later"] = value
    elif how == "state" and isinstance(inner.get("state"), str):
        data, new = bytearray(zlib.decompress(base64.b64decode(inner["state"]))), bytes.fromhex(noise)
        data[at % len(data) : at % len(data) + len(new)] = new
        inner["state"] = base64.b64encode(zlib.compress(bytes(data))).decode()
    else:
        inner[key] = value
    return json.dumps(values, sort_keys=True)


def forged(kind: str, text: str) -> dict[str, str]:
    """The columns of a row whose fingerprint and checksum were made for an altered text."""
    if kind == "projection":
        return {"fingerprint": stored.digest(text)}
    try:
        values = {key: value for key, value in json.loads(text).items() if key != "checksum"}
    except (ValueError, AttributeError):
        return {}
    made = json.dumps(values.get("projection"), sort_keys=True)
    return {"definition": stored.sealed(values), "fingerprint": stored.digest(made)}


KEPT: dict[str, Projection] = {
    "sparse": OLD,
    "polynomial": sqlrp.PolynomialKernelProjection(k=2, c=1.0),
    "subspace": sqlrp.RandomSubspace(k=2),
    "fitted": NEW,
    "nystroem": sqlrp.NystroemProjection(k=2).fit(X),
    "given": sqlrp.GivenProjection.of(X.T[:, :2], offset=[1, 2]),
    "sketch": sqlrp.GivenTensorSketch.of([[0, 1, 0], [1, 1, 0]], [[1, 1, -1], [-1, 1, 1]], 2),
    "radial": sqlrp.GivenRadialFeatures.of(X[:2], X[:2, :2], 0.5),
}


class Catalogue:
    """A catalogue with projections of many kinds and a table, whose rows are altered one at a time."""

    def __init__(self, db: Database) -> None:
        if db.name in ("duckdb", "postgresql"):
            db.install()
        self.db, self.source, self.kept = db, db.load("wide", X.tolist(), table="altered"), dict(KEPT)
        self.kept["prepared"] = sqlrp.fit(OLD, sqlrp.Standardized(self.source), db.connection)
        for key, projection in self.kept.items():
            sqlrp.save(projection, db.connection, key)
        sqlrp.materialize(self.kept["prepared"], self.source, db.connection, "made")
        self.rows = db.connector.fetch(
            db.connection,
            "SELECT * FROM sqlrp_catalogue WHERE kind IN ('projection', 'materialized') ORDER BY kind, name",
        ).to_pylist()
        self.rows = [row for row in self.rows if row["name"] in {"made", *self.kept}]

    def check(self, case: dict[str, Any]) -> None:
        """Never a raw error, and never another projection unless its fingerprint was made for it."""
        row = self.rows[case["row"] % len(self.rows)]
        text = altered(row["definition"], *(case[name] for name in ("how", "at", "value", "noise")))
        changes = {"definition": text}
        if case["forged"]:
            changes |= forged(row["kind"], text)
        condition = f"kind = '{row['kind']}' AND name = '{row['name']}'"
        self.write(changes, condition)
        try:
            self.calls(row["kind"], row["name"], text != row["definition"] and not case["forged"])
        finally:
            self.write({key: row[key] for key in ("definition", "fingerprint")}, condition)

    def write(self, changes: dict[str, str], condition: str) -> None:
        """Change a row."""
        texts = ", ".join(f"{column} = {self.db.engine.string(value)}" for column, value in changes.items())
        self.db.run(self.db.engine.updating("sqlrp_catalogue", texts, condition))

    def calls(self, kind: str, key: str, changed: bool) -> None:
        """Every call that reads the catalogue."""
        connection = self.db.connection
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = sqlrp.saved(connection)
            made = materialized(connection)
            findings = sqlrp.check(connection)
        assert found.keys() | {key} >= self.kept.keys()  # the others are read all the same
        if kind == "materialized":
            with contextlib.suppress(SqlrpError):
                sqlrp.refresh(connection, "made")
            if "made" in made:
                repr(made["made"])
            if changed:
                assert "made" not in made
                assert [finding.name for finding in findings] == ["made"]
                with pytest.raises(SourceError):
                    sqlrp.refresh(connection, "made")
            return
        assert "made" in made
        try:
            projection = sqlrp.load(connection, key)
        except SqlrpError:
            assert key not in found
            return
        assert not changed
        assert isinstance(hash(projection), int)
        assert sqlrp.from_json(projection.to_json()) == projection
        for use in (sqlrp.sql, sqlrp.explain):
            with contextlib.suppress(SqlrpError):
                repr(use(projection, self.source, connection))
