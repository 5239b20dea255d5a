-- The square root of c is one more feature. k sums of t products of shared sums follow.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  density double precision := sqlrp_density('{{class}}', vectors, s, n);
  sums bigint := sqlrp_shared_sums(p, degree, t, k);
  added jsonb[] := '{}';
BEGIN
  IF c IS NULL OR NOT (c >= 0 AND c < 'Infinity') THEN
    PERFORM sqlrp_refuse(format('c = %s must be a finite number >= 0: the kernel is (<x, y> + c)^degree', coalesce(CAST(c AS text), 'NULL')));
  ELSIF c > 0 THEN
    added := ARRAY[sqlrp_constant(sqrt(c))];
  END IF;
  RETURN sqlrp_pipeline(added || sqlrp_vectors(n, sums, density, seed)
    || sqlrp_drawn_products(sums, degree, t, k, seed, minimise_repetition),
    power(coalesce(density, 1), CAST(degree AS double precision) / 2) / sqrt(CAST(k * t AS double precision)));
END $f$;
