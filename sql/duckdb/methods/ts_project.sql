-- The circular convolution of `degree` count sketches of length k.
CREATE OR REPLACE MACRO sqlrp_ts_stages(k, degree, seed, n) AS
  sqlrp_pipeline([sqlrp_block_sums(degree, k, seed)] || sqlrp_convolutions(k, degree), '1', k);
