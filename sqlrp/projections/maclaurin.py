"""Random Maclaurin features (RM): products of dense signed sums (thesis, 5.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.kernels import Kernel, Polynomial
from sqlrp.projections.base import Drawn
from sqlrp.projections.checks import check_whole
from sqlrp.stages import GivenProducts, SignedSums, Stage


@dataclass(frozen=True)
class RandomMaclaurin(Drawn):
    """k products of `degree` dense signed sums, times 1/√k; no two products share a sum (thesis 5.2).

    Inner products estimate ⟨x, y⟩^degree without bias. It is PK-RP with t = 1, p = degree·k and s = 1.
    Raises ParameterError for k or degree < 1, or a seed outside 0 … 2⁵³-1.

        >>> sqlrp.project_vector(sqlrp.RandomMaclaurin(k=3, degree=2, seed=7), [1.0, 2.0, 4.0]).round(4)
        array([  2.8868, -20.2073,  28.2902])
    """

    degree: int = 2

    function: ClassVar[str] = "rm_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"degree": "of the polynomial kernel"}

    def check(self) -> None:
        """Check the degree."""
        check_whole("degree", self.degree, 1)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """degree·k signed sums, then k products of `degree` sums each."""
        own = np.arange(self.k * self.degree, dtype=np.int64).reshape(self.k, self.degree)
        return (
            SignedSums(own.size, 1, self.seed),
            GivenProducts(self.k, np.arange(self.k, dtype=np.int64), own),
        )

    def factor(self, n_features: int | None) -> float:
        """1/√k."""
        return 1 / math.sqrt(self.k)

    def kernel(self) -> Kernel:
        """⟨x, y⟩^degree."""
        return Polynomial(self.degree)

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- k products of `degree` dense signed sums, each with signs of its own.
        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          sqlrp_pipeline([sqlrp_signed_sums(k * degree, '1e0', seed), sqlrp_stage('products', k, 'SELECT c AS i, c, 1 AS w, range(' || degree || ' * c, '
              || degree || ' * (c + 1)) AS v FROM ' || sqlrp_series(k, 'c'), factors := degree, dense := true)], '1 / sqrt(' || k || ')', k);
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- k products of `degree` dense signed sums, each with signs of its own.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        BEGIN
          RETURN sqlrp_pipeline(ARRAY[sqlrp_vectors(n, k * degree, 1, seed), sqlrp_products(k, degree, 1, k, true, format(
            'SELECT c AS i, c, 1 AS w, ARRAY(SELECT generate_series(%s * c, %1$s * c + %s)) AS v FROM %s c', degree, degree - 1,
            sqlrp_series(k, 'c')))], 1 / sqrt(CAST(k AS double precision)));
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
