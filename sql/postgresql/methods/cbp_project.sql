-- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm. With two descriptors in a
-- row, the second factors are sums of their own, of the second descriptor.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  density double precision := sqlrp_s(s, n);
  sums bigint := sqlrp_shared_sums(p, 2, t, k);
  products jsonb := sqlrp_drawn_products(sums, 2, t, k, seed, true);
BEGIN
  IF split IS NOT NULL THEN
    products := products || jsonb_build_object('text', format('SELECT i, c, w, ARRAY[v[1], v[2] + %s] AS v FROM (%s) own', sums,
      products ->> 'text'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[sqlrp_split_sums(sqlrp_vectors(n, CASE WHEN split IS NULL THEN sums ELSE 2 * sums END, density, seed), split, n),
    products], CASE WHEN normalise THEN 1 ELSE density / sqrt(CAST(k * t AS double precision)) END, true, normalise);
END $f$;
