-- k of the features, drawn without replacement; 'householder' reflects each row first.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  PERFORM sqlrp_known('{{class}}', n);
  IF densify <> 'householder' THEN
    PERFORM sqlrp_refuse(format('densify = %L must be ''householder'', or NULL to pick features as they are', densify));
  ELSIF k > n THEN
    PERFORM sqlrp_refuse(format('k = %s must be at most the number of features = %s: lower k', k, n));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[jsonb_build_object('outputs', k, 'exact', true, 'reflected', densify IS NOT NULL, 'terms', n + k,
    'text', format('SELECT row_number() OVER (ORDER BY h, f) - 1 AS c, f, 1 AS sign FROM (%s) drawn ORDER BY h, f LIMIT %s',
    sqlrp_draw(seed, {{subspace}}, 1, sqlrp_series(n, 'f')), k))],
    sqrt(CAST(n AS double precision) / k) / CASE WHEN densify IS NULL THEN 1 ELSE n END);
END $f$;
