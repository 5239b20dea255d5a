-- k products of `degree` dense signed sums, each with signs of its own.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  RETURN sqlrp_pipeline(ARRAY[sqlrp_vectors(n, k * degree, 1, seed), sqlrp_products(k, degree, 1, k, true, format(
    'SELECT c AS i, c, 1 AS w, ARRAY(SELECT generate_series(%s * c, %1$s * c + %s)) AS v FROM %s c', degree, degree - 1,
    sqlrp_series(k, 'c')))], 1 / sqrt(CAST(k AS double precision)));
END $f$;
