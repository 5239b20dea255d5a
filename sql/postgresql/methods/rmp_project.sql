-- k products of two dense signed sums, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  RETURN sqlrp_pipeline(ARRAY[sqlrp_split_sums(sqlrp_vectors(n, 2 * k, 1, seed), split, n), sqlrp_products(k, 2, 1, k, true, format(
    'SELECT c AS i, c, 1 AS w, ARRAY[%s] AS v FROM %s c', CASE WHEN split IS NULL THEN '2 * c, 2 * c + 1' ELSE format('c, c + %s', k) END,
    sqlrp_series(k, 'c')))], CASE WHEN normalise THEN 1 ELSE 1 / sqrt(CAST(k AS double precision)) END, true, normalise);
END $f$;
