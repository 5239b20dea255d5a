-- -- what is drawn while a statement binds --------------------------------------------------------------------------------------
-- The draw of draw.sql as lists, which DuckDB computes while it binds a call: a constant expression may hold no query. They are what the
-- text of the inline lowering is written from. A list of signs is the positions of the features of a sum, which count from 1: negative ones
-- are subtracted. A product is its weight and the positions of its factors; 0 stands for the constant 1.

-- The 64 coefficients of a seed, from the last to the first.
CREATE OR REPLACE MACRO sqlrp_drawn_seed(seed, purpose) AS
  list_transform(list_transform(list_transform([CAST(seed AS BIGINT)], lambda drawn_s: list_transform(sqlrp_constants()[1:2], lambda drawn_a:
      sqlrp_horner(drawn_a, (sqlrp_horner(drawn_a, drawn_s % {{prime}}) + drawn_s // {{prime}}) % {{prime}}))), lambda drawn_m:
    list_transform(range(64 * purpose + 63, 64 * purpose - 1, -1), lambda drawn_i: (sqlrp_horner(sqlrp_constants()[3],
      (drawn_m[1] + drawn_i) % {{prime}})
      + sqlrp_horner(sqlrp_constants()[4], (drawn_m[2] + drawn_i) % {{prime}})) % {{prime}})), lambda drawn_a: drawn_a)[1];

-- The eight coefficients of components 0 ... n-1, a list each.
CREATE OR REPLACE MACRO sqlrp_drawn_components(seed, purpose, n) AS
  list_transform([sqlrp_drawn_seed(seed, purpose)], lambda drawn_a: list_transform(range(CAST(n AS BIGINT)), lambda drawn_c:
    list_transform(range(57, 0, -8), lambda drawn_i: sqlrp_horner(drawn_a[drawn_i : drawn_i + 7], drawn_c))))[1];

-- The entries h of components 0 ... n-1: a list each, over feature numbers.
CREATE OR REPLACE MACRO sqlrp_drawn_entries(seed, purpose, n, numbers) AS
  list_transform(sqlrp_drawn_components(seed, purpose, n), lambda drawn_b: list_transform(numbers, lambda drawn_f:
    sqlrp_entry(drawn_b[1], drawn_b[2], drawn_b[3], drawn_b[4], drawn_b[5], drawn_b[6], drawn_b[7], drawn_b[8], drawn_f)));

-- The numbers of n features, the last of which may be a constant.
CREATE OR REPLACE MACRO sqlrp_drawn_numbers(n, constant) AS
  CASE WHEN constant THEN range(CAST(n AS BIGINT) - 1) || [CAST({{constant_feature}} AS BIGINT)] ELSE range(CAST(n AS BIGINT)) END;

-- The lists of `vectors` sums with drawn signs.
CREATE OR REPLACE MACRO sqlrp_drawn_signs(seed, purpose, vectors, s, n, constant) AS
  list_transform([{'low': CAST(floor({{prime}} / (2 * s)) AS BIGINT), 'high': CAST(floor({{prime}} / s) AS BIGINT)}], lambda signs_t:
    list_transform(sqlrp_drawn_entries(seed, purpose, vectors, sqlrp_drawn_numbers(n, constant)), lambda signs_h:
      list_filter(list_transform(signs_h, lambda signs_e, signs_i: CASE WHEN signs_e < signs_t['low'] THEN signs_i WHEN signs_e < signs_t['high']
        THEN -signs_i END),
        lambda signs_p: signs_p IS NOT NULL)))[1];

-- The lists of block sums, in buckets if there are several: a code is the sum that a feature goes into, which counts from 1, with its sign.
CREATE OR REPLACE MACRO sqlrp_drawn_codes(blocks, size, buckets, entries) AS
  list_transform([entries], lambda codes_h: list_transform(codes_h[:blocks], lambda codes_e, codes_b: list_transform(list_zip(codes_e,
    codes_h[blocks + 1]),
    lambda codes_v: (1 - 2 * (codes_v[1] % 2)) * ((codes_v[2] % buckets * blocks + codes_b - 1) * size + (codes_v[1] // 2) % size + 1))))[1];

CREATE OR REPLACE MACRO sqlrp_drawn_blocks(seed, blocks, size, buckets, n, constant) AS
  list_transform([sqlrp_drawn_codes(blocks, size, buckets, sqlrp_drawn_entries(seed, {{blocks}}, blocks + 1, sqlrp_drawn_numbers(n, constant)))],
    lambda blocks_v:
    list_transform(range(1, CAST(blocks * size * buckets AS BIGINT) + 1), lambda blocks_c: list_filter(list_transform(blocks_v[(blocks_c - 1) // size
      % blocks + 1],
      lambda blocks_e, blocks_i: CASE WHEN blocks_e = blocks_c THEN blocks_i WHEN blocks_e = -blocks_c THEN -blocks_i END),
        lambda blocks_p: blocks_p IS NOT NULL)))[1];

-- The lists of sums of two descriptors: the first half over the features below `split`, and the rest over the others.
CREATE OR REPLACE MACRO sqlrp_drawn_split(half, split, lists, n, constant) AS
  list_transform(lists, lambda split_v, split_c: list_filter(split_v, lambda split_p: (split_c <= half) = (abs(split_p) <= split)));

-- The numbers 0 ... n-1 in random order, for components 0 ... k-1: sorted by (entry, number).
CREATE OR REPLACE MACRO sqlrp_drawn_permutations(seed, purpose, k, n) AS
  list_transform(sqlrp_drawn_entries(seed, purpose, k, range(CAST(n AS BIGINT))), lambda permuted_h:
    list_transform(list_sort(list_transform(permuted_h,
    lambda permuted_e, permuted_i: permuted_e * {{last_feature_and_one}} + permuted_i - 1), 'ASC'),
      lambda permuted_v: permuted_v % {{last_feature_and_one}}));

-- The products of an index table, as sqlrp_index_table draws it.
CREATE OR REPLACE MACRO sqlrp_drawn_indexes(p, size, k, seed, minimise) AS
  CASE WHEN minimise THEN list_reduce(sqlrp_drawn_permutations(seed, {{index}}, CAST(ceil(size * k / p) AS BIGINT), p), lambda indexes_d, indexes_n:
      sqlrp_deal(indexes_d, indexes_n, size))[:size * k]
    ELSE flatten(list_transform(sqlrp_drawn_permutations(seed, {{index}}, k, p), lambda indexes_v: indexes_v[:size])) END;

-- An index table as the terms of the products of k components.
CREATE OR REPLACE MACRO sqlrp_drawn_terms(indexes, k, t, degree, n, constant) AS
  list_transform(list_transform([indexes], lambda terms_a: list_transform(range(CAST(k AS BIGINT)),
    lambda terms_c: terms_a[terms_c * t * degree + 1 : (terms_c + 1) * t * degree])), lambda terms_l: list_transform(terms_l, lambda terms_v:
      list_transform(range(CAST(t AS BIGINT)), lambda terms_i: [CAST(1 AS BIGINT)] || list_transform(terms_v[terms_i * degree + 1 : (terms_i + 1) *
        degree],
        lambda terms_e: terms_e + 1))))[1];

-- The same with the second factor of each product from another p sums.
CREATE OR REPLACE MACRO sqlrp_drawn_across(p, indexes, k, t, degree, n, constant) AS
  list_transform(sqlrp_drawn_terms(indexes, k, t, degree, n, constant), lambda across_v: list_transform(across_v, lambda across_t:
    [across_t[1], across_t[2], across_t[3] + p]));

-- -- what is not drawn, as the same lists ------------------------------------------------------------------------------------------

-- Lists of weights as the lists of their terms: signs, or products of one factor.
CREATE OR REPLACE MACRO sqlrp_signs_of(weights) AS
  list_transform(weights, lambda signs_w: list_filter(list_transform(signs_w, lambda signs_e, signs_i: CASE WHEN signs_e <> 0 THEN signs_e * signs_i END),
    lambda signs_p: signs_p IS NOT NULL));
CREATE OR REPLACE MACRO sqlrp_terms_of(weights) AS
  list_transform(weights, lambda terms_w: list_filter(list_transform(terms_w, lambda terms_e, terms_i: CASE WHEN terms_e <> 0 THEN [terms_e, terms_i] END),
    lambda terms_p: terms_p IS NOT NULL));

-- k * m sums of n features with drawn signs, and k sums of their squares: minus the weights that they have in the signed squares of the sums.
CREATE OR REPLACE MACRO sqlrp_drawn_removed(k, m, seed, s, n) AS
  list_transform(list_transform([sqlrp_drawn_entries(seed, {{signs}}, k * m, range(CAST(n AS BIGINT)))], lambda removed_h: {
      'low': CAST(floor({{prime}} / (2 * s)) AS BIGINT), 'high': CAST(floor({{prime}} / s) AS BIGINT), 'h': removed_h}), lambda removed_v:
    list_transform(removed_v['h'], lambda removed_h: list_transform(removed_h, lambda removed_e: CASE WHEN removed_e < removed_v['low'] THEN 1
      WHEN removed_e < removed_v['high'] THEN -1 ELSE 0 END))
    || list_transform(range(CAST(k AS BIGINT)), lambda removed_c: list_reduce(list_transform(removed_v['h'][removed_c * m + 1 : (removed_c + 1) * m],
      lambda removed_h, removed_i: [0 for removed_f in range(CAST(n AS BIGINT))] || list_transform(removed_h, lambda removed_e: CASE WHEN removed_e >= removed_v['high'] THEN 0
        WHEN removed_i <= greatest(m // 2, 1) THEN -1 ELSE 1 END)), lambda removed_a, removed_b: list_transform(list_zip(removed_a, removed_b),
          lambda removed_e: removed_e[1] + removed_e[2]))))[1];

-- The circular convolution of the first two of `ahead` + 2 vectors of k entries; the others pass.
CREATE OR REPLACE MACRO sqlrp_drawn_convolution(k, ahead) AS
  list_transform(range(CAST(k AS BIGINT)), lambda convolution_c: list_transform(range(CAST(k AS BIGINT)), lambda convolution_i:
      [CAST(1 AS BIGINT), convolution_i + 1, k + (convolution_c - convolution_i + k) % k + 1]))
    || list_transform(range(CAST(ahead * k AS BIGINT)), lambda convolution_c: [[CAST(1 AS BIGINT), 2 * k + convolution_c + 1]]);

-- All monomials of a degree in the order of their features, each with the square root of its multinomial coefficient, which is built up factor
-- by factor, as j / run.
CREATE OR REPLACE MACRO sqlrp_monomials(degree, n) AS
  list_transform(list_reduce(list_transform(range(CAST(degree AS BIGINT)), lambda monomials_i: CASE WHEN monomials_i = 0
      THEN list_transform(range(CAST(n AS BIGINT)), lambda monomials_f: {'v': [monomials_f + 1], 'run': CAST(1 AS BIGINT), 'ways': CAST(1 AS HUGEINT)})
      ELSE [] END), lambda monomials_a, monomials_e: flatten(list_transform(monomials_a, lambda monomials_m:
        list_transform(range(monomials_m['v'][-1], CAST(n AS BIGINT) + 1), lambda monomials_f: list_transform([CASE WHEN monomials_f = monomials_m['v'][-1]
          THEN monomials_m['run'] + 1 ELSE 1 END], lambda monomials_r: {'v': monomials_m['v'] || [monomials_f], 'run': monomials_r,
            'ways': CAST(monomials_m['ways'] * (len(monomials_m['v']) + 1) // monomials_r AS HUGEINT)})[1])))),
    lambda monomials_m: [[sqrt(CAST(monomials_m['ways'] AS DOUBLE))] || monomials_m['v']]);

-- The positions of k of n features, drawn without replacement, or one of each of k equal parts: as the lists of sums of one feature.
CREATE OR REPLACE MACRO sqlrp_drawn_picks(k, stratified, seed, n, constant) AS
  list_transform(CASE WHEN stratified THEN list_transform(sqlrp_drawn_entries(seed, {{subspace}}, 1, range(CAST(k AS BIGINT)))[1], lambda picks_h, picks_i:
        ((picks_i - 1) * n + picks_h * n // {{prime}}) // k)
      ELSE sqlrp_drawn_permutations(seed, {{subspace}}, 1, n)[1][:k] END, lambda picks_f: [CAST(picks_f + 1 AS BIGINT)]);

-- A sample of k entries of a Hadamard transform of `padded` entries, which count from 0, and the signs of the features before it. `block` is the order
-- of Paley's matrix, whose columns are `signs`.
CREATE OR REPLACE MACRO sqlrp_drawn_butterfly(k, seed, padded, block, replacement, n, constant) AS
  {'padded': CAST(padded AS BIGINT), 'part': CAST(padded // block AS BIGINT), 'signs': sqlrp_paley_signs(block), 'flips': list_transform(sqlrp_drawn_entries(seed, {{flips}}, 1, range(CAST(n AS BIGINT)))[1], lambda butterfly_h:
      CASE WHEN butterfly_h < {{prime}} // 2 THEN 1 ELSE -1 END), 'sample': CASE WHEN replacement
    THEN list_transform(sqlrp_drawn_entries(seed, {{sample}}, 1, range(CAST(k AS BIGINT)))[1], lambda butterfly_h: butterfly_h % padded)
    ELSE list_transform([sqlrp_drawn_permutations(seed, {{subspace}}, 1, padded)[1]], lambda butterfly_p: list_select(butterfly_p,
      list_transform(range(CAST(k AS BIGINT)), lambda butterfly_c: butterfly_c % padded + 1)))[1] END};
