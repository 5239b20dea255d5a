-- k products of two dense signed sums, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE MACRO sqlrp_rmp_stages(k, normalise, split, seed, n) AS
  sqlrp_pooled([sqlrp_split_sums(sqlrp_signed_sums(2 * k, '1e0', seed), 2 * k, split, n),
    sqlrp_stage('products', k, 'SELECT c AS i, c, 1 AS w, ' || CASE WHEN split IS NULL THEN '[2 * c, 2 * c + 1]' ELSE '[c, c + ' || k || ']' END
      || ' AS v FROM ' || sqlrp_series(k, 'c'), factors := 2, dense := true)], '1 / sqrt(' || k || ')', k, normalise);
