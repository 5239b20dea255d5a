-- -- the methods, and how well they keep distances ---------------------------------------------------------------------

CREATE OR REPLACE FUNCTION sqlrp_methods() RETURNS TABLE (function text, class text, use_it_for text, parameters text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  VALUES
{{help}}
$f$;

-- How well components keep the distances of vectors, given as arrays of arrays, as array_agg makes them: the mean of
-- |z - z'|^2 / |x - x'|^2 - 1 without its sign over all pairs, and the share of the ten nearest rows that stay among the ten nearest.
CREATE OR REPLACE FUNCTION sqlrp_quality(vectors double precision[], components double precision[]) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $f$
DECLARE
  n integer := coalesce(array_length(vectors, 1), 0);
BEGIN
  IF array_ndims(vectors) IS DISTINCT FROM 2 OR array_ndims(components) IS DISTINCT FROM 2 OR n IS DISTINCT FROM array_length(components, 1)
    OR EXISTS (SELECT FROM unnest(vectors) e WHERE e IS NULL) OR EXISTS (SELECT FROM unnest(components) e WHERE e IS NULL) THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE =
      'vectors and components must be arrays of as many arrays, each without NULL: pass array_agg(x) and array_agg(z) of the same rows';
  ELSIF n NOT BETWEEN {{least_compared}} AND {{most_compared}} THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE =
      format('%s rows are not from {{least_compared}} to {{most_compared_shown}}, as all pairs are compared: take them from a subquery with LIMIT 200', n);
  END IF;
  RETURN (WITH r AS MATERIALIZED (
    SELECT i, ARRAY(SELECT unnest(vectors[i:i])) AS x, ARRAY(SELECT unnest(components[i:i])) AS z FROM generate_series(1, n) i
  ), half AS MATERIALIZED (
    SELECT a.i, b.i AS j, (SELECT sum((u.p - u.q) * (u.p - u.q)) FROM unnest(a.x, b.x) u(p, q)) AS x,
      (SELECT sum((u.p - u.q) * (u.p - u.q)) FROM unnest(a.z, b.z) u(p, q)) AS z FROM r a JOIN r b ON a.i < b.i
  ), ranks AS (
    SELECT row_number() OVER (PARTITION BY i ORDER BY x ASC, j ASC) AS x, row_number() OVER (PARTITION BY i ORDER BY z ASC, j ASC) AS z
    FROM (SELECT i, j, x, z FROM half UNION ALL SELECT j, i, x, z FROM half) pairs
  )
  SELECT jsonb_build_object('rows', n, 'mean_distortion', (SELECT avg(abs(z / x - 1)) FROM half WHERE x > 0),
    'recall_of_10', (SELECT CAST(count(*) FILTER (WHERE z <= 10) AS double precision) / count(*) FROM ranks WHERE x <= 10)));
END $f$;
