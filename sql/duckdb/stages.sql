-- -- the stages ---------------------------------------------------------------------------------------------------------
-- A method is a list of stages, as in sqlrp/stages. The number of features, `n`, is SQL text: digits, or a subquery where only the
-- statement can tell it; NULL if the vocabulary is open. So are `s`, the factor, and `outputs`, the number of entries that a stage
-- leaves (NULL if it stays).
-- `text` is a SELECT of its table. For sums it gives the weights (c, f, w) over the relation sqlrp_features, which the statement
-- defines. For products it gives the terms (i, c, w, v): number, component, weight and factors, where the factor -1 is the
-- constant 1. For `rescale` it gives (f, shift, scale). `dense`: no weight is 0; of products: all weights are 1.
-- `drawn` is a call that draws the same as lists while the statement binds (drawn.sql), with {at} for the number of features and whether the
-- last is a constant; NULL if there is none. `terms` is their number as SQL, with @ for the number of features; dense signs
-- share sums, and 64 zeros take as long to draw as a term to plan. `form` is the name of its step there, if not that of its kind.

CREATE OR REPLACE MACRO sqlrp_stage(kind, outputs := NULL, text := NULL, exact := true, largest := 1, factors := 1, heaviest := 1,
    value := 0, dense := false, drawn := NULL, terms := NULL, form := NULL) AS
  CAST({'kind': kind, 'outputs': outputs, 'text': text, 'exact': exact, 'largest': largest, 'factors': factors, 'heaviest': heaviest, 'value': value, 'dense': dense,
    'drawn': drawn, 'terms': terms, 'form': coalesce(form, kind)} AS STRUCT(kind VARCHAR, outputs VARCHAR, text VARCHAR, exact BOOLEAN, largest BIGINT, factors BIGINT,
    heaviest BIGINT, value DOUBLE, dense BOOLEAN, drawn VARCHAR, terms VARCHAR, form VARCHAR));

-- An expression of the column n, as SQL: a number if n is known.
CREATE OR REPLACE MACRO sqlrp_of(n, expression) AS '(SELECT ' || expression || ' FROM (SELECT CAST(' || n || ' AS BIGINT) AS n) n_)';

-- A number of entries and one more.
CREATE OR REPLACE MACRO sqlrp_plus_one(n) AS coalesce(CAST(TRY_CAST(n AS BIGINT) + 1 AS VARCHAR), '(' || n || ' + 1)');

-- A SELECT of the numbers 0 ... n-1.
CREATE OR REPLACE MACRO sqlrp_series(n, name) AS '(SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS ' || name || ') ' || name || '_';

-- The signs (c, f, w): below P/2s the sign is +1, below P/s -1, else NULL. A WHERE would compute h twice.
CREATE OR REPLACE MACRO sqlrp_sign_text(seed, vectors, s, purpose) AS
  replace('SELECT c, f, CASE WHEN h < CAST(floor({{prime}} / (2 * @)) AS BIGINT) THEN 1 WHEN h < CAST(floor({{prime}} / @) AS BIGINT) THEN -1 END AS w FROM ', '@', s)
    || sqlrp_drawn(seed, purpose, vectors);

-- `vectors` signed sums. `purpose`: of another draw of a method than the first.
CREATE OR REPLACE MACRO sqlrp_signed_sums(vectors, s, seed, purpose := {{signs}}) AS
  sqlrp_stage('signs', vectors, sqlrp_sign_text(seed, vectors, s, purpose),
    drawn := concat('sqlrp_drawn_signs(', seed, ', ', purpose, ', ', vectors, ', ', s, ', {at})'),
    terms := concat(vectors, ' * @ / least(greatest(', s, ', 4), 64)'));

