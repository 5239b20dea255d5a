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
      || '), signs AS MATERIALIZED (' || sqlrp_sign_text(seed, k * m, s, {{signs}}) || ') SELECT c, f, w FROM signs UNION ALL SELECT ' || k * m
      || ' + c // ' || m || ', f + ' || n || ', CAST(sum(CASE WHEN c % ' || m || ' < ' || greatest(m // 2, 1)
      || ' THEN -1 ELSE 1 END) AS INTEGER) FROM signs GROUP BY c // ' || m || ', f) both_ WHERE w <> 0', largest := m),
   sqlrp_stage('products', k, sqlrp_d2pk_squares(k, m) || ' UNION ALL SELECT ' || k * m || ' + c, c, 1, [c + ' || k * m || ', -1] FROM '
      || sqlrp_series(k, 'c'), factors := 2, heaviest := m + 1)];

CREATE OR REPLACE MACRO sqlrp_d2pk_stages(k, s, s_type, seed, m, modified, n) AS
  sqlrp_pipeline(CASE WHEN m > 1 AND m % 2 = 1 THEN error('m = ' || m || ' must be 1 or even, so that half of the signs are flipped: use ' || m + 1)
      WHEN modified THEN sqlrp_d2pk_modified(k, sqlrp_s(s, s_type, n), seed, m, sqlrp_known('Degree2KernelProjection', n))
      ELSE [sqlrp_signed_sums(k * m, sqlrp_s(s, s_type, n), seed),
        sqlrp_stage('products', k, sqlrp_d2pk_squares(k, m), factors := 2, heaviest := m)] END,
    sqlrp_s(s, s_type, n) || ' / sqrt(' || 2 * m * k || ')', k);
