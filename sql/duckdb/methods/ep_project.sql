-- Signed sums of all monomials of the degree, each with the square root of its multinomial coefficient.
CREATE OR REPLACE MACRO sqlrp_ep_monomials(degree, n) AS
  list_transform([list_reduce(range(1, least(degree, n - 1) + 1), lambda monomials_m, monomials_i:
        CASE WHEN monomials_m > 1e30 THEN monomials_m ELSE round(monomials_m * (greatest(degree, n - 1) + monomials_i) / monomials_i) END,
        CAST(1 AS DOUBLE))], lambda ep_m:
      CASE WHEN ep_m > {{most_monomials}} THEN error(n || ' features have ' || CASE WHEN ep_m > 1e15 THEN 'over 10^15'
          ELSE format('{:,}', CAST(ep_m AS BIGINT)) END || ' monomials of degree ' || degree || ', more than the {{most_monomials_shown}} that are '
          || 'written out: use PolynomialKernelProjection, which needs none of them')
        ELSE CAST(ep_m AS BIGINT) END)[1];

-- Monomials in the order of their features. The coefficient is built up factor by factor, as j / run.
CREATE OR REPLACE MACRO sqlrp_ep_text(degree, n) AS
  'SELECT row_number() OVER (ORDER BY v) - 1 AS i, row_number() OVER (ORDER BY v) - 1 AS c, sqrt(CAST(ways AS DOUBLE)) AS w, v FROM ('
    || 'WITH RECURSIVE monomials(v, prior, run, ways) AS (SELECT [f], f, CAST(1 AS BIGINT), CAST(1 AS HUGEINT) FROM ' || sqlrp_series(n, 'f')
    || ' UNION ALL SELECT v || [f], f, CASE WHEN f = prior THEN run + 1 ELSE 1 END, ways * (len(v) + 1) // CASE WHEN f = prior THEN run + 1 '
    || 'ELSE 1 END FROM monomials, ' || sqlrp_series(n, 'f') || ' WHERE f >= prior AND len(v) < ' || degree || ') SELECT v, ways FROM monomials WHERE len(v) = '
    || degree || ') m';

CREATE OR REPLACE MACRO sqlrp_ep_stages(k, s, s_type, seed, degree, n) AS
  list_transform([CASE WHEN TRY_CAST(sqlrp_known('ExplicitPolynomialProjection', n) AS BIGINT) IS NULL
        THEN sqlrp_of(n, 'sqlrp_ep_monomials(' || degree || ', n)')
      ELSE CAST(sqlrp_ep_monomials(degree, TRY_CAST(n AS BIGINT)) AS VARCHAR) END], lambda ep_n:
    sqlrp_pipeline([sqlrp_stage('products', ep_n, sqlrp_ep_text(degree, n || ' + 0 * ' || ep_n), exact := false, factors := degree),
      sqlrp_signed_sums(k, sqlrp_s(s, s_type, ep_n), seed)], 'sqrt(' || sqlrp_s(s, s_type, ep_n) || ' / ' || k || ')', k))[1];