-- `vectors` sums whose weights are normal numbers, by Box and Muller's transform of two entries. The logarithm and the cosine are
-- DuckDB's, so the last bit may differ from Python's.
CREATE OR REPLACE MACRO sqlrp_normal_sums(vectors, seed, purpose := {{normals}}) AS
  sqlrp_stage('weights', vectors, 'SELECT c // 2 AS c, f, sqrt(-2 * ln(min((h + 0.5e0) / {{prime}}) FILTER (WHERE c % 2 = 0))) '
    || '* cos(2 * pi() * min((h + 0.5e0) / {{prime}}) FILTER (WHERE c % 2 = 1)) AS w FROM '
    || sqlrp_drawn(seed, purpose, 2 * vectors) || ' GROUP BY c // 2, f', exact := false, dense := true);

-- The same with weights of standard deviation `width`. The weight of a constant is an angle between 0 and 2 pi.
CREATE OR REPLACE MACRO sqlrp_fourier_sums(vectors, width, seed) AS
  sqlrp_stage('weights', vectors, concat('SELECT c, f, CASE WHEN f = {{constant_feature}} THEN (b0 + 0.5e0) / {{prime}} * (2 * pi()) ELSE ', width,
    ' * w END AS w FROM (', sqlrp_normal_sums(vectors, seed)['text'], ') normals_ JOIN sqlrp_components(', seed, ', {{phases}}, ', vectors,
    ') phases_ USING (c)'), exact := false, dense := true);

-- A formula of every entry, as SQL over @. Parameters are numbers in its text.
CREATE OR REPLACE MACRO sqlrp_map(formula) AS sqlrp_stage('map', text := formula, exact := false);

-- Blocks of `size` sums: each feature goes, with a sign, into one sum of each block. The last bit of an entry is the sign, and the
-- others are the place within the block.
CREATE OR REPLACE MACRO sqlrp_block_sums(blocks, size, seed) AS
  sqlrp_stage('signs', blocks * size, 'SELECT c * ' || size || ' + (h // 2) % ' || size || ' AS c, f, 1 - 2 * (h % 2) AS w FROM '
    || sqlrp_drawn(seed, {{blocks}}, blocks), drawn := concat('sqlrp_drawn_blocks(', seed, ', ', blocks, ', ', size, ', 1, {at})'), terms := concat(blocks, ' * @'));

-- The same in `buckets` buckets: one more entry of a feature gives its bucket, which has blocks of its own.
CREATE OR REPLACE MACRO sqlrp_bucket_sums(blocks, size, buckets, seed) AS
  sqlrp_stage('signs', buckets * blocks * size, 'SELECT (g % ' || buckets || ' * ' || blocks || ' + c) * ' || size || ' + (h // 2) % ' || size
    || ' AS c, f, 1 - 2 * (h % 2) AS w FROM (SELECT c, f, h, max(CASE WHEN c = ' || blocks || ' THEN h END) OVER (PARTITION BY f) AS g FROM '
    || sqlrp_drawn(seed, {{blocks}}, blocks + 1) || ') entries WHERE c < ' || blocks,
    drawn := concat('sqlrp_drawn_blocks(', seed, ', ', blocks, ', ', size, ', ', buckets, ', {at})'), terms := concat(blocks, ' * @'));

