-- Each feature goes, with a sign, into one sum of each of nnz_per_feature blocks.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF k % nnz_per_feature > 0 THEN
    PERFORM sqlrp_refuse(format('k = %s must be a multiple of nnz_per_feature = %s, as its blocks are of one size: use k = %s',
      k, nnz_per_feature, greatest(k - k % nnz_per_feature, nnz_per_feature)));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[sqlrp_block_sums(n, nnz_per_feature, k / nnz_per_feature, seed)],
    1 / sqrt(CAST(nnz_per_feature AS double precision)));
END $f$;
