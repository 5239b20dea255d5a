-- k sums of t products of two shared sums, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE MACRO sqlrp_cbp_stages(k, s, s_type, seed, p, t, normalise, n) AS
  sqlrp_pipeline([sqlrp_signed_sums(sqlrp_shared_sums(p, 2, t, k), sqlrp_s(s, s_type, n), seed),
      sqlrp_drawn_products(sqlrp_shared_sums(p, 2, t, k), k, t, 2, seed, true), sqlrp_stage('group')]
    || CASE WHEN normalise THEN [sqlrp_stage('root', exact := false), sqlrp_stage('normalise', exact := false)] ELSE [] END,
    CASE WHEN normalise THEN '1' ELSE sqlrp_s(s, s_type, n) || ' / sqrt(' || k * t || ')' END, k, grouped := true);
