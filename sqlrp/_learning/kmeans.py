"""k-means of the rows of a source, from sums that are computed where the rows are."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._connectors.foresight import foreseen
from sqlrp._core.draw import check_seed
from sqlrp._core.errors import ParameterError, SourceError
from sqlrp._core.options import Nulls, Options
from sqlrp._core.sources import Join, Source, Standardized
from sqlrp._core.values import dataclass
from sqlrp._engines.registry import connector_of
from sqlrp._evaluator.moments import Matrix
from sqlrp._learning.model_fields import CLUSTERS, FORMAT, check_clusters, written_projection
from sqlrp._learning.row_sums import RowSums, SumRequest, summing
from sqlrp._lowering.tallies import decisions_of
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import Projection, checked
from sqlrp._run.frames.kinds import is_dataframe
from sqlrp._run.frames.matrix import project_array
from sqlrp._run.row_sample import sample
from sqlrp._run.statistics import plain

_STARTS = 10
"""The draws of first centres of which the best one is taken."""
_ENOUGH = 1e-4
"""The passes end when the squares of the centres' steps are less than this share of the mean variance of a component,
as in scikit-learn."""


@dataclass(frozen=True, eq=False, repr=False)
class KMeans:
    """Centres of clusters of a source's rows. `sqlrp.score` and `score_sql` say which one is nearest to a row.

    >>> model = sqlrp.kmeans(rp, "points", con, clusters=3)
    >>> isinstance(model, sqlrp.KMeans), model.cluster_centers_.shape, int(model.rows.sum())
    (True, (3, 2), 50)
    >>> sqlrp.score(model, "points", con).column_names[:2]
    ['id', 'class']
    """

    projection: Projection
    cluster_centers_: Matrix
    """the means of the components of the rows of each cluster, shape (clusters, k)"""
    rows: npt.NDArray[np.int64]
    """the number of rows of each, shape (clusters,)"""
    inertia_: float
    """the sum of the squared distances of the components of all rows from their centres"""
    passes: int
    """over the rows"""
    converged: bool
    """whether the last pass hardly moved the centres"""
    how: str = ""
    """how the sums were computed"""

    def __repr__(self) -> str:
        """The projection, the number of clusters, and the inertia."""
        said = [type(self.projection).__name__, f"k={self.projection.k}", f"clusters={len(self.rows)}"]
        said += [f"rows={self.rows.sum():,}", f"inertia={self.inertia_:.5g}", f"passes={self.passes}"]
        return f"KMeans({', '.join(said)}{'' if self.converged else ', not converged'})"

    @property
    def classes_(self) -> npt.NDArray[np.int64]:
        """The numbers of the clusters, from 0."""
        return np.arange(len(self.rows))

    @property
    def coef_(self) -> Matrix:
        """The centres: the decision of a centre c for components z is z·c - |c|²/2, and is greatest for the nearest."""
        return self.cluster_centers_

    @property
    def intercept_(self) -> Matrix:
        """-|c|²/2 of each centre c."""
        return decisions_of(self.cluster_centers_)[1]

    def decision_function(self, z: Any) -> Matrix:
        """The decisions of components, shape (rows, clusters)."""
        return np.asarray(np.asarray(z, dtype=np.float64) @ self.coef_.T + self.intercept_)

    def predict(self, z: Any) -> npt.NDArray[np.int64]:
        """The numbers of the nearest centres of components, which have the shape (rows, k)."""
        return np.asarray(self.decision_function(z).argmax(axis=1))

    def to_json(self) -> str:
        """The model as JSON text, for `model_from_json`."""
        about = {"kind": CLUSTERS, "format": FORMAT, "projection": json.loads(self.projection.to_json())}
        about |= {"centers": self.cluster_centers_.tolist(), "rows": self.rows.tolist(), "inertia": self.inertia_}
        return json.dumps({**about, "passes": self.passes, "converged": self.converged, "how": self.how})


def clusters_of(found: dict[str, Any]) -> KMeans:
    """The model of a parsed text. Raises ParameterError for one that `to_json` cannot have written."""
    projection = written_projection(found.get("projection"))
    check_clusters(found, projection.k)
    centres, rows = np.array(found["centers"], dtype=float), np.array(found["rows"], dtype=np.int64)
    return KMeans(projection, centres, rows, float(found["inertia"]), found["passes"], found["converged"], found["how"])


@foreseen
def kmeans(
    projection: Projection,
    source: Source | Standardized | str,
    connection: Any,
    clusters: int = 8,
    *,
    sample_rows: int = 10_000,
    passes: int = 100,
    seed: int = 0,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> KMeans:
    """Find clusters of a source's rows by k-means on their components, from sums of the rows.

    A pass finds the nearest centre of each row, and each centre becomes the mean of its rows (Lloyd 1982). Only the
    number and the sums of the rows of each cluster leave the database. The first centres are those of a sample of
    `sample_rows` rows, drawn as in `sqlrp.fit`: the best of ten draws by k-means++ (Arthur and Vassilvitskii 2007),
    after passes over the sample in this process. So few `passes` over all rows are needed. They end when the centres
    hardly move.

    A projection keeps the squared distances of all rows up to a factor near 1, and with them the inertia of every
    clustering (Boutsidis et al. 2010). Principal components keep most of it. Distances are those of the components, so
    scale features of other units by `Standardized`.

    Pass the model to `sqlrp.score` and `score_sql`: `class` is the number of the cluster of each row, from 0. A centre
    that is nearest to no row stays where it is. Rows with NULL are left out, unless `nulls` is "zero". `lowering` as in
    `sqlrp.learn`. Raises ParameterError for more clusters than rows of the sample, SourceError for NaN or infinity, and
    the errors of `sqlrp.project`.

        >>> model = sqlrp.kmeans(rp, "points", con, clusters=3)
        >>> model.converged, len(model.rows)
        (True, 3)
    """
    projection = checked(projection)
    check_whole("clusters", clusters, 1)
    check_whole("sample_rows", sample_rows, clusters, why=", as many as the clusters or more")
    check_whole("passes", passes, 1)
    check_seed(seed)
    if is_dataframe(source):
        raise ParameterError("scikit-learn clusters dataframes: put a transformer of sqlrp.sklearn before its KMeans")
    if isinstance(source, Join):
        raise ParameterError("a Join has no sample to begin with: make a view of the joined rows, and name it")
    connector = connector_of(connection)
    with connector.working(connection) as session:
        own, rows = plain(projection, source, session)
        x, _ = sample(rows, session, sample_rows, seed, own.bound_to, quiet=True)
        if any(stage.groups for stage in own.stages(x.shape[1])):
            raise ParameterError(f"{type(projection).__name__} sums groups of rows: materialize it, and name its table")
        x = np.where(np.isnan(x), 0.0, x) if nulls == "zero" else x[~np.isnan(x).any(axis=1)]
        if len(x) < clusters:
            raise ParameterError(
                f"clusters = {clusters} is more than the {len(x)} rows without NULL that were sampled: lower it"
            )
        z = project_array(own, x)
        if not np.isfinite(z).all():
            raise SourceError("a feature or a component is NaN or infinite: clean the rows, or keep them out by a view")
        centres, rng = None, np.random.default_rng(seed)
        for _ in range(_STARTS):
            found = _here(z, _plus_plus(z, clusters, rng), passes)
            centres = found if centres is None or found[1] < centres[1] else centres
        assert centres is not None
        options = Options("columns", True, nulls, lowering)
        with summing(replace(SumRequest.whole(connector, session, rows, own, options), again=True)) as sums:
            return _passes(sums, own, centres[0], passes)


def _passes(sums: RowSums, projection: Projection, centres: Matrix, passes: int) -> KMeans:
    """The model of so many passes over all rows. Raises SourceError if there are none."""
    shift, done, converged, inertia = centres.mean(axis=0), 0, False, 0.0
    while True:
        found = sums.nearest(centres, shift)
        rows, total = found[:, 0], found[:, 0].sum()
        if not total:
            raise SourceError("no row is without NULL: there is nothing to find clusters of")
        there = rows > 0
        means = centres.copy()
        means[there] = shift + found[there, 1:-1] / rows[there, None]
        squares = np.einsum("ij,ij->i", found[:, 1:-1], found[:, 1:-1])
        inertia = max(float(found[:, -1].sum() - (squares[there] / rows[there]).sum()), 0.0)
        whole = found[:, 1:-1].sum(axis=0)
        variance = (found[:, -1].sum() - whole @ whole / total) / total / len(shift)
        moved, centres, done = float(((means - centres) ** 2).sum()), means, done + 1
        converged = bool(moved <= _ENOUGH * max(variance, 0.0))
        if converged or done == passes:
            return KMeans(projection, centres, rows.astype(np.int64), inertia, done, converged, sums.how)


def _plus_plus(z: Matrix, clusters: int, rng: np.random.Generator) -> Matrix:
    """Rows as first centres, each drawn by its squared distance from those before."""
    chosen = [int(rng.integers(len(z)))]
    away = ((z - z[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < clusters:
        total = away.sum()
        chosen.append(int(rng.choice(len(z), p=away / total if total else None)))
        away = np.minimum(away, ((z - z[chosen[-1]]) ** 2).sum(axis=1))
    return z[chosen]


def _here(z: Matrix, centres: Matrix, passes: int) -> tuple[Matrix, float]:
    """The centres after passes over rows in memory, and their inertia."""
    squares, variance = np.einsum("ij,ij->i", z, z), float(z.var(axis=0).mean())
    for _ in range(passes):
        coefficients, intercepts = decisions_of(centres)
        own = (z @ coefficients.T + intercepts).argmax(axis=1)
        of = np.zeros((len(centres), len(z)))
        of[own, np.arange(len(z))] = 1
        counts = of.sum(axis=1)
        means = np.where(counts[:, None] > 0, of @ z / np.maximum(counts, 1)[:, None], centres)
        moved, centres = float(((means - centres) ** 2).sum()), means
        if moved <= _ENOUGH * variance:
            break
    coefficients, intercepts = decisions_of(centres)
    inertia = float(squares.sum() - 2 * (z @ coefficients.T + intercepts).max(axis=1).sum())
    return centres, inertia


__all__ = ["KMeans", "clusters_of", "kmeans"]
