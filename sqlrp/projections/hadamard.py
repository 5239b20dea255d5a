"""Randomised Hadamard transform (FHT, SRHT): butterflies of sums and differences (SVM paper, eq. 10)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import draw_sample
from sqlrp.core.errors import ParameterError
from sqlrp.core.paley import PRIMES, least_length
from sqlrp.projections.base import Drawn, Projection, known_features
from sqlrp.projections.checks import check_flag
from sqlrp.stages import Butterfly, Stage

PADDINGS = ("power_of_two", "least")
"""The lengths that a row may be padded to."""


@dataclass(frozen=True)
class HadamardProjection(Drawn):
    """k entries, drawn at random, of a Hadamard transform of ±x, times 1/√k (SVM paper, eq. 10).

    The row is padded with zeros to D entries (`padded`, which explain shows). With `padding` "power_of_two" D is
    2^⌈log2 d⌉. With "least" it is the least m·2^b ≥ d for m in 1, 12, 20, 28 and 36, so that d = 768, 1152, 1536 and
    3072 need no padding. These m are orders of Paley's Hadamard matrices (`sqlrp.core.paley`). The transform consists
    of sums and differences, about D·log2 D in all. The SQL contains only those that the sample needs.

    `replacement` True draws the entries with replacement, as eq. 10 does. False draws every entry once before any
    entry is drawn again. With k = D nothing is lost then: the inner products of projected rows are those of the rows.
    So `HadamardProjection(k=768, padding="least", replacement=False)` rotates rows of 768 features.

    Raises ParameterError for k < 1, a seed outside 0 … 2⁵³-1, another padding, a replacement that is not a bool or an
    open vocabulary.

        >>> rotation = sqlrp.HadamardProjection(k=4, replacement=False, seed=7)
        >>> sqlrp.project_vector(rotation, [1.0, 2.0, 4.0, 8.0])
        array([-7.5,  4.5, -1.5,  2.5])
    """

    padding: str = field(default="power_of_two", kw_only=True)
    replacement: bool = field(default=True, kw_only=True)

    function: ClassVar[str] = "fht_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "padding": "the length that rows are padded to: power_of_two, or least, which is a power of two times 1, "
        + ", ".join(map(str, PRIMES)),
        "replacement": "draw the entries with replacement; without it, k = the padded length loses nothing",
    }

    def check(self) -> None:
        """Check padding and replacement."""
        if self.padding not in PADDINGS:
            raise ParameterError(f"padding = {self.padding!r} must be one of {', '.join(PADDINGS)}")
        check_flag("replacement", self.replacement)

    def padded(self, n_features: int) -> int:
        """D, the length of the transform."""
        return self._length(n_features)[0]

    def _length(self, n_features: int) -> tuple[int, int]:
        """D, and the order of Paley's block; 1 for none."""
        return least_length(n_features) if self.padding == "least" else (1 << (n_features - 1).bit_length(), 1)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One butterfly stage."""
        padded, block = self._length(known_features(self, n_features))
        sample = draw_sample(padded, self.k, self.seed, self.replacement)
        return (Butterfly(padded, tuple(np.resize(sample, self.k).tolist()), self.seed, block),)

    def factor(self, n_features: int | None) -> float:
        """1/√k."""
        return 1 / math.sqrt(self.k)

    def remark(self, n_features: int | None) -> str:
        """The number of entries after padding."""
        d = known_features(self, n_features)
        padded = self.padded(d)
        return f"{d:,} features, without padding" if padded == d else f"{d:,} features padded with zeros to {padded:,}"

    def caution(self, n_features: int | None) -> str:
        """No warning for a whole transform, which is a rotation."""
        whole = not self.replacement and n_features is not None and self.k == self.padded(n_features)
        return "" if whole else super().caution(n_features)

    def back_error(self, n_features: int) -> float | None:
        """The error for a sample of k of D orthogonal vectors, of which d entries are read.

        It is d·q/k² + (D - d)/(D - 1)·(1 - q/k²) - 1, where q is the expected sum of the squared numbers of times that
        the vectors are drawn. With replacement it is (d - 1)/k. Without, it is (d - k)/k for D = d ≥ k.
        """
        k, d, length = self.k, n_features, self.padded(n_features)
        if self.replacement or length == 1:
            return (d - 1) / k
        times, more = divmod(k, length)
        share = (more * (times + 1) ** 2 + (length - more) * times**2) / k**2
        return max(d * share + (length - d) / (length - 1) * (1 - share) - 1, 0.0)

    def alternatives(self, n_features: int) -> Iterator[Projection]:
        """Entries drawn without replacement."""
        if self.replacement:
            yield dataclasses.replace(self, replacement=False)

    def components_for(self, fold: float, n_features: int | None) -> int:
        """Without replacement the distortion falls with √(k/(1-(k-1)/D))."""
        if self.replacement or n_features is None:
            return super().components_for(fold, n_features)
        length = self.padded(n_features)
        drawn = min(self.k, length)
        effective = drawn / (1 - (drawn - 1) / length) * fold
        return min(math.ceil(effective * (length + 1) / (length + effective)), length)

    stages_in_sql: ClassVar[Mapping[str, str]] = {
        "duckdb": """
        -- Paley's Hadamard matrix of an order in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1. The lowest bit of a
        -- byte comes first.
        CREATE OR REPLACE MACRO sqlrp_paley(block) AS CASE block
        {{paley}}
          END;

        -- Whether an entry of the matrix is -1: 1 or 0, as SQL.
        CREATE OR REPLACE MACRO sqlrp_paley_text(block, entry) AS
          'coalesce((CAST(''0x'' || sqlrp_paley(' || block || ')[2 * ((' || entry || ') // 8) + 1 : 2 * ((' || entry || ') // 8) + 2] AS BIGINT) >> ((' || entry
            || ') % 8)) & 1, 0)';

        -- The length of the transform, and the order of Paley's block.
        CREATE OR REPLACE MACRO sqlrp_length(padding, n) AS
          list_sort(list_transform(CASE WHEN padding = 'least' THEN [1, {{paley_orders}}] ELSE [1] END, lambda length_m:
            {'padded': length_m * CAST(pow(2, greatest(ceil(log2(n / length_m)), 0)) AS BIGINT), 'block': length_m}))[1];

        -- One of both as SQL.
        CREATE OR REPLACE MACRO sqlrp_length_text(padding, n, name) AS
          CASE WHEN padding <> 'least' AND name = 'block' THEN '1'
            WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'sqlrp_length(' || sqlrp_string(padding) || ', n)[' || sqlrp_string(name) || ']')
            ELSE CAST(sqlrp_length(padding, TRY_CAST(n AS BIGINT))[name] AS VARCHAR) END;

        -- A sample of k entries of a Hadamard transform of the row, padded with zeros and with drawn signs. The transform is the Kronecker
        -- product of Paley's matrix of order `block`, or 1, and Walsh's of order `part`. A weight is flip(f) * (-1)^(the number of bits that f
        -- and the sampled entry share within a part) * the sign of the parts.
        CREATE OR REPLACE MACRO sqlrp_sample(k, seed, padded, replacement) AS
          CASE WHEN replacement THEN '(WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(k, 'f') || ') SELECT f AS c, h % ' || padded || ' AS j FROM '
              || sqlrp_drawn(seed, {{sample}}, 1) || ')'
            ELSE '(SELECT c, j FROM ' || sqlrp_series(k, 'c') || ' JOIN (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(padded, 'f')
              || ') SELECT row_number() OVER (ORDER BY h, f) - 1 AS o, f AS j FROM ' || sqlrp_drawn(seed, {{subspace}}, 1) || ') p ON o = c % ' || padded || ')' END;

        CREATE OR REPLACE MACRO sqlrp_transform(k, seed, n, padded, block, replacement) AS
          sqlrp_stage('signs', k, 'SELECT s.c, d.f, CASE WHEN (bit_count(d.f & s.j & (' || padded || ' // ' || block || ' - 1))' || CASE WHEN block = '1' THEN '' ELSE ' + '
              || sqlrp_paley_text(block, 's.j // (' || padded || ' // ' || block || ') * ' || block || ' + d.f // (' || padded || ' // ' || block || ')') END
            || ') % 2 = 0 THEN d.w ELSE -d.w END AS w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(n, 'f') || ') '
            || sqlrp_sign_text(seed, 1, '1e0', {{flips}}) || ') d CROSS JOIN ' || sqlrp_sample(k, seed, padded, replacement) || ' s');

        CREATE OR REPLACE MACRO {{stages}}({{parameters}}, n) AS
          list_transform([{'padding': sqlrp_one_of('padding', padding, {{padding_list}}), 'n': sqlrp_known('HadamardProjection', n)}], lambda fht_v:
            sqlrp_pipeline([sqlrp_transform(k, seed, n, sqlrp_length_text(fht_v['padding'], fht_v['n'], 'padded'),
              sqlrp_length_text(fht_v['padding'], fht_v['n'], 'block'), replacement)], '1 / sqrt(' || k || ')', k))[1];
        """,  # noqa: E501  # wider than Python
        "postgresql": """
        -- Paley's Hadamard matrix of an order in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1.
        CREATE OR REPLACE FUNCTION sqlrp_paley(block bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
          SELECT CASE block
        {{paley}}
          END
        $f$;

        -- A sample of k entries of a Hadamard transform of the row, padded with zeros and with drawn signs. The transform is the Kronecker
        -- product of Paley's matrix of order `block`, or 1, and Walsh's of order `part`.
        CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
        LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
        DECLARE
          padded bigint;
          part bigint;
          block bigint;
          flips text;
          sample text;
        BEGIN
          PERFORM sqlrp_known('{{class}}', n);
          PERFORM sqlrp_one_of('padding', padding, '{{{paddings}}}');
          SELECT m << b, CAST(1 AS bigint) << b, m INTO padded, part, block
            FROM unnest(CASE padding WHEN 'least' THEN CAST('{1,{{paley_orders}}}' AS bigint[]) ELSE '{1}' END) m
            CROSS JOIN generate_series(0, 31) b WHERE m << b >= n ORDER BY m << b LIMIT 1;
          flips := format('SELECT f, sign AS flip FROM (%s) drawn', sqlrp_sign_text(seed, 1, 1, sqlrp_series(n, 'f'), {{flips}}));
          sample := CASE WHEN replacement
            THEN format('SELECT f AS c, h %% %s AS j FROM (%s) drawn', padded, sqlrp_draw(seed, {{sample}}, 1, sqlrp_series(k, 'f')))
            ELSE format('SELECT c, j FROM %s s JOIN (SELECT row_number() OVER (ORDER BY h, f) - 1 AS o, f AS j FROM (%s) drawn) p '
              'ON o = c %% %s', sqlrp_series(k, 'c'), sqlrp_draw(seed, {{subspace}}, 1, sqlrp_series(padded, 'f')), padded) END;
          -- A weight is flip(f) * (-1)^(the number of bits that f and the sampled entry share within a part) * the sign of the parts.
          RETURN sqlrp_pipeline(ARRAY[jsonb_build_object('outputs', k, 'exact', true, 'padded', padded, 'part', part, 'block', block,
            'whole', NOT replacement AND k = padded,
            'terms', CASE block WHEN 1 THEN padded * greatest(log(2, CAST(padded AS numeric)), 1)
              ELSE padded * (log(2, CAST(part AS numeric)) + block / 2) END, 'flips', flips, 'sample', sample,
            'text', format('SELECT c, f, CASE WHEN (length(replace(CAST(CAST(f & j & %s AS bit(32)) AS text), ''0'', ''''))%s) %% 2 = 0 '
            'THEN flip ELSE -flip END AS sign FROM (%s) flips CROSS JOIN (%s) sample', part - 1, CASE WHEN block > 1 THEN
            format(' + get_bit(decode(%L, ''hex''), CAST(j / %s * %s + f / %2$s AS integer))', sqlrp_paley(block), part, block) ELSE '' END,
            flips, sample))],
            1 / sqrt(CAST(k AS double precision)));
        END $f$;
        """,  # noqa: E501  # wider than Python
    }
