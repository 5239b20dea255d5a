-- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  density double precision := sqlrp_s(s, n);
  sums bigint := sqlrp_shared_sums(p, 2, t, k);
BEGIN
  RETURN sqlrp_pipeline(ARRAY[sqlrp_vectors(n, sums, density, seed), sqlrp_drawn_products(sums, 2, t, k, seed, true)],
    CASE WHEN normalise THEN 1 ELSE density / sqrt(CAST(k * t AS double precision)) END, true, normalise);
END $f$;
