-- The circular convolution of two count sketches of length k, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  RETURN sqlrp_pipeline(ARRAY[sqlrp_split_sums(sqlrp_block_sums(n, 2, k, seed), split, n), sqlrp_products(k, 2, k, k * k, true, format(
    'SELECT c * %1$s + i AS i, c, 1 AS w, ARRAY[i, %1$s + (c - i + %1$s) %% %1$s] AS v FROM %2$s c CROSS JOIN %3$s i',
    k, sqlrp_series(k, 'c'), sqlrp_series(k, 'i')))], 1, true, normalise);
END $f$;
