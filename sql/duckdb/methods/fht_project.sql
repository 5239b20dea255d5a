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

CREATE OR REPLACE MACRO sqlrp_fht_stages(k, seed, padding, replacement, n) AS
  list_transform([{'padding': sqlrp_one_of('padding', padding, {{padding_list}}), 'n': sqlrp_known('HadamardProjection', n)}], lambda fht_v:
    sqlrp_pipeline([sqlrp_transform(k, seed, n, sqlrp_length_text(fht_v['padding'], fht_v['n'], 'padded'),
      sqlrp_length_text(fht_v['padding'], fht_v['n'], 'block'), replacement)], '1 / sqrt(' || k || ')', k))[1];