-- The sums of a stage for rows of two descriptors: its first half over the features below `split`, and the rest over the others. Where only
-- the statement can tell n, it checks it.
CREATE OR REPLACE MACRO sqlrp_split_sums(stage, sums, split, n) AS
  sqlrp_stage(stage['kind'], stage['outputs'], concat('SELECT c', CASE WHEN TRY_CAST(n AS BIGINT) IS NULL THEN ' + 0 * ' || n END, ' AS c, f, w FROM (',
    stage['text'], ') s_ WHERE (c < ', sums // 2, ') = (f < ', split, ')'), terms := '(' || stage['terms'] || ') / 2',
    drawn := concat('sqlrp_drawn_split(', sums // 2, ', ', split, ', ', stage['drawn'], ', {at})'));

-- k of n features, drawn without replacement, or one from each of k equal parts, of the row or of its reflection.
CREATE OR REPLACE MACRO sqlrp_picks(k, n, seed, stratified, reflected) AS
  sqlrp_stage(CASE WHEN reflected THEN 'reflect' ELSE 'signs' END, k, 'SELECT ' || CASE WHEN stratified
      THEN 'f AS c, (f * ' || n || ' + h * ' || n || ' // {{prime}}) // ' || k || ' AS f' ELSE 'row_number() OVER (ORDER BY h ASC, f ASC) - 1 AS c, f' END
    || ', 1 AS w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(CASE WHEN stratified THEN CAST(k AS VARCHAR) ELSE n END, 'f')
    || ') SELECT f, h FROM ' || sqlrp_drawn(seed, {{subspace}}, 1) || ') d ORDER BY h ASC, f ASC LIMIT ' || k,
    drawn := concat('sqlrp_drawn_picks(', k, ', ', stratified, ', ', seed, ', {at})'), terms := concat('@ + ', k));

-- Whether no square has a weight of more than 1: half of m signs have a minus, and without zeros they cancel.
CREATE OR REPLACE MACRO sqlrp_weighs_one(m, s) AS m <= 2 OR contains(s, '''1.0''');

-- k * m signed sums of n features, and k sums of their squares: minus the weights that they have in the signed squares of the sums.
CREATE OR REPLACE MACRO sqlrp_sums_and_squares(k, m, s, seed, n) AS
  sqlrp_stage('weights', k * m + k, 'SELECT c, f, w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(n, 'f')
      || '), signs AS MATERIALIZED (SELECT c, f, w FROM (' || sqlrp_sign_text(seed, k * m, s, {{signs}}) || ') s_ WHERE w IS NOT NULL) SELECT c, f, w FROM signs UNION ALL SELECT ' || k * m
      || ' + c // ' || m || ', f + ' || n || ', CAST(sum(CASE WHEN c % ' || m || ' < ' || greatest(m // 2, 1)
      || ' THEN -1 ELSE 1 END) AS INTEGER) FROM signs GROUP BY c // ' || m || ', f) both_ WHERE w <> 0', largest := CASE WHEN sqlrp_weighs_one(m, s) THEN 1 ELSE m // 2 END,
    form := CASE WHEN sqlrp_weighs_one(m, s) THEN 'signs' ELSE 'products' END, terms := concat(k * m, ' * @ / 2 / least(greatest(', s, ' / 2, 4), 64)'),
    drawn := concat(CASE WHEN sqlrp_weighs_one(m, s) THEN 'sqlrp_signs_of' ELSE 'sqlrp_terms_of' END, '(sqlrp_drawn_removed(', k, ', ', m, ', ', seed, ', ', s, ', ', n, '))'));

-- Sums of t products for each component, by a rule: the weight and the factors are SQL over the component c and the number j of the product.
-- `places` is the list of factors counted from 1, with 0 for the constant 1.
CREATE OR REPLACE MACRO sqlrp_products_of(outputs, t, number, weight, factors, places, plain, exact) AS
  sqlrp_stage('products', outputs, concat('SELECT c * ', t, ' + j AS i, c, ', weight, ' AS w, ', factors, ' AS v FROM ', sqlrp_series(outputs, 'c'), ', ', sqlrp_series(t, 'j')),
    exact := exact, factors := number, heaviest := t, dense := plain, terms := concat('(', outputs, ') * ', t * number),
    drawn := concat('list_transform(range(CAST(', outputs, ' AS BIGINT)), lambda c: list_transform(range(CAST(', t, ' AS BIGINT)), lambda j: [CAST(', weight, ' AS ',
      CASE WHEN exact THEN 'BIGINT' ELSE 'DOUBLE' END, ')] || ', places, '))'));

-- The same products with their second factor from another p sums.
CREATE OR REPLACE MACRO sqlrp_across(products, p) AS
  sqlrp_stage('products', products['outputs'], 'SELECT i, c, w, [v[1], v[2] + ' || p || '] AS v FROM (' || products['text'] || ') s_', factors := 2,
    heaviest := products['heaviest'], dense := true, terms := products['terms'],
    drawn := replace(products['drawn'], 'sqlrp_drawn_terms(', concat('sqlrp_drawn_across(', p, ', ')));

-- The number of monomials of a degree of n features, as text; an error for more than are written out.
CREATE OR REPLACE MACRO sqlrp_monomials_of(degree, n) AS
  list_transform([list_reduce(range(1, least(degree, n - 1) + 1), lambda monomials_m, monomials_i:
        CASE WHEN monomials_m > 1e30 THEN monomials_m ELSE round(monomials_m * (greatest(degree, n - 1) + monomials_i) / monomials_i) END,
        CAST(1 AS DOUBLE))], lambda ep_m:
      CASE WHEN ep_m > {{most_monomials}} THEN error(n || ' features have ' || CASE WHEN ep_m > 1e15 THEN 'over 10^15'
          ELSE format('{:,}', CAST(ep_m AS BIGINT)) END || ' monomials of degree ' || degree || ', more than the {{most_monomials_shown}} that are '
          || 'written out: use sqlrp.project or project_with, which draw some, or PolynomialKernelProjection')
        ELSE CAST(ep_m AS BIGINT) END)[1];
CREATE OR REPLACE MACRO sqlrp_n_monomials(degree, n) AS
  CASE WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'sqlrp_monomials_of(' || degree || ', n)')
    ELSE CAST(sqlrp_monomials_of(degree, TRY_CAST(n AS BIGINT)) AS VARCHAR) END;

-- All monomials in the order of their features. The coefficient is built up factor by factor, as j / run.
CREATE OR REPLACE MACRO sqlrp_monomials_text(degree, n) AS
  'SELECT row_number() OVER (ORDER BY v ASC) - 1 AS i, row_number() OVER (ORDER BY v ASC) - 1 AS c, sqrt(CAST(ways AS DOUBLE)) AS w, v FROM ('
    || 'WITH RECURSIVE monomials(v, prior, run, ways) AS (SELECT [f], f, CAST(1 AS BIGINT), CAST(1 AS HUGEINT) FROM ' || sqlrp_series(n, 'f')
    || ' UNION ALL SELECT v || [f], f, CASE WHEN f = prior THEN run + 1 ELSE 1 END, ways * (len(v) + 1) // CASE WHEN f = prior THEN run + 1 '
    || 'ELSE 1 END FROM monomials, ' || sqlrp_series(n, 'f') || ' WHERE f >= prior AND len(v) < ' || degree || ') SELECT v, ways FROM monomials WHERE len(v) = '
    || degree || ') m';
CREATE OR REPLACE MACRO sqlrp_all_monomials(count, n, degree) AS
  list_transform([count], lambda monomials_n: sqlrp_stage('products', monomials_n, sqlrp_monomials_text(degree, n || ' + 0 * ' || monomials_n), exact := false,
    factors := degree, terms := concat(monomials_n, ' * ', degree), drawn := concat('sqlrp_monomials(', degree, ', ', n, ')')))[1];

-- Sums over the table that a table macro gives. `signs`: its weights are +1 and -1.
CREATE OR REPLACE MACRO sqlrp_given_sums(outputs, source, signs, exact, largest) AS
  sqlrp_stage(CASE WHEN signs THEN 'signs' ELSE 'weights' END, outputs, 'SELECT c, CASE WHEN f < 0 THEN {{constant_feature}} ELSE f END AS f, w FROM '
    || source, exact := exact, largest := largest);

-- The same where no weight is 0: the table macro gives one list, l, of the n weights of each sum in turn. `constant`: the last feature is one.
CREATE OR REPLACE MACRO sqlrp_full_sums(outputs, n, constant, source, signs, exact, largest) AS
  sqlrp_stage(CASE WHEN signs THEN 'signs' ELSE 'weights' END, outputs, concat('SELECT i // ', n, ' AS c, ', CASE WHEN constant THEN concat('CASE WHEN i % ', n, ' = ', n - 1,
    ' THEN {{constant_feature}} ELSE i % ', n, ' END') ELSE concat('i % ', n) END, ' AS f, w FROM (SELECT unnest(range(', outputs * n, ')) AS i, unnest(l) AS w FROM ', source, ') w_'),
    exact := exact, largest := largest, dense := true);

-- Sums of products over the table that a table macro gives.
CREATE OR REPLACE MACRO sqlrp_given_products(outputs, factors, heaviest, exact, plain, source) AS
  sqlrp_stage('products', outputs, 'SELECT i, c, w, v FROM ' || source, exact := exact, factors := factors, heaviest := heaviest, dense := plain);

-- t products of `degree` of the p entries for each of k components, over an index table that is drawn.
CREATE OR REPLACE MACRO sqlrp_drawn_products(p, k, t, degree, seed, minimise) AS
  sqlrp_stage('products', k, 'SELECT i, i // ' || t || ' AS c, 1 AS w, a[i * ' || degree || ' + 1 : (i + 1) * ' || degree
    || '] AS v FROM ' || sqlrp_series(k * t, 'i') || ', sqlrp_index_table(' || p || ', ' || degree * t || ', ' || k || ', ' || seed || ', '
    || minimise || ')', factors := degree, heaviest := t, dense := true,
    terms := k * t * degree,
    drawn := concat('sqlrp_drawn_terms(', CASE WHEN minimise AND p % (degree * t) = 0  -- no component takes from two permutations
      THEN concat('list_slice(flatten(sqlrp_drawn_permutations(', seed, ', {{index}}, ', CAST(ceil(degree * t * k / p) AS BIGINT), ', ', p, ')), 1, ', degree * t * k, ')')
      ELSE concat('sqlrp_drawn_indexes(', p, ', ', degree * t, ', ', k, ', ', seed, ', ', minimise, ')') END, ', ', k, ', ', t, ', ', degree, ', {at})'));

-- -- a Hadamard transform ------------------------------------------------------------------------------------------------------

-- Paley's Hadamard matrix of an order in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1. The lowest bit of a
-- byte comes first.
CREATE OR REPLACE MACRO sqlrp_paley(block) AS CASE block
{{paley}}
  END;

-- Whether an entry of the matrix is -1: 1 or 0. The order 1 has none.
CREATE OR REPLACE MACRO sqlrp_paley_bit(block, entry) AS
  coalesce((CAST('0x' || sqlrp_paley(block)[2 * (entry // 8) + 1 : 2 * (entry // 8) + 2] AS BIGINT) >> (entry % 8)) & 1, 0);

-- The matrix as a list of its columns.
CREATE OR REPLACE MACRO sqlrp_paley_signs(block) AS
  list_transform(range(CAST(block AS BIGINT)), lambda paley_c: list_transform(range(CAST(block AS BIGINT)), lambda paley_r:
    1 - 2 * sqlrp_paley_bit(block, paley_r * block + paley_c)));

-- The length of the transform, and the order of Paley's block.
CREATE OR REPLACE MACRO sqlrp_length(padding, n) AS
  list_sort(list_transform(CASE WHEN padding = 'least' THEN [1, {{paley_orders}}] ELSE [1] END, lambda length_m:
    {'padded': length_m * CAST(pow(2, greatest(ceil(log2(n / length_m)), 0)) AS BIGINT), 'block': length_m}), 'ASC')[1];

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
      || ') SELECT row_number() OVER (ORDER BY h ASC, f ASC) - 1 AS o, f AS j FROM ' || sqlrp_drawn(seed, {{subspace}}, 1) || ') p ON o = c % ' || padded || ')' END;

CREATE OR REPLACE MACRO sqlrp_transform(k, seed, n, padded, block, replacement) AS
  sqlrp_stage('signs', k, 'SELECT s.c, d.f, CASE WHEN (bit_count(d.f & s.j & (' || padded || ' // ' || block || ' - 1))' || CASE WHEN block = '1' THEN '' ELSE ' + '
      || 'sqlrp_paley_bit(' || block || ', s.j // (' || padded || ' // ' || block || ') * ' || block || ' + d.f // (' || padded || ' // ' || block || '))' END
    || ') % 2 = 0 THEN d.w ELSE -d.w END AS w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(n, 'f') || ') '
    || sqlrp_sign_text(seed, 1, '1e0', {{flips}}) || ') d CROSS JOIN ' || sqlrp_sample(k, seed, padded, replacement) || ' s',
    -- Half of the terms: lists would add up all features for each component, so that expressions are faster for longer than those of other stages.
    form := 'butterfly', terms := concat('(', padded, ' * log2(greatest(', padded, ' / ', block, ', 2))', CASE WHEN block <> '1' THEN concat(' + ', k, ' * ', block) END, ') / 2'),
    drawn := concat('sqlrp_drawn_butterfly(', k, ', ', seed, ', ', padded, ', ', block, ', ', replacement, ', {at})'));

CREATE OR REPLACE MACRO sqlrp_sampled_transform(k, n, seed, padding, replacement) AS
  sqlrp_transform(k, seed, n, sqlrp_length_text(padding, n, 'padded'), sqlrp_length_text(padding, n, 'block'), replacement);

-- -- a constant, and what a method gives ------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_constant(value) AS
  sqlrp_stage('append', value := value, exact := value = floor(value));

-- What a method gives. `factor` multiplies the outputs; `bound` is the features that a saved projection is for.
CREATE OR REPLACE MACRO sqlrp_pipeline(stages, factor, k, grouped := false, prepared := false, names := NULL, bound := NULL) AS
  {'stages': stages, 'factor': CAST(factor AS VARCHAR), 'k': CAST(k AS BIGINT), 'grouped': grouped, 'prepared': prepared,
   'names': CAST(names AS VARCHAR[]), 'bound': CAST(bound AS BIGINT)};

-- What pooling gives: the stages of a row, the sum over the group, then the signed root and the norm.
CREATE OR REPLACE MACRO sqlrp_pooled(stages, factor, k, normalise) AS
  sqlrp_pipeline(stages || [sqlrp_stage('group', terms := 8 * k)]  -- a sum, a root and a quotient take as long to plan as eight terms
    || CASE WHEN normalise THEN [sqlrp_stage('map', text := {{formula_signed_root}}, exact := false, form := 'closing'),
      sqlrp_stage('normalise', exact := false, form := 'closing')] ELSE [] END,
    factor, k, grouped := true);

-- The circular convolution of `degree` count sketches of length k, given side by side. They are convolved one after another, and
-- those that wait are carried along.
CREATE OR REPLACE MACRO sqlrp_convolutions(k, degree) AS
  list_transform(range(degree - 2, -1, -1), lambda ahead: sqlrp_stage('products', (ahead + 1) * k, 'SELECT c * ' || k || ' + i AS i, c, 1 AS w, '
    || '[i, ' || k || ' + (c - i + ' || k || ') % ' || k || '] AS v FROM ' || sqlrp_series(k, 'c') || ', ' || sqlrp_series(k, 'i')
    || ' UNION ALL SELECT ' || k || ' * ' || k || ' + i, ' || k || ' + i, 1, [2 * ' || k || ' + i, -1] FROM ' || sqlrp_series(ahead * k, 'i'),
    factors := 2, heaviest := k, dense := true, terms := 2 * k * (k + ahead),
    drawn := concat('sqlrp_drawn_convolution(', k, ', ', ahead, ')'), form := CASE WHEN k IN ({{convolved_by_pairs}}) THEN 'products' ELSE 'convolution' END));

-- A saved method with stages before its own.
CREATE OR REPLACE MACRO sqlrp_prepared(stages, pipeline) AS
  list_transform([pipeline], lambda prepared_p: sqlrp_pipeline(stages || prepared_p['stages'], prepared_p['factor'], prepared_p['k'],
    grouped := prepared_p['grouped'], prepared := true))[1];

-- A saved projection with the features that it is for: their names, or their number.
CREATE OR REPLACE MACRO sqlrp_bound(pipeline, names, bound) AS
  list_transform([pipeline], lambda bound_p: sqlrp_pipeline(bound_p['stages'], bound_p['factor'], bound_p['k'], grouped := bound_p['grouped'],
    prepared := bound_p['prepared'], names := names, bound := bound))[1];
