-- Signed sums of all monomials of the degree, each with the square root of its multinomial coefficient.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  monomials numeric := 1;
  density double precision;
BEGIN
  PERFORM sqlrp_known('{{class}}', n);
  FOR i IN 1 .. least(degree, n - 1) LOOP
    monomials := div(monomials * (greatest(degree, n - 1) + i), i);
    EXIT WHEN monomials > 1e30;
  END LOOP;
  IF monomials > {{most_monomials}} THEN
    PERFORM sqlrp_refuse(format('%s features have %s monomials of degree %s, more than the {{most_monomials_shown}} that are written out: '
      'use PolynomialKernelProjection, which needs none of them', n, CASE WHEN monomials > 1e30 THEN 'over 10^30'
      ELSE to_char(monomials, 'FM999,999,999,999,999,999,999,999,999,999,999') END, degree), 'program_limit_exceeded');
  END IF;
  density := sqlrp_s(s, CAST(monomials AS bigint));
  -- Monomials in the order of their features. The coefficient is built up factor by factor, as j / run.
  RETURN sqlrp_pipeline(ARRAY[sqlrp_products(CAST(monomials AS bigint), degree, 1, CAST(monomials AS double precision), false, format(
    'WITH RECURSIVE monomials(v, last, run, ways) AS (SELECT ARRAY[f], f, CAST(1 AS bigint), CAST(1 AS numeric) FROM %1$s s UNION ALL '
    'SELECT m.v || s.f, s.f, r.run, div(m.ways * (cardinality(m.v) + 1), r.run) FROM monomials m JOIN %1$s s ON s.f >= m.last '
    'CROSS JOIN LATERAL (SELECT CASE WHEN s.f = m.last THEN m.run + 1 ELSE 1 END AS run) r WHERE cardinality(m.v) < %2$s) '
    'SELECT row_number() OVER (ORDER BY v) - 1 AS i, row_number() OVER (ORDER BY v) - 1 AS c, sqrt(CAST(ways AS double precision)) '
    'AS w, v FROM monomials WHERE cardinality(v) = %2$s', sqlrp_series(n, 'f'), degree)),
    sqlrp_vectors(CAST(monomials AS bigint), k, density, seed)], sqrt(density / k));
END $f$;
