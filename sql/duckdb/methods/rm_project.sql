-- k products of `degree` dense signed sums, each with signs of its own.
CREATE OR REPLACE MACRO sqlrp_rm_stages(k, degree, seed, n) AS
  sqlrp_pipeline([sqlrp_signed_sums(k * degree, '1e0', seed), sqlrp_stage('products', k, 'SELECT c AS i, c, 1 AS w, range(' || degree || ' * c, '
      || degree || ' * (c + 1)) AS v FROM ' || sqlrp_series(k, 'c'), factors := degree, dense := true)], '1 / sqrt(' || k || ')', k);
