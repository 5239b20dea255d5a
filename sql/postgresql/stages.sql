-- -- the stages ---------------------------------------------------------------------------------------------------------
-- A method is a list of stages, as in sqlrp/stages. A stage is a jsonb object. `outputs` is the number of entries that it leaves,
-- `terms` the cost of one row, and `exact` tells whether integers stay integers. `text` is a SELECT of its table. For sums
-- it gives the weights (c, f, sign) over the relation sqlrp_features, which the lowering defines. For products it gives the terms.

CREATE OR REPLACE FUNCTION sqlrp_series(n bigint, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format('(SELECT %2$s FROM generate_series(CAST(0 AS bigint), %1$s) g(%2$s))', n - 1, name)
$f$;

-- The stage of `vectors` signed sums. If s is NULL, the weights are normal numbers, by Box and Muller's transform of two entries.
-- The logarithm and the cosine are the server's, so the last bit may differ from Python's.
CREATE OR REPLACE FUNCTION sqlrp_vectors(n bigint, vectors bigint, s double precision, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', vectors, 'exact', s IS NOT NULL, 'weighted', s IS NULL,
    'terms', CAST(n AS double precision) * vectors / coalesce(s, 1), 'text', CASE WHEN s IS NOT NULL
    THEN sqlrp_sign_text(seed, vectors, s, 'sqlrp_features') ELSE format('SELECT c / 2 AS c, f, sqrt(-2 * ln(min(h + CAST(0.5 AS '
      'double precision)) FILTER (WHERE c %% 2 = 0) / {{prime}})) * cos(2 * pi() * (min(h + CAST(0.5 AS double precision)) '
      'FILTER (WHERE c %% 2 = 1) / {{prime}})) AS sign FROM (%s) drawn GROUP BY c / 2, f',
      sqlrp_draw(seed, {{normals}}, 2 * vectors, 'sqlrp_features')) END)
$f$;

-- A stage of sums of products. `text` gives (i, c, w, v): the number, component, weight and factors of every term. The factor -1
-- stands for the constant 1.
CREATE OR REPLACE FUNCTION sqlrp_products(outputs bigint, factors bigint, heaviest bigint, terms double precision, exact boolean,
  text text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', outputs, 'factors', factors, 'heaviest', heaviest, 'terms', factors * terms, 'exact', exact,
    'text', text)
$f$;

-- The stage of products over an index table that is drawn: each of the k components sums t products of `degree` of the p entries.
CREATE OR REPLACE FUNCTION sqlrp_drawn_products(p bigint, degree bigint, t bigint, k bigint, seed bigint, minimise boolean)
RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT sqlrp_products(k, degree, t, k * t, true, format('SELECT i, i / %s AS c, 1 AS w, a[i * %s + 1 : (i + 1) * %2$s] AS v FROM %s i '
    'CROSS JOIN (SELECT CAST(''%s'' AS bigint[]) AS a OFFSET ''0'') s', t, degree, sqlrp_series(k * t, 'i'),
    sqlrp_index_table(p, degree * t, k, seed, minimise)))
$f$;

-- The stage of `blocks` blocks of `size` sums. Each feature goes, with a sign, into one sum of each block. One entry is drawn for
-- each block and feature: its last bit is the sign, and the others are the place within the block.
CREATE OR REPLACE FUNCTION sqlrp_block_sums(n bigint, blocks bigint, size bigint, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', blocks * size, 'exact', true, 'terms', n * blocks, 'text', format(
    'SELECT c * %1$s + (h / 2) %% %1$s AS c, f, 1 - 2 * (h %% 2) AS sign FROM (%2$s) drawn', size,
    sqlrp_draw(seed, {{blocks}}, blocks, 'sqlrp_features')))
$f$;

