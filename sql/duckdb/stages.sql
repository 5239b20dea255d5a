-- -- the stages ---------------------------------------------------------------------------------------------------------
-- A method is a list of stages, as in sqlrp/stages. The number of features, `n`, is SQL text: digits, or a subquery where only the
-- statement can tell it; NULL if the vocabulary is open. So are `s`, the factor, and `outputs`, the number of entries that a stage
-- leaves (NULL if it stays).
-- `text` is a SELECT of its table. For sums it gives the weights (c, f, w) over the relation sqlrp_features, which the statement
-- defines. For products it gives the terms (i, c, w, v): number, component, weight and factors, where the factor -1 is the
-- constant 1. For `rescale` it gives (f, shift, scale). `dense`: no weight is 0; of products: all weights are 1.

CREATE OR REPLACE MACRO sqlrp_stage(kind, outputs := NULL, text := NULL, exact := true, largest := 1, factors := 1, heaviest := 1,
    value := 0, dense := false) AS
  {'kind': kind, 'outputs': CAST(outputs AS VARCHAR), 'text': CAST(text AS VARCHAR), 'exact': CAST(exact AS BOOLEAN),
   'largest': CAST(largest AS BIGINT), 'factors': CAST(factors AS BIGINT), 'heaviest': CAST(heaviest AS BIGINT),
   'value': CAST(value AS DOUBLE), 'dense': CAST(dense AS BOOLEAN)};

-- An expression of the column n, as SQL: a number if n is known.
CREATE OR REPLACE MACRO sqlrp_of(n, expression) AS '(SELECT ' || expression || ' FROM (SELECT CAST(' || n || ' AS BIGINT) AS n) n_)';

-- A number of entries and one more, or times another number.
CREATE OR REPLACE MACRO sqlrp_plus_one(n) AS coalesce(CAST(TRY_CAST(n AS BIGINT) + 1 AS VARCHAR), '(' || n || ' + 1)');
CREATE OR REPLACE MACRO sqlrp_times(n, times) AS coalesce(CAST(TRY_CAST(n AS BIGINT) * times AS VARCHAR), '(' || n || ' * ' || times || ')');

-- A SELECT of the numbers 0 ... n-1.
CREATE OR REPLACE MACRO sqlrp_series(n, name) AS '(SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS ' || name || ') ' || name || '_';

-- The signs (c, f, w): below P/2s the sign is +1, below P/s -1, else NULL. A WHERE would compute h twice.
CREATE OR REPLACE MACRO sqlrp_sign_text(seed, vectors, s, purpose) AS
  replace('SELECT c, f, CASE WHEN h < CAST(floor({{prime}} / (2 * @)) AS BIGINT) THEN 1 WHEN h < CAST(floor({{prime}} / @) AS BIGINT) THEN -1 END AS w FROM ', '@', s)
    || sqlrp_drawn(seed, purpose, vectors);

-- `vectors` signed sums.
CREATE OR REPLACE MACRO sqlrp_signed_sums(vectors, s, seed) AS
  sqlrp_stage('signs', vectors, sqlrp_sign_text(seed, vectors, s, {{signs}}));

-- `vectors` sums whose weights are normal numbers, by Box and Muller's transform of two entries. The logarithm and the cosine are
-- DuckDB's, so the last bit may differ from Python's.
CREATE OR REPLACE MACRO sqlrp_normal_sums(vectors, seed) AS
  sqlrp_stage('weights', vectors, 'SELECT c // 2 AS c, f, sqrt(-2 * ln(min((h + 0.5e0) / {{prime}}) FILTER (WHERE c % 2 = 0))) '
    || '* cos(2 * pi() * min((h + 0.5e0) / {{prime}}) FILTER (WHERE c % 2 = 1)) AS w FROM '
    || sqlrp_drawn(seed, {{normals}}, 2 * vectors) || ' GROUP BY c // 2, f', exact := false, dense := true);

-- Blocks of `size` sums: each feature goes, with a sign, into one sum of each block. The last bit of an entry is the sign, and the
-- others are the place within the block.
CREATE OR REPLACE MACRO sqlrp_block_sums(blocks, size, seed) AS
  sqlrp_stage('signs', blocks * size, 'SELECT c * ' || size || ' + (h // 2) % ' || size || ' AS c, f, 1 - 2 * (h % 2) AS w FROM '
    || sqlrp_drawn(seed, {{blocks}}, blocks));

-- The same in `buckets` buckets: one more entry of a feature gives its bucket, which has blocks of its own.
CREATE OR REPLACE MACRO sqlrp_bucket_sums(blocks, size, buckets, seed) AS
  sqlrp_stage('signs', buckets * blocks * size, 'SELECT (g % ' || buckets || ' * ' || blocks || ' + c) * ' || size || ' + (h // 2) % ' || size
    || ' AS c, f, 1 - 2 * (h % 2) AS w FROM (SELECT c, f, h, max(CASE WHEN c = ' || blocks || ' THEN h END) OVER (PARTITION BY f) AS g FROM '
    || sqlrp_drawn(seed, {{blocks}}, blocks + 1) || ') entries WHERE c < ' || blocks);

