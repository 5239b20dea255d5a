"""Principal components of all rows of a source: their sums are added up where the rows are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sqlrp._core.errors import SourceError, StatementError
from sqlrp._core.options import Options
from sqlrp._core.sources import Source, as_source
from sqlrp._engines import connector_of
from sqlrp._learning.row_sums import Asked, summing
from sqlrp._lowering.job import NULL_SAID
from sqlrp._lowering.registry import AUTO
from sqlrp._lowering.sums_sql import Labels
from sqlrp._projections.base import Projection
from sqlrp._projections.prepared import Prepared
from sqlrp._projections.principal import PrincipalComponents
from sqlrp._run.bind import look
from sqlrp._run.frames.kinds import without_connection
from sqlrp._stages import Rescale, Stage
from sqlrp.kernels import LINEAR, Kernel

_MOST = 2_000
"""The most features of which the products of all pairs are added up: 32 MB."""


@dataclass(frozen=True)
class Features(Projection):
    """The features themselves, as k components."""

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """A stage that changes nothing."""
        return (Rescale(np.zeros(self.k), np.ones(self.k)),)

    def factor(self, n_features: int | None) -> float:
        """1."""
        return 1.0

    def kernel(self) -> Kernel:
        """⟨x, y⟩."""
        return LINEAR

    def caution(self, n_features: int | None) -> str:
        """No warning: nothing is to be reduced."""
        return ""


def components_of_all(
    projection: PrincipalComponents,
    source: Source | str | Any,
    connection: Any,
    prepared: Prepared | None = None,
) -> PrincipalComponents:
    """The principal components of all rows of a source, bound to its features.

    `prepared`: a projection with the preparation of the rows, if there is one. Raises SourceError for an open
    vocabulary, and for rows with NULL, NaN or infinity.
    """
    if connection is None:
        raise without_connection(source)
    connector, source = connector_of(connection), as_source(source)
    with connector.working(connection) as session:
        frame = look(connector, session, source, bound_to=None if prepared is None else prepared.bound_to)
        d = frame.n_features
        if d is None or frame.text_features:
            raise SourceError(
                "an open vocabulary cannot be learnt from: pass n_features, and whole numbers as features"
            )
        names = frame.names if frame.layout == "wide" else d
        options, features = Options("columns", True, "error", AUTO), Features(k=d)
        of = features if prepared is None else prepared.around(features)
        asked = Asked(connector, session, of, source, Labels(None), False, None, 1, 0, options)
        bound = replace(projection, bound_to=names, state=None)
        try:
            with summing(asked) as rows:
                if d > _MOST:
                    return bound.fit_sketch(rows.crossed, d)
                (sums,) = rows.sums()
        except StatementError as error:
            if NULL_SAID not in str(error):
                raise
            raise SourceError(
                f"a row of {frame.table} holds NULL, which nothing can be learnt from: clean such rows, or keep them "
                "out by a view"
            ) from error
    return bound.fit_scatter(sums.count, sums.mean, sums.scatter)


__all__ = ["Features", "components_of_all"]
