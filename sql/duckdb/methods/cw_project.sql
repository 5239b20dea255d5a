-- Each feature goes, with a sign, into one sum of each of nnz_per_feature blocks.
CREATE OR REPLACE MACRO sqlrp_cw_stages(k, nnz_per_feature, seed, n) AS
  sqlrp_pipeline([CASE WHEN k % nnz_per_feature > 0 THEN error('k = ' || k || ' must be a multiple of nnz_per_feature = ' || nnz_per_feature
        || ', as its blocks are of one size: use k = ' || greatest(k - k % nnz_per_feature, nnz_per_feature))
      ELSE sqlrp_block_sums(nnz_per_feature, k // nnz_per_feature, seed) END], '1 / sqrt(' || nnz_per_feature || ')', k);
