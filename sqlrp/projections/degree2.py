"""Degree-2 kernel projection (P-RP, D2PK-RP): signed sums of squares (López-Sánchez et al. 2018; thesis, ch. 3)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import draw_signs, resolve_s
from sqlrp.core.errors import ParameterError
from sqlrp.kernels import CrossTerms, Kernel, Polynomial
from sqlrp.projections.base import Projection, Seeded, known_features
from sqlrp.projections.checks import check_whole
from sqlrp.stages import ONE, GivenProducts, SignedSums, Stage, WeightedSums

_MANY = 10
"""Squares in a component that vary nearly as a normal number does."""


@dataclass(frozen=True)
class Degree2KernelProjection(Seeded):
    """k features whose inner products estimate the polynomial kernel of degree 2, ⟨x, y⟩² (thesis, ch. 3).

    One component is Σ_{l≤m} σ_l·K_l², times s/√(2mk), over m signed sums K_l of the features. For even m, σ_l is +1 for
    the first half and -1 for the second; for m = 1 it is +1. For even m, the expected inner product of two projected
    rows is ⟨x, y⟩² + (s-3)/2·⟨x², y²⟩. This is exact for s = 3, and the kernel without the squares for s = 1. m = 1
    adds ‖x‖²‖y‖²/2.

    `s` is 3 by default, not √d as in the other methods, because s = 3 weights the squares of the features correctly.
    With a larger s squared distances are too long, most of all for sparse rows, and a larger k does not help. The
    thesis uses s = 1, which is a few per cent too low for many features that are all small.

    `modified` removes the d squares from the feature space (eq. 12: K(x, y) = ⟨x, y⟩² - ⟨x², y²⟩), for few
    features. The expected inner product of projected rows is then that kernel, for any s and m.

    Raises ParameterError for k or m < 1, an odd m > 1, s < 1, a seed outside 0 … 2⁵³-1, or modified with an
    open vocabulary.

        >>> sqlrp.project_vector(sqlrp.Degree2KernelProjection(k=2, s=1, seed=7), [1.0, 2.0, 4.0]).round(4)
        array([-8.4853, -8.4853])
    """

    s: float | str = 3
    m: int = 2
    modified: bool = False

    function: ClassVar[str] = "d2pk_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "m": "signed squares summed for a component: 1, or even",
        "modified": "take the squares out of the kernel, for few features",
    }

    def check(self) -> None:
        """Check m and modified."""
        check_whole("m", self.m, 1)
        if self.m > 1 and self.m % 2:
            raise ParameterError(
                f"m = {self.m} must be 1 or even, so that half of the signs are flipped: use {self.m + 1}"
            )
        if not isinstance(self.modified, bool):
            raise ParameterError(f"modified = {self.modified!r} must be true or false")

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """m·k signed sums, then their squares with signs; if modified, minus the squares of the features."""
        s = resolve_s(self.s, n_features)
        m, sums = self.m, self.m * self.k
        flips = np.where(np.arange(m) < max(m // 2, 1), 1, -1)
        vectors = np.arange(sums, dtype=np.int64)
        components, weights = vectors // m, np.tile(flips, self.k)
        squares = np.stack([vectors, vectors], axis=1)
        if not self.modified:
            return SignedSums(sums, s, self.seed), GivenProducts(self.k, components, squares, weights)
        d = known_features(self, n_features)
        features = np.arange(d, dtype=np.int64)
        pairs = np.stack([np.tile(features, 2), np.concatenate([np.full(d, ONE), features])], axis=1)
        signs = draw_signs(features, sums, s, self.seed)
        removed = (np.abs(signs).reshape(d, self.k, m) * -flips).sum(axis=2)
        table = np.zeros((2 * d, sums + self.k), dtype=np.int64)
        table[:d, :sums], table[d:, sums:] = signs, removed
        order = np.argsort(np.concatenate([components, np.arange(self.k)]), kind="stable")
        single = np.stack([sums + np.arange(self.k), np.full(self.k, ONE)], axis=1)
        return (
            GivenProducts(2 * d, np.arange(2 * d, dtype=np.int64), pairs),
            WeightedSums(table),
            GivenProducts(
                self.k,
                np.concatenate([components, np.arange(self.k)])[order],
                np.concatenate([squares, single])[order],
                np.concatenate([weights, np.ones(self.k, dtype=np.int64)])[order],
            ),
        )

    def factor(self, n_features: int | None) -> float:
        """s / √(2mk)."""
        return resolve_s(self.s, n_features) / math.sqrt(2 * self.m * self.k)

    def kernel(self) -> Kernel:
        """⟨x, y⟩², for any s and m; if modified, minus ⟨x², y²⟩."""
        return CrossTerms() if self.modified else Polynomial(2)

    def alternatives(self, n_features: int) -> Iterator[Projection]:
        """The s and m that have no bias; for the modified kernel, more squares in each component."""
        if self.bias(n_features):
            yield dataclasses.replace(self, s=3, m=max(self.m, 2))
        if self.m < _MANY:
            yield dataclasses.replace(self, s=self.s if self.modified else 3, m=_MANY)

    def bias(self, n_features: int | None) -> str:
        """The bias that s and m add to ⟨x, y⟩², and the remedy."""
        if self.modified:
            return ""
        weight = (resolve_s(self.s, n_features) - 3) / 2
        added = [f"{weight:+.3g}·⟨x², y²⟩: use s = 3"] if weight else []
        added += ["+0.5·‖x‖²‖y‖²: use m = 2, or more"] if self.m == 1 else []
        return ", and ".join(added)

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- k sums of m squared sums, half of them with a minus; modified: without the squares of the features.
        CREATE OR REPLACE MACRO sqlrp_d2pk_squares(k, m) AS
          'SELECT i, i // ' || m || ' AS c, CASE WHEN i % ' || m || ' < ' || greatest(m // 2, 1) || ' THEN 1 ELSE -1 END AS w, [i, i] AS v FROM '
            || sqlrp_series(k * m, 'i');

        -- Modified: the first stage gives the features and their squares. The second sums the features with signs, and the squares with the
        -- weights that they have in the squared sums. The third subtracts those.
        CREATE OR REPLACE MACRO sqlrp_d2pk_modified(k, s, seed, m, n) AS
          [sqlrp_stage('products', sqlrp_times(n, 2), 'SELECT f AS i, f AS c, 1 AS w, [-1, f] AS v FROM ' || sqlrp_series(n, 'f') || ' UNION ALL SELECT f + ' || n
              || ', f + ' || n || ', 1, [f, f] FROM ' || sqlrp_series(n, 'f'), factors := 2),
           sqlrp_stage('weights', k * m + k, 'SELECT c, f, w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(n, 'f')
              || '), signs AS MATERIALIZED (SELECT c, f, w FROM (' || sqlrp_sign_text(seed, k * m, s, {{signs}}) || ') s_ WHERE w IS NOT NULL) SELECT c, f, w FROM signs UNION ALL SELECT ' || k * m
              || ' + c // ' || m || ', f + ' || n || ', CAST(sum(CASE WHEN c % ' || m || ' < ' || greatest(m // 2, 1)
              || ' THEN -1 ELSE 1 END) AS INTEGER) FROM signs GROUP BY c // ' || m || ', f) both_ WHERE w <> 0', largest := m),
           sqlrp_stage('products', k, sqlrp_d2pk_squares(k, m) || ' UNION ALL SELECT ' || k * m || ' + c, c, 1, [c + ' || k * m || ', -1] FROM '
              || sqlrp_series(k, 'c'), factors := 2, heaviest := m + 1)];

        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          sqlrp_pipeline(CASE WHEN m > 1 AND m % 2 = 1 THEN error('m = ' || m || ' must be 1 or even, so that half of the signs are flipped: use ' || m + 1)
              WHEN modified THEN sqlrp_d2pk_modified(k, sqlrp_s(s, s_type, n), seed, m, sqlrp_known('Degree2KernelProjection', n))
              ELSE [sqlrp_signed_sums(k * m, sqlrp_s(s, s_type, n), seed),
                sqlrp_stage('products', k, sqlrp_d2pk_squares(k, m), factors := 2, heaviest := m)] END,
            sqlrp_s(s, s_type, n) || ' / sqrt(' || 2 * m * k || ')', k);
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- k sums of m squared sums, half of them with a minus; modified: without the squares of the features.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        DECLARE
          density double precision;
          squares text;
          signs text;
          factor double precision;
        BEGIN
          IF modified THEN
            PERFORM sqlrp_known('{{class}}', n);
          END IF;
          density := sqlrp_s(s, n);
          IF m > 1 AND m % 2 = 1 THEN
            PERFORM sqlrp_refuse(format('m = %s must be 1 or even, so that half of the signs are flipped: use %s', m, m + 1));
          END IF;
          factor := density / sqrt(CAST(2 * m * k AS double precision));
          squares := format('SELECT i, i / %s AS c, CASE WHEN i %% %1$s < %s THEN 1 ELSE -1 END AS w, ARRAY[i, i] AS v FROM %s i',
            m, greatest(m / 2, 1), sqlrp_series(k * m, 'i'));
          IF NOT modified THEN
            RETURN sqlrp_pipeline(ARRAY[sqlrp_vectors(n, k * m, density, seed), sqlrp_products(k, 2, m, k * m, true, squares)], factor);
          END IF;
          -- The first stage gives the features and their squares. The second sums the features with signs, and the squares with the
          -- weights that they have in the squared sums. The third subtracts those.
          signs := format('WITH signs AS MATERIALIZED (%s) SELECT c, f, sign FROM signs UNION ALL '
            'SELECT %s + c / %s, f + %s, CAST(sum(CASE WHEN c %% %3$s < %5$s THEN -1 ELSE 1 END) AS integer) FROM signs GROUP BY c / %3$s, f',
            sqlrp_sign_text(seed, k * m, density, sqlrp_series(n, 'f')), k * m, m, n, greatest(m / 2, 1));
          RETURN sqlrp_pipeline(ARRAY[
            sqlrp_products(2 * n, 2, 1, 2 * n, true, format(
              'SELECT f AS i, f AS c, 1 AS w, ARRAY[-1, f] AS v FROM %s f UNION ALL SELECT f + %s, f + %2$s, 1, ARRAY[f, f] FROM %1$s f',
              sqlrp_series(n, 'f'), n)),
            jsonb_build_object('outputs', k * m + k, 'exact', true, 'weighted', true, 'largest', m,
              'terms', 2 * n * (m + 1) * k / density, 'text', signs),
            sqlrp_products(k, 2, m + 1, k * (m + 1), true, format('%s UNION ALL SELECT c + %s, c, 1, ARRAY[c + %2$s, -1] FROM %s c',
              squares, k * m, sqlrp_series(k, 'c')))], factor);
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