-- The sums of a stage, or for rows of two descriptors its first half over the features below `split`, and the rest over the others.
CREATE OR REPLACE MACRO sqlrp_split_sums(stage, sums, split, n) AS
  CASE WHEN split IS NULL THEN stage ELSE sqlrp_stage(stage['kind'], stage['outputs'], 'SELECT CASE WHEN ' || split || ' >= ' || coalesce(n, 'NULL')
    || ' THEN error(''split = ' || split || ' must be below the number of features = '' || ' || coalesce(n, 'NULL') || ' || '': those from split on are the '
    || 'second descriptor'') ELSE c END AS c, f, w FROM (' || stage['text'] || ') s_ WHERE (c < ' || sums // 2 || ') = (f < ' || split || ')') END;

-- Sums over the table that a table macro gives. `signs`: its weights are +1 and -1.
CREATE OR REPLACE MACRO sqlrp_given_sums(outputs, source, signs, exact, largest, dense) AS
  sqlrp_stage(CASE WHEN signs THEN 'signs' ELSE 'weights' END, outputs, 'SELECT c, CASE WHEN f < 0 THEN {{constant_feature}} ELSE f END AS f, w FROM '
    || source, exact := exact, largest := largest, dense := dense);

-- Sums of products over the table that a table macro gives.
CREATE OR REPLACE MACRO sqlrp_given_products(outputs, factors, heaviest, exact, plain, source) AS
  sqlrp_stage('products', outputs, 'SELECT i, c, w, v FROM ' || source, exact := exact, factors := factors, heaviest := heaviest, dense := plain);

-- t products of `degree` of the p entries for each of k components, over an index table that is drawn.
CREATE OR REPLACE MACRO sqlrp_drawn_products(p, k, t, degree, seed, minimise) AS
  sqlrp_stage('products', k, 'SELECT i, i // ' || t || ' AS c, 1 AS w, a[i * ' || degree || ' + 1 : (i + 1) * ' || degree
    || '] AS v FROM ' || sqlrp_series(k * t, 'i') || ', sqlrp_index_table(' || p || ', ' || degree * t || ', ' || k || ', ' || seed || ', '
    || minimise || ')', factors := degree, heaviest := t, dense := true);

CREATE OR REPLACE MACRO sqlrp_constant(value) AS
  sqlrp_stage('append', value := value, exact := value = floor(value));

-- What a method gives. `factor` multiplies the outputs; `bound` is the features that a saved projection is for.
CREATE OR REPLACE MACRO sqlrp_pipeline(stages, factor, k, grouped := false, prepared := false, names := NULL, bound := NULL) AS
  {'stages': stages, 'factor': CAST(factor AS VARCHAR), 'k': CAST(k AS BIGINT), 'grouped': grouped, 'prepared': prepared,
   'names': CAST(names AS VARCHAR[]), 'bound': CAST(bound AS BIGINT)};

-- What pooling gives: the stages of a row, the sum over the group, then the signed root and the norm.
CREATE OR REPLACE MACRO sqlrp_pooled(stages, factor, k, normalise) AS
  sqlrp_pipeline(stages || [sqlrp_stage('group')]
    || CASE WHEN normalise THEN [sqlrp_stage('root', exact := false), sqlrp_stage('normalise', exact := false)] ELSE [] END,
    CASE WHEN normalise THEN '1' ELSE factor END, k, grouped := true);

-- The circular convolution of `degree` count sketches of length k, given side by side. They are convolved one after another, and
-- those that wait are carried along.
CREATE OR REPLACE MACRO sqlrp_convolutions(k, degree) AS
  list_transform(range(degree - 2, -1, -1), lambda ahead: sqlrp_stage('products', (ahead + 1) * k, 'SELECT c * ' || k || ' + i AS i, c, 1 AS w, '
    || '[i, ' || k || ' + (c - i + ' || k || ') % ' || k || '] AS v FROM ' || sqlrp_series(k, 'c') || ', ' || sqlrp_series(k, 'i')
    || ' UNION ALL SELECT ' || k || ' * ' || k || ' + i, ' || k || ' + i, 1, [2 * ' || k || ' + i, -1] FROM ' || sqlrp_series(ahead * k, 'i'),
    factors := 2, heaviest := k, dense := true));

-- A saved method with stages before its own.
CREATE OR REPLACE MACRO sqlrp_prepared(stages, pipeline) AS
  list_transform([pipeline], lambda prepared_p: sqlrp_pipeline(stages || prepared_p['stages'], prepared_p['factor'], prepared_p['k'],
    grouped := prepared_p['grouped'], prepared := true))[1];

-- -- what several methods check ------------------------------------------------------------------------------------------

-- The number of features; an error where it is not known.
CREATE OR REPLACE MACRO sqlrp_known(class, n) AS
  CASE WHEN n IS NULL THEN error(class || ' needs the number of features, which an open vocabulary does not have: '
      || 'pass n_features, or use SparseProjection or SparseEmbedding') ELSE n END;

-- How many sums all products share: p, or without it 2k within the bounds.
CREATE OR REPLACE MACRO sqlrp_shared_sums(p, degree, t, k) AS
  CASE WHEN p IS NULL THEN least(greatest(2 * k, degree * t), degree * t * k)
    WHEN p < degree * t THEN error('p = ' || p || ' must be at least degree * t = ' || degree * t || ': raise p, or lower t or degree')
    WHEN p > degree * t * k THEN error('p = ' || p || ' must be at most degree * t * k = ' || degree * t * k || ', all that are used: lower p')
    ELSE p END;

-- A saved projection with the features that it is for: their names, or their number.
CREATE OR REPLACE MACRO sqlrp_bound(pipeline, names, bound) AS
  list_transform([pipeline], lambda bound_p: sqlrp_pipeline(bound_p['stages'], bound_p['factor'], bound_p['k'], grouped := bound_p['grouped'],
    prepared := bound_p['prepared'], names := names, bound := bound))[1];
