"""Explicit monomials, then signed sums: φ(x) + RP, the baseline of the thesis, ch. 3."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import P, resolve_s
from sqlrp.core.errors import LimitError
from sqlrp.kernels import Kernel, Polynomial
from sqlrp.projections.base import Seeded, known_features
from sqlrp.projections.checks import check_whole
from sqlrp.projections.monomials import drawn_terms, monomials, ways
from sqlrp.stages import GivenProducts, SignedSums, Stage

MOST_MONOMIALS = 20_000
"""The largest number of monomials that are all written out. Of more, only the drawn ones are."""
MOST_TERMS = 5_000_000
"""The largest number of drawn monomials of all components."""
EXACT_DEGREE = 18
"""The highest degree whose factorial is exact as a float, and with it every multinomial coefficient."""


@dataclass(frozen=True)
class ExplicitPolynomialProjection(Seeded):
    """A sparse projection of the monomials of the degree: φ(x) + RP, the baseline of ch. 3.

    φ contains each monomial once, times the square root of its multinomial coefficient, so that ⟨φ(x), φ(y)⟩ =
    ⟨x, y⟩^degree. s = "sqrt" is the square root of the number of monomials.

    Up to 20,000 monomials are written out, then summed with signs. Of more, up to 2³¹-1, each component draws n/s of
    the n monomials with their signs, by their numbers, so that the work is that of the signs that are not 0. The
    function `ep_project` only takes those that are written out; `project_with` takes the others, once a projection for
    that number of features is saved.

    Raises ParameterError for k or degree < 1, s < 1, a seed outside 0 … 2⁵³-1 or an open vocabulary, and
    LimitError for more monomials, or more than 5,000,000 drawn ones.

        >>> explicit = sqlrp.ExplicitPolynomialProjection(k=2, degree=2, s=1, seed=7)
        >>> sqlrp.project_vector(explicit, [1.0, 2.0, 4.0]).round(4)
        array([-7.435 , 16.8492])
    """

    degree: int = 2

    function: ClassVar[str] = "ep_project"
    parameter_help: ClassVar[Mapping[str, str]] = {"degree": "of the polynomial kernel"}

    def check(self) -> None:
        """Check the degree."""
        check_whole("degree", self.degree, 1)

    def n_monomials(self, n_features: int | None) -> int:
        """The number of monomials: (d + degree - 1 choose degree)."""
        d = known_features(self, n_features)
        n = math.comb(d + self.degree - 1, self.degree)
        if n >= P:
            raise LimitError(
                f"{d} features have {n:,} monomials of degree {self.degree}, more than the {P - 1:,} that can be drawn "
                "from: use PolynomialKernelProjection, which needs none of them"
            )
        return n

    def n_drawn(self, n_features: int | None) -> int:
        """The number of monomials that each component draws: n/s, rounded; 0 where all n are written out."""
        n = self.n_monomials(n_features)
        if n <= MOST_MONOMIALS:
            return 0
        m = max(round(n / resolve_s(self.s, n)), 1)
        if m * self.k > MOST_TERMS:
            raise LimitError(
                f"s = {self.s} draws {m:,} of {n:,} monomials for each of k = {self.k:,} components, more than "
                f"{MOST_TERMS:,} in all: raise s, or use PolynomialKernelProjection"
            )
        return m

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The monomials, then signed sums of them; or the drawn monomials with their signs."""
        n, m = self.n_monomials(n_features), self.n_drawn(n_features)
        if m:
            numbers, signs = drawn_terms(n, self.k, m, self.seed)
            factors = monomials(numbers.reshape(-1), known_features(self, n_features), self.degree)
            weights = signs.reshape(-1) * np.sqrt(ways(factors))
            return (GivenProducts(self.k, np.repeat(np.arange(self.k, dtype=np.int64), m), factors, weights),)
        return self._written(n, known_features(self, n_features))

    def _written(self, n: int, d: int) -> tuple[Stage, ...]:
        """All monomials, then signed sums of them."""
        numbers = np.arange(n, dtype=np.int64)
        chosen = monomials(numbers, d, self.degree)
        if self.degree <= EXACT_DEGREE:
            weights = np.sqrt(ways(chosen))
        else:
            whole = math.factorial(self.degree)
            runs = (map(math.factorial, Counter(m).values()) for m in chosen.tolist())
            try:
                weights = np.array([math.sqrt(whole // math.prod(run)) for run in runs])
            except OverflowError as error:
                raise LimitError(
                    f"degree = {self.degree:,} has a multinomial coefficient above 1.8e308, the largest DOUBLE: "
                    "lower degree"
                ) from error
        return GivenProducts(n, numbers, chosen, weights), SignedSums(self.k, resolve_s(self.s, n), self.seed)

    def factor(self, n_features: int | None) -> float:
        """√(s/k), where s is n/m if m of n monomials are drawn."""
        n, m = self.n_monomials(n_features), self.n_drawn(n_features)
        return math.sqrt((n / m if m else resolve_s(self.s, n)) / self.k)

    def composed_in_sql(self, n_features: int | None) -> bool:
        """Whether all monomials are written out."""
        return not (n_features and self.n_drawn(n_features))

    def kernel(self) -> Kernel:
        """⟨x, y⟩^degree."""
        return Polynomial(self.degree)

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- Signed sums of all monomials of the degree, each with the square root of its multinomial coefficient.
        CREATE OR REPLACE MACRO sqlrp_ep_monomials(degree, n) AS
          list_transform([list_reduce(range(1, least(degree, n - 1) + 1), lambda monomials_m, monomials_i:
                CASE WHEN monomials_m > 1e30 THEN monomials_m ELSE round(monomials_m * (greatest(degree, n - 1) + monomials_i) / monomials_i) END,
                CAST(1 AS DOUBLE))], lambda ep_m:
              CASE WHEN ep_m > {{most_monomials}} THEN error(n || ' features have ' || CASE WHEN ep_m > 1e15 THEN 'over 10^15'
                  ELSE format('{:,}', CAST(ep_m AS BIGINT)) END || ' monomials of degree ' || degree || ', more than the {{most_monomials_shown}} that are '
                  || 'written out: use sqlrp.project or project_with, which draw some, or PolynomialKernelProjection')
                ELSE CAST(ep_m AS BIGINT) END)[1];

        -- Monomials in the order of their features. The coefficient is built up factor by factor, as j / run.
        CREATE OR REPLACE MACRO sqlrp_ep_text(degree, n) AS
          'SELECT row_number() OVER (ORDER BY v) - 1 AS i, row_number() OVER (ORDER BY v) - 1 AS c, sqrt(CAST(ways AS DOUBLE)) AS w, v FROM ('
            || 'WITH RECURSIVE monomials(v, prior, run, ways) AS (SELECT [f], f, CAST(1 AS BIGINT), CAST(1 AS HUGEINT) FROM ' || sqlrp_series(n, 'f')
            || ' UNION ALL SELECT v || [f], f, CASE WHEN f = prior THEN run + 1 ELSE 1 END, ways * (len(v) + 1) // CASE WHEN f = prior THEN run + 1 '
            || 'ELSE 1 END FROM monomials, ' || sqlrp_series(n, 'f') || ' WHERE f >= prior AND len(v) < ' || degree || ') SELECT v, ways FROM monomials WHERE len(v) = '
            || degree || ') m';

        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          list_transform([CASE WHEN TRY_CAST(sqlrp_known('ExplicitPolynomialProjection', n) AS BIGINT) IS NULL
                THEN sqlrp_of(n, 'sqlrp_ep_monomials(' || degree || ', n)')
              ELSE CAST(sqlrp_ep_monomials(degree, TRY_CAST(n AS BIGINT)) AS VARCHAR) END], lambda ep_n:
            sqlrp_pipeline([sqlrp_stage('products', ep_n, sqlrp_ep_text(degree, n || ' + 0 * ' || ep_n), exact := false, factors := degree),
              sqlrp_signed_sums(k, sqlrp_s(s, s_type, ep_n), seed)], 'sqrt(' || sqlrp_s(s, s_type, ep_n) || ' / ' || k || ')', k))[1];
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- Signed sums of all monomials of the degree, each with the square root of its multinomial coefficient.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        DECLARE
          monomials numeric := 1;
          density double precision;
        BEGIN
          PERFORM sqlrp_known('{{class}}', n);
          FOR i IN 1 .. least(degree, n - 1) LOOP
            monomials := div(monomials * (greatest(degree, n - 1) + i), i);
            EXIT WHEN monomials > 1e30;
          END LOOP;
          IF monomials > {{most_monomials}} THEN
            PERFORM sqlrp_refuse(format('%s features have %s monomials of degree %s, more than the {{most_monomials_shown}} that are written out: '
              'use sqlrp.project or project_with, which draw some, or PolynomialKernelProjection', n, CASE WHEN monomials > 1e30 THEN 'over 10^30'
              ELSE to_char(monomials, 'FM999,999,999,999,999,999,999,999,999,999,999') END, degree), 'program_limit_exceeded');
          END IF;
          density := sqlrp_s(s, CAST(monomials AS bigint));
          -- Monomials in the order of their features. The coefficient is built up factor by factor, as j / run.
          RETURN sqlrp_pipeline(ARRAY[sqlrp_products(CAST(monomials AS bigint), degree, 1, CAST(monomials AS double precision), false, format(
            'WITH RECURSIVE monomials(v, last, run, ways) AS (SELECT ARRAY[f], f, CAST(1 AS bigint), CAST(1 AS numeric) FROM %1$s s UNION ALL '
            'SELECT m.v || s.f, s.f, r.run, div(m.ways * (cardinality(m.v) + 1), r.run) FROM monomials m JOIN %1$s s ON s.f >= m.last '
            'CROSS JOIN LATERAL (SELECT CASE WHEN s.f = m.last THEN m.run + 1 ELSE 1 END AS run) r WHERE cardinality(m.v) < %2$s) '
            'SELECT row_number() OVER (ORDER BY v) - 1 AS i, row_number() OVER (ORDER BY v) - 1 AS c, sqrt(CAST(ways AS double precision)) '
            'AS w, v FROM monomials WHERE cardinality(v) = %2$s', sqlrp_series(n, 'f'), degree)),
            sqlrp_vectors(CAST(monomials AS bigint), k, density, seed)], sqrt(density / k));
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
