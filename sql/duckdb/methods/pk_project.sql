-- The square root of c is one more feature. k sums of t products of shared sums follow.
CREATE OR REPLACE MACRO sqlrp_pk_stages(k, s, s_type, seed, degree, p, t, c, minimise_repetition, vectors, n) AS
  sqlrp_pipeline(CASE WHEN NOT coalesce(c >= 0 AND isfinite(c), false) THEN error('c = ' || coalesce(CAST(CAST(c AS FLOAT) AS VARCHAR), 'NULL')
        || ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree')
      WHEN c > 0 THEN [sqlrp_constant(sqrt(c))] ELSE [] END
    || [CASE WHEN vectors = 'gaussian' THEN sqlrp_normal_sums(CASE WHEN sqlrp_known('PolynomialKernelProjection', n) <> ''
          THEN sqlrp_shared_sums(p, degree, t, k) END, seed)
        ELSE sqlrp_signed_sums(sqlrp_shared_sums(p, degree, t, k), sqlrp_s(s, s_type, n), seed) END,
      sqlrp_drawn_products(sqlrp_shared_sums(p, degree, t, k), k, t, degree, seed, minimise_repetition)],
    CASE WHEN vectors = 'gaussian' THEN '1' ELSE 'pow(' || sqlrp_s(s, s_type, n) || ', ' || degree || ' / 2e0)' END || ' / sqrt(' || k * t || ')', k);
