-- The circular convolution of two count sketches of length k, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE MACRO sqlrp_tsp_stages(k, normalise, split, seed, n) AS
  sqlrp_pooled([sqlrp_split_sums(sqlrp_block_sums(2, k, seed), 2 * k, split, n)] || sqlrp_convolutions(k, 2), '1', k, normalise);
