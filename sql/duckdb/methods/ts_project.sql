-- The circular convolution of `degree` count sketches of length k, given side by side. They are convolved one after another, and
-- those that wait are carried along.
CREATE OR REPLACE MACRO sqlrp_convolutions(k, degree) AS
  list_transform(range(degree - 2, -1, -1), lambda ahead: sqlrp_stage('products', (ahead + 1) * k, 'SELECT c * ' || k || ' + i AS i, c, 1 AS w, '
    || '[i, ' || k || ' + (c - i + ' || k || ') % ' || k || '] AS v FROM ' || sqlrp_series(k, 'c') || ', ' || sqlrp_series(k, 'i')
    || ' UNION ALL SELECT ' || k || ' * ' || k || ' + i, ' || k || ' + i, 1, [2 * ' || k || ' + i, -1] FROM ' || sqlrp_series(ahead * k, 'i'),
    factors := 2, heaviest := k, dense := true));

CREATE OR REPLACE MACRO sqlrp_ts_stages(k, degree, seed, n) AS
  sqlrp_pipeline([sqlrp_block_sums(degree, k, seed)] || sqlrp_convolutions(k, degree), '1', k);