-- The same in `buckets` buckets: one more entry of a feature gives its bucket, which has blocks of its own.
CREATE OR REPLACE FUNCTION sqlrp_bucket_sums(n bigint, blocks bigint, size bigint, buckets bigint, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', buckets * blocks * size, 'exact', true, 'terms', n * blocks, 'text', format(
    'SELECT (g %% %3$s * %2$s + c) * %1$s + (h / 2) %% %1$s AS c, f, 1 - 2 * (h %% 2) AS sign FROM (SELECT c, f, h, '
    'max(CASE WHEN c = %2$s THEN h END) OVER (PARTITION BY f) AS g FROM (%4$s) drawn) entries WHERE c < %2$s', size, blocks, buckets,
    sqlrp_draw(seed, {{blocks}}, blocks + 1, 'sqlrp_features')))
$f$;

-- The sums of a stage, or for rows of two descriptors its first half over the features below `split`, and the rest over the others.
CREATE OR REPLACE FUNCTION sqlrp_split_sums(stage jsonb, split bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF split IS NULL THEN
    RETURN stage;
  END IF;
  PERFORM sqlrp_whole('split', split, 1);
  IF split >= n THEN
    PERFORM sqlrp_refuse(format('split = %s must be below the number of features = %s: those from split on are the second descriptor', split, n));
  END IF;
  RETURN stage || jsonb_build_object('terms', CAST(stage ->> 'terms' AS double precision) / 2, 'text', format(
    'SELECT c, f, sign FROM (%s) split WHERE (c < %s) = (f < %s)', stage ->> 'text', CAST(stage ->> 'outputs' AS bigint) / 2, split));
END $f$;

-- The circular convolution of `degree` count sketches of length k, given side by side. They are convolved one after another, and
-- those that wait are carried along.
CREATE OR REPLACE FUNCTION sqlrp_convolutions(k bigint, degree bigint) RETURNS jsonb[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT coalesce(array_agg(sqlrp_products((ahead + 1) * k, 2, k, k * k + ahead * k, true, format(
      'SELECT c * %1$s + i AS i, c, 1 AS w, ARRAY[i, %1$s + (c - i + %1$s) %% %1$s] AS v FROM %2$s c CROSS JOIN %3$s i '
      'UNION ALL SELECT %1$s * %1$s + i, %1$s + i, 1, ARRAY[2 * %1$s + i, -1] FROM %4$s i',
      k, sqlrp_series(k, 'c'), sqlrp_series(k, 'i'), sqlrp_series(ahead * k, 'i'))) ORDER BY ahead DESC), '{}')
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

-- -- what several methods check ------------------------------------------------------------------------------------------

-- The number of features; an error where it is not known.
CREATE OR REPLACE FUNCTION sqlrp_known(class text, n bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF n IS NULL THEN
    PERFORM sqlrp_refuse(format('%s needs the number of features, which an open vocabulary does not have: '
      'pass n_features, or use SparseProjection or SparseEmbedding', class));
  END IF;
  RETURN n;
END $f$;

-- The s of signs as a number, or NULL for vectors => 'gaussian', whose method `class` needs the number of features.
CREATE OR REPLACE FUNCTION sqlrp_density(class text, vectors text, s jsonb, n bigint) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF sqlrp_one_of('vectors', vectors, '{{{vectors}}}') = 'gaussian' THEN
    PERFORM sqlrp_known(class, n);
    RETURN NULL;
  END IF;
  RETURN sqlrp_s(s, n);
END $f$;

-- How many sums all products share: p, or without it 2k within the bounds.
CREATE OR REPLACE FUNCTION sqlrp_shared_sums(p bigint, degree bigint, t bigint, k bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  least_p bigint := degree * t;
  most_p numeric := CAST(degree * t AS numeric) * k;
BEGIN
  IF p IS NULL THEN
    RETURN least(greatest(2 * k, least_p), most_p);
  END IF;
  PERFORM sqlrp_whole('p', p, 1);
  IF p < least_p THEN
    PERFORM sqlrp_refuse(format('p = %s must be at least degree * t = %s: raise p, or lower t or degree', p, least_p));
  ELSIF p > most_p THEN
    PERFORM sqlrp_refuse(format('p = %s must be at most degree * t * k = %s, all that are used: lower p', p, most_p));
  END IF;
  RETURN p;
END $f$;
