-- k sums with drawn signs, times sqrt(s / k), or with normal weights, times 1 / sqrt(k).
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  density double precision := sqlrp_density('GaussianProjection', vectors, s, n);
BEGIN
  RETURN sqlrp_pipeline(ARRAY[sqlrp_vectors(n, k, density, seed)], sqrt(coalesce(density, 1) / k));
END $f$;
