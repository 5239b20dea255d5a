-- All products of two features, or of one of each descriptor, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  firsts bigint := coalesce(split, sqlrp_known('{{class}}', n));
  others bigint := n - coalesce(split, 0);
BEGIN
  PERFORM sqlrp_split_sums(jsonb_build_object(), split, n);
  IF k <> firsts * others THEN
    PERFORM sqlrp_refuse(format('k = %s must be the number of all products of %s and %s features: use k = %s, or BilinearPooling, which '
      'takes any k', k, firsts, others, firsts * others));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[sqlrp_products(k, 2, 1, k, true, format('SELECT i, i AS c, 1 AS w, ARRAY[i / %1$s, %2$s + i %% %1$s] AS v '
    'FROM %3$s i', others, n - others, sqlrp_series(k, 'i')))], 1, true, normalise);
END $f$;
