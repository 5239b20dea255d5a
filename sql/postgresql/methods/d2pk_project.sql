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
