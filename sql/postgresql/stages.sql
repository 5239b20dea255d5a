-- -- the stages ---------------------------------------------------------------------------------------------------------
-- A method is a list of stages, as in sqlrp/stages. A stage is a jsonb object. `outputs` is the number of entries that it leaves,
-- `terms` the cost of one row, and `exact` tells whether integers stay integers. `text` is a SELECT of its table. For sums
-- it gives the weights (c, f, sign) over the relation sqlrp_features, which the lowering defines. For products it gives the terms.

CREATE OR REPLACE FUNCTION sqlrp_counted(n bigint, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format('SELECT %2$s FROM generate_series(CAST(0 AS bigint), %1$s) g(%2$s)', n - 1, name)
$f$;

CREATE OR REPLACE FUNCTION sqlrp_series(n bigint, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT '(' || sqlrp_counted(n, name) || ')'
$f$;

-- The stage of `vectors` signed sums. If s is NULL, the weights are normal numbers, by Box and Muller's transform of two entries.
-- The logarithm and the cosine are the server's, so the last bit may differ from Python's. `purpose`: of another draw.
CREATE OR REPLACE FUNCTION sqlrp_vectors(n bigint, vectors bigint, s double precision, seed bigint, purpose integer DEFAULT NULL)
RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_strip_nulls(jsonb_build_object('outputs', vectors, 'exact', s IS NOT NULL, 'weighted', s IS NULL,
    'drawn', CASE WHEN s IS NOT NULL THEN jsonb_build_object('block', 'signs', 'seed', seed, 'purpose', coalesce(purpose, {{signs}}), 'n', vectors, 'c', 'CAST(c AS integer)',
      'low', CAST(floor({{prime}} / (2 * s)) AS bigint), 'high', CAST(floor({{prime}} / s) AS bigint)) END,
    'terms', CAST(n AS double precision) * vectors / coalesce(s, 1), 'text', CASE WHEN s IS NOT NULL
    THEN sqlrp_sign_text(seed, vectors, s, 'sqlrp_features', coalesce(purpose, {{signs}})) ELSE format('SELECT c / 2 AS c, f, sqrt(-2 * ln(min(h + CAST(0.5 AS '
      'double precision)) FILTER (WHERE c %% 2 = 0) / {{prime}})) * cos(2 * pi() * (min(h + CAST(0.5 AS double precision)) '
      'FILTER (WHERE c %% 2 = 1) / {{prime}})) AS sign FROM (%s) drawn GROUP BY c / 2, f',
      sqlrp_draw(seed, coalesce(purpose, {{normals}}), 2 * vectors, 'sqlrp_features')) END))
$f$;

-- The same with normal weights of standard deviation `width`. The weight of a constant is an angle between 0 and 2 pi.
CREATE OR REPLACE FUNCTION sqlrp_fourier_sums(n bigint, vectors bigint, width double precision, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT stage || jsonb_build_object('text', format('SELECT c, f, CASE WHEN f = {{constant_feature}} THEN (h + CAST(0.5 AS double precision)) '
      '/ {{prime}} * (2 * pi()) ELSE CAST(%L AS double precision) * sign END AS sign FROM (%s) normals JOIN (SELECT c, h FROM (%s) drawn) angles USING (c)',
      width, stage ->> 'text', sqlrp_draw(seed, {{phases}}, vectors, '(SELECT CAST(0 AS bigint) AS f)')))
  FROM (SELECT sqlrp_vectors(n, vectors, NULL, seed) AS stage) s
$f$;

-- A formula of every entry, as SQL in which %1$s stands for the entry.
CREATE OR REPLACE FUNCTION sqlrp_map(outputs bigint, formula text, keeps_zero boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('map', formula, 'keeps_zero', keeps_zero, 'outputs', outputs, 'terms', 0, 'exact', false)
$f$;

-- A stage of sums of products. `text` gives (i, c, w, v): the number, component, weight and factors of every term. The factor -1
-- stands for the constant 1. `plain`: whether every weight is 1.
CREATE OR REPLACE FUNCTION sqlrp_products(outputs bigint, factors bigint, heaviest bigint, terms double precision, exact boolean,
  text text, plain boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', outputs, 'factors', factors, 'plain', plain, 'heaviest', heaviest, 'terms', factors * terms, 'exact', exact,
    'text', text)
$f$;

-- The stage of products over an index table that is drawn: each of the k components sums t products of `degree` of the p entries.
CREATE OR REPLACE FUNCTION sqlrp_drawn_products(p bigint, degree bigint, t bigint, k bigint, seed bigint, minimise boolean)
RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT sqlrp_products(k, degree, t, k * t, true, format('SELECT i, i / %s AS c, 1 AS w, a[i * %s + 1 : (i + 1) * %2$s] AS v FROM %s i '
    'CROSS JOIN (SELECT CAST(''%s'' AS bigint[]) AS a OFFSET ''0'') s', t, degree, sqlrp_series(k * t, 'i'),
    sqlrp_index_table(p, degree * t, k, seed, minimise)), true)
$f$;

-- The stage of `blocks` blocks of `size` sums. Each feature goes, with a sign, into one sum of each block. One entry is drawn for
-- each block and feature: its last bit is the sign, and the others are the place within the block.
CREATE OR REPLACE FUNCTION sqlrp_block_sums(n bigint, blocks bigint, size bigint, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', blocks * size, 'exact', true, 'terms', n * blocks, 'drawn', jsonb_build_object('block', 'block_signs',
    'seed', seed, 'purpose', {{blocks}}, 'n', blocks, 'size', size, 'place', format('((h / 2) %% %s)', size), 'last', '(h % 2)'), 'text', format(
    'SELECT c * %1$s + (h / 2) %% %1$s AS c, f, 1 - 2 * (h %% 2) AS sign FROM (%2$s) drawn', size,
    sqlrp_draw(seed, {{blocks}}, blocks, 'sqlrp_features')))
$f$;

-- The same in `buckets` buckets: one more entry of a feature gives its bucket, which has blocks of its own.
CREATE OR REPLACE FUNCTION sqlrp_bucket_sums(n bigint, blocks bigint, size bigint, buckets bigint, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', buckets * blocks * size, 'exact', true, 'terms', n * blocks, 'drawn', jsonb_build_object('block', 'bucket_signs',
    'seed', seed, 'purpose', {{blocks}}, 'n', blocks + 1, 'size', size, 'place', format('((h / 2) %% %s)', size), 'last', '(h % 2)', 'count', blocks,
    'bucket', format('(g %% %s)', buckets)), 'text', format(
    'SELECT (g %% %3$s * %2$s + c) * %1$s + (h / 2) %% %1$s AS c, f, 1 - 2 * (h %% 2) AS sign FROM (SELECT c, f, h, '
    'max(CASE WHEN c = %2$s THEN h END) OVER (PARTITION BY f) AS g FROM (%4$s) drawn) entries WHERE c < %2$s', size, blocks, buckets,
    sqlrp_draw(seed, {{blocks}}, blocks + 1, 'sqlrp_features')))
$f$;

-- The sums of a stage for rows of two descriptors: its first half over the features below `split`, and the rest over the others.
CREATE OR REPLACE FUNCTION sqlrp_split_sums(stage jsonb, split bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT (stage - 'drawn') || jsonb_build_object('terms', CAST(stage ->> 'terms' AS double precision) / 2, 'text', format(
    'SELECT c, f, sign FROM (%s) split WHERE (c < %s) = (f < %s)', stage ->> 'text', CAST(stage ->> 'outputs' AS bigint) / 2, split))
$f$;

-- k of n features, drawn without replacement, or one from each of k equal parts, of the row or of its reflection.
CREATE OR REPLACE FUNCTION sqlrp_picks(k bigint, n bigint, seed bigint, stratified boolean, reflected boolean) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', k, 'exact', true, 'reflected', reflected, 'terms', n + k, 'text', CASE WHEN stratified
    THEN format('SELECT f AS c, (f * %s + h * %1$s / {{prime}}) / %s AS f, 1 AS sign FROM (%s) drawn', n, k,
      sqlrp_draw(seed, {{subspace}}, 1, sqlrp_series(k, 'f')))
    ELSE format('SELECT row_number() OVER (ORDER BY h, f) - 1 AS c, f, 1 AS sign FROM (%s) drawn ORDER BY h, f LIMIT %s',
      sqlrp_draw(seed, {{subspace}}, 1, sqlrp_series(n, 'f')), k) END)
$f$;

-- k * m signed sums of n features, and k sums of their squares: minus the weights that they have in the signed squares of the sums.
CREATE OR REPLACE FUNCTION sqlrp_sums_and_squares(k bigint, m bigint, s double precision, seed bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  largest bigint;
  text text := format('WITH signs AS MATERIALIZED (%s) SELECT c, f, sign FROM signs UNION ALL '
      'SELECT %s + c / %s, f + %s, CAST(sum(CASE WHEN c %% %3$s < %5$s THEN -1 ELSE 1 END) AS integer) FROM signs GROUP BY c / %3$s, f',
      sqlrp_sign_text(seed, k * m, s, sqlrp_series(n, 'f')), k * m, m, n, greatest(m / 2, 1));
BEGIN
  EXECUTE format('SELECT max(abs(sign)) FROM (%s) t', text) INTO largest;
  RETURN jsonb_build_object('outputs', k * m + k, 'exact', true, 'weighted', true, 'largest', coalesce(largest, 1), 'terms', 2 * n * (m + 1) * k / s,
    'text', text);
END $f$;

-- Sums of t products for each of k components, by a rule: the weight and the factors are SQL over the component c and the number j of the
-- product.
CREATE OR REPLACE FUNCTION sqlrp_products_of(k bigint, t bigint, factors bigint, exact boolean, weight text, listed text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT sqlrp_products(k, factors, t, CAST(k * t AS double precision), exact, format(
    'SELECT c * %s + j AS i, c, %s AS w, %s AS v FROM %s c_ CROSS JOIN %s j_', t, weight, listed, sqlrp_series(k, 'c'), sqlrp_series(t, 'j')), weight ~ '^-?\d+$')
$f$;

-- The same products with their second factor from another p sums.
CREATE OR REPLACE FUNCTION sqlrp_across(products jsonb, p bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT products || jsonb_build_object('text', format('SELECT i, c, w, ARRAY[v[1], v[2] + %s] AS v FROM (%s) own', p, products ->> 'text'))
$f$;

-- The number of monomials of a degree of n features; an error for more than are written out.
CREATE OR REPLACE FUNCTION sqlrp_n_monomials(n bigint, degree bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  monomials numeric := 1;
BEGIN
  FOR i IN 1 .. least(degree, n - 1) LOOP
    monomials := div(monomials * (greatest(degree, n - 1) + i), i);
    EXIT WHEN monomials > 1e30;
  END LOOP;
  IF monomials > {{most_monomials}} THEN
    PERFORM sqlrp_refuse(format('%s features have %s monomials of degree %s, more than the {{most_monomials_shown}} that are written out: '
      'use sqlrp.project or project_with, which draw some, or PolynomialKernelProjection', n, CASE WHEN monomials > 1e30 THEN 'over 10^30'
      ELSE to_char(monomials, 'FM999,999,999,999,999,999,999,999,999,999,999') END, degree), 'program_limit_exceeded');
  END IF;
  RETURN monomials;
END $f$;

-- All monomials in the order of their features, each with the square root of its multinomial coefficient. It is built up factor by factor,
-- as j / run.
CREATE OR REPLACE FUNCTION sqlrp_all_monomials(monomials bigint, n bigint, degree bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT sqlrp_products(monomials, degree, 1, CAST(monomials AS double precision), false, format(
    'WITH RECURSIVE monomials(v, last, run, ways) AS (SELECT ARRAY[f], f, CAST(1 AS bigint), CAST(1 AS numeric) FROM %1$s s UNION ALL '
    'SELECT m.v || s.f, s.f, r.run, div(m.ways * (cardinality(m.v) + 1), r.run) FROM monomials m JOIN %1$s s ON s.f >= m.last '
    'CROSS JOIN LATERAL (SELECT CASE WHEN s.f = m.last THEN m.run + 1 ELSE 1 END AS run) r WHERE cardinality(m.v) < %2$s) '
    'SELECT row_number() OVER (ORDER BY v) - 1 AS i, row_number() OVER (ORDER BY v) - 1 AS c, sqrt(CAST(ways AS double precision)) '
    'AS w, v FROM monomials WHERE cardinality(v) = %2$s', sqlrp_series(n, 'f'), degree), false)
$f$;

-- Paley's Hadamard matrix of an order in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1.
CREATE OR REPLACE FUNCTION sqlrp_paley(block bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE block
{{paley}}
  END
$f$;

-- A sample of k entries of a Hadamard transform of the row, padded with zeros and with drawn signs. The transform is the Kronecker
-- product of Paley's matrix of order `block`, or 1, and Walsh's of order `part`.
CREATE OR REPLACE FUNCTION sqlrp_sampled_transform(k bigint, n bigint, seed bigint, padding text, replacement boolean) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  padded bigint;
  part bigint;
  block bigint;
  flips text;
  sample text;
BEGIN
  SELECT m << b, CAST(1 AS bigint) << b, m INTO padded, part, block
    FROM unnest(CASE padding WHEN 'least' THEN CAST('{1,{{paley_orders}}}' AS bigint[]) ELSE '{1}' END) m
    CROSS JOIN generate_series(0, 31) b WHERE m << b >= n ORDER BY m << b LIMIT 1;
  flips := format('SELECT f, sign AS flip FROM (%s) drawn', sqlrp_sign_text(seed, 1, 1, sqlrp_series(n, 'f'), {{flips}}));
  sample := CASE WHEN replacement
    THEN format('SELECT f AS c, h %% %s AS j FROM (%s) drawn', padded, sqlrp_draw(seed, {{sample}}, 1, sqlrp_series(k, 'f')))
    ELSE format('SELECT c, j FROM %s s JOIN (SELECT row_number() OVER (ORDER BY h, f) - 1 AS o, f AS j FROM (%s) drawn) p '
      'ON o = c %% %s', sqlrp_series(k, 'c'), sqlrp_draw(seed, {{subspace}}, 1, sqlrp_series(padded, 'f')), padded) END;
  -- A weight is flip(f) * (-1)^(the number of bits that f and the sampled entry share within a part) * the sign of the parts.
  RETURN jsonb_build_object('outputs', k, 'exact', true, 'padded', padded, 'part', part, 'block', block,
    'whole', NOT replacement AND k = padded,
    'terms', CASE block WHEN 1 THEN padded * greatest(log(2, CAST(padded AS numeric)), 1)
      ELSE padded * (log(2, CAST(part AS numeric)) + block / 2) END, 'flips', flips, 'sample', sample,
    'text', format('SELECT c, f, CASE WHEN (length(replace(CAST(CAST(f & j & %s AS bit(32)) AS text), ''0'', ''''))%s) %% 2 = 0 '
    'THEN flip ELSE -flip END AS sign FROM (%s) flips CROSS JOIN (%s) sample', part - 1, CASE WHEN block > 1 THEN
    format(' + get_bit(decode(%L, ''hex''), CAST(j / %s * %s + f / %2$s AS integer))', sqlrp_paley(block), part, block) ELSE '' END,
    flips, sample));
END $f$;

-- The circular convolution of `degree` count sketches of length k, given side by side. They are convolved one after another, and
-- those that wait are carried along.
CREATE OR REPLACE FUNCTION sqlrp_convolutions(k bigint, degree bigint) RETURNS jsonb[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT coalesce(array_agg(sqlrp_products((ahead + 1) * k, 2, k, k * k + ahead * k, true, format(
      'SELECT c * %1$s + i AS i, c, 1 AS w, ARRAY[i, %1$s + (c - i + %1$s) %% %1$s] AS v FROM %2$s c CROSS JOIN %3$s i '
      'UNION ALL SELECT %1$s * %1$s + i, %1$s + i, 1, ARRAY[2 * %1$s + i, -1] FROM %4$s i',
      k, sqlrp_series(k, 'c'), sqlrp_series(k, 'i'), sqlrp_series(ahead * k, 'i')), true)
    || jsonb_build_object('convolved', k) ORDER BY ahead DESC), '{}')
  FROM generate_series(CAST(0 AS bigint), degree - 2) a(ahead)
$f$;

-- The stage that appends a constant to the features.
CREATE OR REPLACE FUNCTION sqlrp_constant(value double precision) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('constant', CAST(value AS text), 'exact', value = floor(value) AND value <= 1e15)
$f$;

-- What a method's function returns. `factor` multiplies the outputs. `grouped` sums the rows of each key, and `normalised` takes
-- signed roots and divides by the Euclidean norm after that.
CREATE OR REPLACE FUNCTION sqlrp_pipeline(stages jsonb[], factor double precision, grouped boolean DEFAULT false,
  normalised boolean DEFAULT false) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('stages', to_jsonb(stages), 'factor', factor, 'grouped', grouped, 'normalised', normalised)
$f$;
