-- k sums with drawn signs, times sqrt(s / k), or with normal weights, times 1 / sqrt(k).
CREATE OR REPLACE MACRO sqlrp_rp_stages(k, s, s_type, seed, vectors, n) AS
  CASE WHEN vectors = 'gaussian' THEN sqlrp_pipeline([sqlrp_normal_sums(CASE WHEN sqlrp_known('GaussianProjection', n) <> '' THEN k END, seed)],
      '1 / sqrt(' || k || ')', k)
    ELSE sqlrp_pipeline([sqlrp_signed_sums(k, sqlrp_s(s, s_type, n), seed)], 'sqrt(' || sqlrp_s(s, s_type, n) || ' / ' || k || ')', k) END;
